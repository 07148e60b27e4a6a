"""Tools as values: what a tool is, one call of it, and what comes out.

A definition is immutable and shared by all sessions; everything that belongs to one
call travels in `ToolCall`. Pydantic is named here for the type checker only: argument
models are validated in `tools.arguments` and nowhere else.
Source: core spec §6; capabilities B1.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.frozen import JsonObject
from dsh_tui.engine.llm.blocks import Block

if TYPE_CHECKING:
    from pydantic import BaseModel

    from dsh_tui.engine.agent.agent import Agent
    from dsh_tui.engine.session.session import Session
    from dsh_tui.engine.tools.errors import ErrorInfo

A = TypeVar("A", bound="BaseModel")

ToolKind: TypeAlias = Literal["read", "edit", "delete", "move", "search", "execute", "fetch", "other"]
"""What a call does to the world, in the words that editors know too."""


@dataclass(slots=True)
class Admission:
    """What a call was decided on: written while it is admitted, and its body keeps to it."""

    mode: str | None = None
    """The mode that decided; None: no mode was asked."""
    paths: dict[str, Path] = field(default_factory=dict)
    """The real files that were looked at, by the words of the arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call, as the model asked for it. The arguments never change on their way to the body."""

    agent: Agent
    session: Session
    turn: int
    step: int
    call_id: str
    """The id of the model's own block; nobody else mints one."""
    name: str
    arguments: str
    """The raw text that the model sent, JSON or not."""
    args: Any  # Any: frozen JSON; an object where valid, else the raw text
    signal: CancelSignal
    cwd: Path
    """The session's directory; relative paths resolve against it."""
    admission: Admission = field(default_factory=Admission, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a call came to. ``content`` is for the model, ``meta`` (JSON) for whoever shows it."""

    content: str | tuple[Block, ...]
    meta: JsonObject | None = None
    is_error: bool = False
    error: ErrorInfo | None = None
    concludes: bool = False
    """True: the turn need not go on after this step (its default becomes stop)."""


@dataclass(frozen=True, kw_only=True)  # no slots: with them `ToolDefinition[Args](…)` raises on 3.11
class ToolDefinition(Generic[A]):
    """A tool the model may call.

    ``parameters`` is a frozen pydantic model that forbids extras; its schema goes to the
    model. ``execute`` gets the validated model and the call, awaits cooperatively, and
    heeds ``call.signal``.
    """

    name: str
    description: str
    parameters: type[A]
    execute: Callable[[A, ToolCall], Awaitable[ToolOutput]]
    kind: ToolKind
    changes: bool = True
    """False: it only looks. Plan mode lets such tools run."""
    confined: bool = False
    """True: it keeps itself to the bounds of the session's sandbox, so that sandbox mode lets it run."""
    is_concurrency_safe: Callable[[A], bool] | None = None
    """Exactly True: the body may run beside other bodies of the same step."""
    preview: Callable[[A, ToolCall], Awaitable[JsonObject | None]] | None = None
    """A card (JSON) for the person who approves, computed before asking. A `ToolError`: it can't succeed."""
    inside_workspace: Callable[[A, ToolCall], bool] | None = None
    """True if all it touches lies inside ``call.cwd``, links and ``..`` resolved."""
    timeout_ms: Callable[[A], int | None] | None = None
    """A deadline for the body, kept cooperatively by cancelling ``call.signal``."""
    finalize: Callable[[ToolOutput], ToolOutput] | None = None
    """A last word on the output, after every listener; must be quick and pure."""


AnyTool: TypeAlias = ToolDefinition[Any]  # Any: the registry holds tools of every argument model
