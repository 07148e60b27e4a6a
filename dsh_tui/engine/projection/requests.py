"""What the model was sent, step by step: every request of the open session, from its log.

One pass keeps for each step the header that was in force and how long the history was; a request is
put together only when it is looked at. Whoever knows the provider gives the function that makes a
body, so that offsets and sizes are those of the bytes that left.
Source: ux spec §3.1, §3.2; core spec §8.3, §9 (request).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.lossless import dump_bytes
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.projection.body_pieces import Body, Pieces, pieces_of
from dsh_tui.engine.projection.prefix_break import prefix_break, wire_places
from dsh_tui.engine.projection.request_origins import ANCHORS, RequestOrigins
from dsh_tui.engine.projection.request_parts import (
    estimate_tokens,
    keyed_sections,
    message_label,
    message_text,
    producer,
    settings_text,
    tool_text,
)
from dsh_tui.engine.projection.request_views import PartKind, PartView, RequestView, StepRow
from dsh_tui.engine.session.derive import project
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import ChunkRun
from dsh_tui.engine.session.request_header import RequestHeader, fold_header
from dsh_tui.engine.session.surface import Surface

MakeBody = Callable[[ModelRequest], Body]
"""The JSON of a request as the provider gets it."""
KEPT_SHARE = 0.9
CACHE_BLOCK = 128
"""Tokens that a provider may leave out of its cache without anything having changed."""
_KEPT_CUT = 8

Said = tuple[int, Message]
"""A message and the seq of the event behind it."""


@dataclass(slots=True)
class SentStep:
    """A step as the log has it. ``history`` is shared by steps; this one saw its first ``count``."""

    row: StepRow
    history: list[Said]
    count: int
    header: RequestHeader | None
    origin: dict[str, int] = field(default_factory=dict)
    """Seq of the event that gave each part of the header its present form."""
    origins: RequestOrigins | None = None
    """Who wrote its parts; None where an older log does not say."""

    @property
    def has_system(self) -> bool:
        """Whether the first message of the body is the system prompt."""
        return self.header is not None and bool(self.header.get("system"))

    @property
    def said(self) -> list[Said]:
        """Prefix and history."""
        prefix = self.header.get("messagePrefix", ()) if self.header is not None else ()
        at = self.origin.get("messagePrefix", self.row.seq)
        return [*((at, message) for message in prefix), *self.history[: self.count]]


class RequestBook:
    """All steps of a log; `view` puts one request together."""

    def __init__(self, events: Sequence[Event], body: MakeBody, session_id: str = "") -> None:
        self._events = events if isinstance(events, EventLog) else tuple(events)  # a list may grow meanwhile
        self._body, self._session_id = body, session_id
        self._cut: dict[int, Pieces] = {}
        self._lock = Lock()
        reading = _Reading()
        rows = events.rows(0, len(events)) if isinstance(events, EventLog) else self._events
        for row in rows:
            if not isinstance(row, ChunkRun):
                reading.read(row)
        self._steps = reading.finished()
        self.rows: tuple[StepRow, ...] = tuple(step.row for step in self._steps)

    def view(self, index: int) -> RequestView:
        """The request of a step, whole, compared with the one before. Any thread may ask."""
        with self._lock:
            return self._view(index)

    def _view(self, index: int) -> RequestView:
        step = self._steps[index]
        before = self._steps[index - 1] if index else None
        cut = self._pieces(index)
        parts = self._parts(step, cut)
        broken = None
        if before is not None:
            broken = prefix_break(before, self._pieces(index - 1), step, cut, self._events)
        return RequestView(
            row=step.row,
            parts=parts,
            body_bytes=cut.size,
            tokens=sum(part.tokens for part in parts),
            before=before.row if before is not None else None,
            broken=broken,
        )

    def body(self, index: int) -> Body:
        """What was sent, as JSON."""
        return self._body(self._request(self._steps[index]))

    def _request(self, step: SentStep) -> ModelRequest:
        assert step.header is not None  # steps without one were never sent, and are not listed
        return ModelRequest(
            config=step.header["config"],
            messages=tuple(message for _, message in step.said),
            system=step.header.get("system"),
            tools=step.header.get("tools", ()),
            session_id=self._session_id,
            signal=CancelSignal(),
        )

    def _pieces(self, index: int) -> Pieces:
        if index not in self._cut:
            if len(self._cut) >= _KEPT_CUT:
                del self._cut[next(iter(self._cut))]
            self._cut[index] = pieces_of(self.body(index))
        return self._cut[index]

    def _parts(self, step: SentStep, cut: Pieces) -> tuple[PartView, ...]:
        header = step.header
        assert header is not None
        config, origin = header["config"], step.origin
        size = sum(len(piece.data) for name, piece in cut.settings.items() if not name.startswith("stream"))
        out = [_part("settings", "settings", "settings", origin["config"], settings_text(config), size)]
        at = origin.get("system", 0)
        for title, text, key, who in keyed_sections(header.get("system", ""), step.origins):
            out.append(_part("system", key, title, at, text, len(dump_bytes(text)) - 2, who))
        at = origin.get("tools", 0)
        for tool, piece in zip(header.get("tools", ()), cut.tools, strict=False):
            name, text = tool["name"], tool_text(tool)
            who = step.origins.plugin_of_tool(name) if step.origins is not None else ""
            out.append(_part("tool", name, name, at, text, len(piece.data), who))
        names: dict[str, str] = {}
        said = step.said
        sizes = dict.fromkeys(range(len(said)), 0)
        for place, piece in zip(wire_places(step), cut.messages[step.has_system :], strict=False):
            sizes[place] += len(piece.data)
        for place, (seq, message) in enumerate(said):
            label = message_label(message, names)
            names.update(
                (block["id"], block["name"]) for block in message["content"] if block["type"] == "tool-call"
            )
            text = message_text(message)
            key = f"{seq}:{message['id']}"
            out.append(_part("message", key, label, seq, text, sizes[place], producer(message)))
        return tuple(out)


class _Reading:
    """One pass over a log."""

    def __init__(self) -> None:
        self._steps: list[SentStep] = []
        self._open: SentStep | None = None
        self._surface = Surface()
        self._made: dict[int, Message | None] = {}
        self._history: list[Said] = []
        self._generation = 0
        self._header: RequestHeader | None = None
        self._origin: dict[str, int] = {}
        self._origins: RequestOrigins | None = None
        self._process = 0

    def read(self, event: Event) -> None:
        match event.type:
            case "assistant/chunk":
                return
            case "step/start":
                self._begin(event)
            case "step/end":
                self._open = None
            case "llm/retry-started" if self._open is not None:
                self._open.row = replace(self._open.row, attempts=self._open.row.attempts + 1)
            case "request/header" | "request/header-delta":
                self._take_header(event)
            case "request/origins":
                self._origins = RequestOrigins(event.data, self._process)
                if self._open is not None:
                    self._open.origins = self._origins
            case "session/imported":  # what went out before, another program sent in another form
                self._steps.clear()
                self._open = None
            case _:
                self._commit(event)

    def finished(self) -> list[SentStep]:
        """The steps that were sent, with what the cache did."""
        sent = [step for step in self._steps if step.header is not None]
        before: StepRow | None = None
        for index, step in enumerate(sent):
            step.row = replace(step.row, index=index, dropped=_dropped(before, step.row))
            before = step.row
        return sent

    def _begin(self, event: Event) -> None:
        if self._generation != self._surface.generation:
            self._generation = self._surface.generation
            made = ((node.seq, self._project(node)) for node in self._surface.nodes)
            self._history = [(seq, message) for seq, message in made if message is not None]
        data = event.data
        row = StepRow(
            index=0,
            turn=data["turn"],
            step=data["step"],
            seq=event.seq,
            time=event.time,
            attempts=1,
            model="",
            effort="",
        )
        step = SentStep(row, self._history, len(self._history), None)
        self._open = step
        self._steps.append(step)
        self._give_header(step)

    def _commit(self, event: Event) -> None:
        if event.type == "assistant/message" and self._open is not None:
            self._count(self._open, event.data.get("usage"))
        if event.surface_op is None:
            return
        self._surface.commit(event)
        if self._generation == self._surface.generation:
            message = self._project(event)
            if message is not None:
                self._history.append((event.seq, message))

    def _project(self, node: Event) -> Message | None:
        if node.seq not in self._made:
            self._made[node.seq] = project(node)
        return self._made[node.seq]

    def _take_header(self, event: Event) -> None:
        before, self._header = self._header, fold_header(self._header, event)
        after = self._header
        assert after is not None
        self._process += event.data.get("reason") in ANCHORS
        for name in ("system", "tools", "config", "messagePrefix"):
            if before is None or before.get(name) != after.get(name):
                self._origin = {**self._origin, name: event.seq}
        if self._open is not None:
            self._give_header(self._open)

    def _give_header(self, step: SentStep) -> None:
        step.header, step.origin, step.origins = self._header, self._origin, self._origins
        if self._header is not None:
            config = self._header["config"]
            step.row = replace(
                step.row, model=config["model"], effort=str(config.get("reasoningEffort") or "")
            )

    @staticmethod
    def _count(step: SentStep, usage: dict[str, Any] | None) -> None:  # Any: JSON of the counts
        if usage is not None:
            step.row = replace(
                step.row,
                hit=usage.get("cacheReadTokens"),
                miss=usage["inputTokens"] + usage.get("cacheWriteTokens", 0),
                output=usage["outputTokens"],
            )


def _dropped(before: StepRow | None, row: StepRow) -> bool:
    if before is None or row.hit is None or before.miss is None:
        return False
    known = (before.hit or 0) + before.miss
    return row.hit < KEPT_SHARE * known - CACHE_BLOCK


def _part(
    kind: PartKind, key: str, label: str, seq: int, text: str, size: int, producer: str = ""
) -> PartView:
    return PartView(
        kind=kind,
        key=key,
        label=label,
        producer=producer,
        seq=seq,
        text=text,
        bytes=size,
        tokens=estimate_tokens(text),
    )
