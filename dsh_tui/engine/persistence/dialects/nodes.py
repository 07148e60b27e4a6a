"""Nodes: the surface of an original log beside the one that its events make here.

The original names replaced nodes by seq, we by place; and it has nodes that are none here (system prompts,
notes on tools). Source: upstream format §4 (surface events); core spec §3 (surface).
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, cast

from dsh_tui.engine.base.frozen import FrozenDict
from dsh_tui.engine.session.event import SurfaceOp
from dsh_tui.engine.session.surface import APPEND


class Nodes:
    """Seqs of the nodes in the model's order."""

    __slots__ = ("_all", "_by_place", "_ours", "_results")

    def __init__(self, *, by_place: bool) -> None:
        self._by_place = by_place
        self._all: list[int] = []
        self._ours: set[int] = set()
        self._results: dict[int, Mapping[str, Any]] = {}  # Any: JSON of a tool result

    def place(
        self,
        seq: int,
        op: Any,  # Any: JSON, "append" or an object
        names: tuple[str, str],
    ) -> tuple[SurfaceOp, tuple[int, ...]]:
        """Enter a node of ours; how that reads in our log, and which nodes of ours it replaces.

        Raises:
            ValueError: it replaces what is not there.
        """
        shadowed: tuple[int, ...] = ()
        surface = APPEND
        if op == "append":
            self._all.append(seq)
        else:
            first, last = self._span(op, names)
            before = sum(node in self._ours for node in self._all[:first])
            shadowed = tuple(node for node in self._all[first : last + 1] if node in self._ours)
            self._all[first : last + 1] = [seq]
            if shadowed:
                place = {"op": "replace", "start": before, "end": before + len(shadowed) - 1}
                surface = cast("SurfaceOp", FrozenDict(place))
        self._ours.add(seq)
        return surface, shadowed

    def pass_by(self, seq: int, op: Any, names: tuple[str, str]) -> None:  # Any: as above
        """Enter a node that is none of ours; one that makes no sense changes nothing."""
        if op == "append":
            self._all.append(seq)
            return
        with contextlib.suppress(ValueError):
            first, last = self._span(op, names)
            if not self._ours.intersection(self._all[first : last + 1]):
                self._all[first : last + 1] = [seq]

    def note_result(self, seq: int, data: Mapping[str, Any]) -> None:  # Any: JSON of a tool result
        """Remember a result, for a rewrite that may come."""
        self._results[seq] = data

    def replaced_result(self, op: Any, names: tuple[str, str]) -> Mapping[str, Any] | None:  # Any: JSON
        """The one result that a rewrite replaces; a rewrite changes content only."""
        try:
            first, last = self._span(op, names)
        except ValueError:
            return None
        return self._results.get(self._all[first]) if first == last else None

    def _span(self, op: Any, names: tuple[str, str]) -> tuple[int, int]:  # Any: JSON
        if isinstance(op, Mapping) and op.get("op") == "replace":
            bounds = [op.get(names[0], op.get("start")), op.get(names[1], op.get("end"))]
            if self._by_place:
                if set(map(type, bounds)) == {int} and 0 <= bounds[0] <= bounds[1] < len(self._all):
                    return bounds[0], bounds[1]
            elif bounds[0] in self._all and bounds[1] in self._all:
                first, last = (self._all.index(seq) for seq in bounds)
                if first <= last:
                    return first, last
        raise ValueError("it replaces messages that are not there")
