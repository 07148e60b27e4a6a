"""Requests: everything one model call depends on, frozen before it is dispatched.

`ModelRequest` is built by the agent loop from the log and only from the log; `OneShotRequest`
serves titles and summaries, which are not part of the conversation. The types differ so that
an invariant can tell them apart. Source: core spec §8.3.7.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.llm.config import CallConfig, ToolSchema
from dsh_tui.engine.llm.messages import Message


class Departure:
    """Whether the request, in its present attempt, may have left. Kept by whoever sends it."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request of the loop. All parts but the signal and the departure are deeply frozen JSON."""

    config: CallConfig
    messages: tuple[Message, ...]
    system: str | None = None
    tools: tuple[ToolSchema, ...] = ()
    session_id: str
    signal: CancelSignal
    departure: Departure = field(default_factory=Departure, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneShotRequest:
    """A request beside the conversation, such as ``session-title`` or ``compaction``."""

    config: CallConfig
    messages: tuple[Message, ...]
    system: str | None = None
    tools: tuple[ToolSchema, ...] = ()
    session_id: str | None = None
    purpose: str
    signal: CancelSignal
    departure: Departure = field(default_factory=Departure, compare=False, repr=False)


AnyRequest = ModelRequest | OneShotRequest
