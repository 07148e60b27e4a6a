"""The agent: one conversation that can be talked to, steered and stopped.

Front ends hold an `Agent`; only the owner who created it holds the `AgentHandle`, whose
``dispose`` is the capability to end it. Source: core spec §7.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from dsh_tui.engine.llm.blocks import Block
from dsh_tui.engine.llm.messages import Source

if TYPE_CHECKING:
    from dsh_tui.engine.base.cancel import CancelSignal
    from dsh_tui.engine.kernel import Context
    from dsh_tui.engine.session.session import Session

AgentStatus: TypeAlias = Literal["idle", "running", "disposed"]
SessionStart: TypeAlias = Literal["startup", "resume", "clear", "compact"]
Content: TypeAlias = str | Sequence[Block]
Errand: TypeAlias = "Callable[[CancelSignal], Coroutine[Any, Any, None]]"  # Any: asyncio's own
"""Work that an agent does instead of a turn; its signal is the one that `Agent.cancel` fires."""

USER_CAUSE: Mapping[str, Any] = {"kind": "user"}  # Any: JSON, open registry of causes


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOptions:
    """Which model to use. What is ``None`` comes from the session's log, then from the settings."""

    provider: str | None = None
    model: str | None = None
    effort: str | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that waits for its turn, or for the next step of the running one (``steering``)."""

    id: str
    content: tuple[Block, ...]
    source: Source
    steering: bool = False


class Agent(Protocol):
    """A live conversation. ``id`` is its session's id.

    After disposal ``send``, ``steer`` and ``inject`` raise `AgentDisposedError`.
    """

    @property
    def id(self) -> str: ...

    @property
    def ctx(self) -> Context:
        """The agent's own scope: what is registered here only it sees, for as long as it lives."""

    @property
    def session(self) -> Session: ...

    @property
    def options(self) -> AgentOptions:
        """What the next request asks: as created, resumed or selected since."""

    @property
    def status(self) -> AgentStatus: ...

    @property
    def queued(self) -> tuple[QueuedMessage, ...]:
        """What waits, in order: prompts of the next turn first, then steering."""

    def send(self, content: Content, *, source: Source | None = None) -> str:
        """Queue a prompt and return its message id; a turn starts when the agent is idle.

        Everything queued when a turn starts belongs to that turn.
        """

    def steer(self, content: Content, *, source: Source | None = None) -> str:
        """Tell the running turn something before its next step; when idle, the same as `send`."""

    def inject(self, content: Content, *, source: Source) -> None:
        """Add context that the next request sees, without running the model.

        Joins the open turn; while idle it is a one-shot turn of its own.
        """

    def occupy(self, errand: Errand) -> None:
        """Run work on the session with no turn beside it; prompts wait behind it as behind a turn.

        Raises:
            AgentBusyError: something runs or waits already.
        """

    def cancel(self, reason: str = "cancelled", cause: Mapping[str, Any] = USER_CAUSE) -> None:
        """Stop what runs and drop what waits. Idle with nothing queued: nothing happens."""

    def select_model(self, provider: str, model: str, effort: str | None = None) -> None:
        """Log another model; it serves from the next step on."""

    async def when_idle(self) -> None:
        """Wait until nothing runs and nothing waits, the log flushed; after disposal, the loop's exit."""


@dataclass(frozen=True, slots=True)
class AgentHandle:
    """An agent and the right to end it. ``dispose`` may be awaited by many, and runs once."""

    agent: Agent
    dispose: Callable[[], Awaitable[None]]
