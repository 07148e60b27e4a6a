"""The ``agent/*`` events, typed. Dispatched in the agent's scope: its own listeners and global ones.

Turns, steps and tokens are not mirrored here; they are ``session/event``. Listeners of waterfalls
get ``(…args, next)``; not calling ``next`` decides alone. Source: core spec §7.
"""

from __future__ import annotations

from dataclasses import dataclass

from dsh_tui.engine.agent.agent import Agent, AgentStatus, QueuedMessage, SessionStart
from dsh_tui.engine.agent.decisions import ContinuationDecision, PromptDecision, RequestErrorDecision
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel import Emit, Serial, Waterfall
from dsh_tui.engine.llm.chunks import Failure
from dsh_tui.engine.llm.config import CallConfig, ToolSchema
from dsh_tui.engine.llm.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class PreStep:
    """What the step that is about to open will send in front of the history."""

    turn: int
    step: int
    system: str | None
    tools: tuple[ToolSchema, ...]
    prefix: tuple[Message, ...]
    signal: CancelSignal


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFailure:
    """One failed request. ``attempt`` counts from 1 within the step."""

    turn: int
    step: int
    attempt: int
    config: CallConfig
    failure: Failure
    signal: CancelSignal

    @property
    def provider(self) -> str:
        return self.config["provider"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """A step is over. ``default`` is what happens if nobody objects."""

    turn: int
    step: int
    message: Message | None
    default: ContinuationDecision
    signal: CancelSignal


AGENT_CREATED: Emit[[Agent]] = Emit("agent/created")
"""A raise vetoes the creation; `AGENT_DISPOSED` follows then."""

AGENT_DISPOSED: Emit[[Agent]] = Emit("agent/disposed")
"""The agent has ended; its id is free."""

AGENT_STATUS: Emit[[Agent, AgentStatus]] = Emit("agent/status")
"""It began to run, or is idle again."""

AGENT_QUEUED: Emit[[Agent, QueuedMessage]] = Emit("agent/queued")
"""Something was said to it and waits."""

AGENT_DROPPED: Emit[[Agent, tuple[QueuedMessage, ...]]] = Emit("agent/dropped")
"""These were queued and will not be sent (a cancel, the end); whoever typed them may want them back."""

AGENT_SESSION_START: Emit[[Agent, SessionStart]] = Emit("agent/session-start")
"""Once, after registration and before the loop starts. May ``inject``; can't veto."""

AGENT_PROMPT_SUBMIT: Waterfall[[Agent, QueuedMessage, CancelSignal], PromptDecision] = Waterfall(
    "agent/prompt-submit"
)
"""Once for each prompt, before it enters the history: let it in, rewrite it, add to it, or block it."""

AGENT_SESSION_PREFIX: Waterfall[[Agent, tuple[Message, ...], CancelSignal], tuple[Message, ...]] = Waterfall(
    "agent/session-prefix"
)
"""Composed once per loop instance from an empty seed. Return ``(*await next(), mine)``."""

AGENT_PRE_STEP: Serial[[Agent, PreStep], object] = Serial("agent/pre-step")
"""The place to change what the model sees (compaction). Results are ignored."""

AGENT_REQUEST: Waterfall[[Agent, int, int, CallConfig], CallConfig] = Waterfall("agent/request")
"""``(agent, turn, step, config)``: the config is frozen; return a replacement to change it."""

AGENT_REQUEST_ERROR: Waterfall[[Agent, RequestFailure], RequestErrorDecision] = Waterfall(
    "agent/request-error"
)
"""A request failed: ask again, ask in a new step, or (None) let the failure end the turn."""

AGENT_STEP_RESULT: Waterfall[[Agent, Message], Message] = Waterfall("agent/step-result")
"""Post-process the assembled answer before it is logged and its tools run."""

AGENT_TURN_CONTINUATION: Waterfall[[Agent, Continuation], ContinuationDecision] = Waterfall(
    "agent/turn-continuation"
)
"""After each step: does the turn go on? The default is what happens without listeners."""

AGENT_ERROR: Emit[[Agent, int, int, BaseException]] = Emit("agent/error")
"""``(agent, turn, step, error)``: something went wrong; the agent lives on. Step 0: outside any step."""
