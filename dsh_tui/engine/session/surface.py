"""The surface: the events that the model may see, in the order it sees them.

``append`` pushes a node; ``replace`` swaps an inclusive span of positions for one node and
bumps ``generation``. After a replace, surface order is not seq order.
Source: core spec §3 (surface).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from dsh_tui.engine.base.frozen import FrozenDict
from dsh_tui.engine.session.errors import SurfaceError
from dsh_tui.engine.session.event import Event, SurfaceOp
from dsh_tui.engine.session.registry import EventType

APPEND = cast("SurfaceOp", FrozenDict({"op": "append"}))


class Surface:
    """Nodes in the model's order. Plan first, then commit what was planned."""

    __slots__ = ("generation", "nodes")

    def __init__(self) -> None:
        self.nodes: list[Event] = []
        self.generation = 0

    def plan(
        self,
        kind: EventType,
        data: Mapping[str, Any],  # Any: valid data of its type
        op: SurfaceOp | None,
        sources: Sequence[int] | None,
        seq: int,
    ) -> tuple[SurfaceOp | None, tuple[int, ...] | None]:
        """The marker and the sources as they will be logged.

        Raises:
            SurfaceError: a rule is broken; nothing has changed.
        """
        tag = kind.tag
        if not kind.surface:
            if op is not None or sources is not None:
                raise SurfaceError(f"{tag}: is not shown to the model, so it takes no surface marker")
            return None, None
        cited = None if sources is None else _cited(tag, sources, seq)
        if op is None or op == APPEND:
            return APPEND, cited
        start, end = op.get("start"), op.get("end")
        if op.get("op") != "replace" or type(start) is not int or type(end) is not int or len(op) != 3:
            raise SurfaceError(f"{tag}: a surface marker is append, or replace with start and end")
        if not 0 <= start <= end < len(self.nodes):
            raise SurfaceError(f"{tag}: cannot replace {start}..{end} of {len(self.nodes)} nodes")
        shadowed = self.nodes[start : end + 1]
        missing = {node.seq for node in shadowed} - set(cited or ())
        if missing:
            raise SurfaceError(f"{tag}: a replacement cites what it replaces; seq {min(missing)} is missing")
        if tag == "tool/result":
            _check_rewrite(shadowed, data)
        return cast("SurfaceOp", FrozenDict({"op": "replace", "start": start, "end": end})), cited

    def commit(self, event: Event) -> None:
        """Apply a planned event; events without a marker change nothing."""
        op = event.surface_op
        if op is None:
            return
        if op["op"] == "append":
            self.nodes.append(event)
        else:
            self.nodes[op["start"] : op["end"] + 1] = [event]
            self.generation += 1


def _cited(tag: str, sources: Sequence[int], seq: int) -> tuple[int, ...]:
    cited = tuple(sources)
    if not cited and tag != "assistant/message":  # there, [] says that the stream was known to be empty
        raise SurfaceError(f"{tag}: sources must name at least one earlier event, or be left out")
    if set(map(type, cited)) - {int}:
        raise SurfaceError(f"{tag}: sources are seqs")
    if len(set(cited)) != len(cited):
        raise SurfaceError(f"{tag}: a source is cited twice")
    if cited and (min(cited) < 0 or max(cited) >= seq):
        raise SurfaceError(f"{tag}: sources must be earlier than {seq}")
    return cited


def _check_rewrite(shadowed: Sequence[Event], data: Mapping[str, Any]) -> None:  # Any: tool/result data
    if len(shadowed) != 1 or shadowed[0].type != "tool/result":
        raise SurfaceError("tool/result: replaces exactly one tool/result")
    before = shadowed[0].data
    for name in set(before) | set(data):
        if name != "content" and before.get(name) != data.get(name):
            raise SurfaceError(f"tool/result: a rewrite changes content only, not {name}")
