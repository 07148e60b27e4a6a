"""Rebuild: every request of the loop, from the log alone.

A request is the folded header plus the history derived just before its ``step/start``. Each attempt
of a step ends with a ``finish`` chunk; one whose failure says ``unsent`` never left, and is counted but
not listed. Where the log breaks off before the chunks of an attempt, that request may have left, so it
is listed.

Source: core spec §8.3, §9 (request); design §4 (``sessions requests``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.llm.chunks import Chunk, never_left
from dsh_tui.engine.llm.config import CallConfig, ToolSchema
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.llm.request import AnyRequest, ModelRequest, OneShotRequest
from dsh_tui.engine.loop.one_shots import one_shot_parts
from dsh_tui.engine.session.derive import Derivation
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.request_header import RequestHeader, fold_header
from dsh_tui.engine.session.surface import Surface


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuiltRequest:
    """One request as the model got it. ``attempt`` counts from 1 within the step.

    One beside the conversation has a ``purpose`` and step 0.
    """

    turn: int
    step: int
    attempt: int
    purpose: str | None = None
    system: str | None
    tools: tuple[ToolSchema, ...]
    config: CallConfig
    messages: tuple[Message, ...]

    def as_request(self, session_id: str) -> AnyRequest:
        """The value that an adapter serialises; its signal never fires."""
        parts: dict[str, Any] = {  # Any: fields of a request
            "config": self.config,
            "messages": self.messages,
            "system": self.system,
            "tools": self.tools,
            "session_id": session_id,
            "signal": CancelSignal(),
        }
        return (
            ModelRequest(**parts) if self.purpose is None else OneShotRequest(**parts, purpose=self.purpose)
        )


def rebuild_requests(events: Iterable[Event], *, one_shots: bool = False) -> list[RebuiltRequest]:
    """All requests of the loop in the order they were sent; ``one_shots``: those beside it too."""
    rebuild = _Rebuild(one_shots=one_shots)
    for event in events:
        rebuild.read(event)
    rebuild.break_off()
    return rebuild.requests


class _Rebuild:
    def __init__(self, *, one_shots: bool) -> None:
        self._one_shots = one_shots
        self._turn = 0
        self.requests: list[RebuiltRequest] = []
        self._surface = Surface()
        self._derivation = Derivation(self._surface)
        self._header: RequestHeader | None = None
        self._step: tuple[int, int] | None = None
        self._history: tuple[Message, ...] = ()
        self._attempt = 0
        self._streaming = False
        self._owed = False
        """The log promised an attempt, and holds nothing of it yet."""

    def read(self, event: Event) -> None:
        match event.type:
            case "assistant/chunk":
                self._read_chunk(event.data["chunk"])
            case "step/start":
                self._step = (event.data["turn"], event.data["step"])
                self._history = self._derivation.messages()
                self._attempt, self._streaming, self._owed = 0, False, True
            case "llm/retry-started":
                self._owed = True
            case "turn/start":
                self._turn = event.data["turn"]
            case "request/one-shot":
                self._list_one_shot(event)
            case "turn/end":
                if event.data["reason"]["kind"] == "interrupted":
                    self.break_off()
                self._step = None
            case "session/imported":  # what went out before, another program sent in another form
                self.requests.clear()
                self._step = None
            case _:
                self._header = fold_header(self._header, event)
                self._surface.commit(event)

    def break_off(self) -> None:
        """The log says no more about the open turn, which was stopped from outside."""
        if self._owed:
            self._attempt += 1
            self._list()
        self._step, self._owed = None, False

    def _read_chunk(self, chunk: Chunk) -> None:
        ends = chunk["type"] == "finish"
        if not self._streaming:
            self._attempt += 1
            self._owed = False
            if not (chunk["type"] == "finish" and never_left(chunk["reason"])):
                self._list()
        self._streaming = not ends

    def _list(self) -> None:
        if self._step is None or self._header is None:
            return
        turn, step = self._step
        self.requests.append(
            RebuiltRequest(
                turn=turn,
                step=step,
                attempt=self._attempt,
                system=self._header.get("system"),
                tools=self._header.get("tools", ()),
                config=self._header["config"],
                messages=(*self._header.get("messagePrefix", ()), *self._history),
            )
        )

    def _list_one_shot(self, event: Event) -> None:
        if not self._one_shots:
            return
        parts = one_shot_parts(event.data, self._header, self._derivation.messages())
        purpose = event.data["purpose"]
        self.requests.append(RebuiltRequest(turn=self._turn, step=0, attempt=1, purpose=purpose, **parts))
