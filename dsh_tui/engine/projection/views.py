"""Views: what a screen may know of a session, frozen, cheap to compare, free of JSON.

Made by the folds of this package only; screens, exports and other front ends read them.
Text in views is raw: whoever draws it makes control characters visible.
Source: design §2 (prompt to pixels), core spec §3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

from dsh_tui.engine.modes.mode import DEFAULT_MODE
from dsh_tui.engine.projection.compaction_views import CompactionView
from dsh_tui.engine.projection.cost import NO_COST, CostView

CallState = Literal["streaming", "queued", "running", "waiting", "ok", "failed", "denied", "cancelled"]
AgentState = Literal["idle", "running", "waiting", "stopping", "disposed"]
Tone = Literal["info", "ok", "warning", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserView:
    """A prompt, a steering message, or context that a plugin added."""

    seq: int
    text: str
    time: int
    """Epoch milliseconds."""
    origin: Literal["prompt", "steering", "context", "blocked"] = "prompt"
    producer: str = ""
    """Plugin behind a context message, or the reason a prompt was blocked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingView:
    """What the model thought; folded to one line until opened."""

    seq: int
    text: str
    done: bool
    duration_ms: int
    started: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """Markdown from the model. While not ``done``, text only ever grows at the end."""

    seq: int
    text: str
    done: bool
    interrupted: bool = False
    answered_again: bool = False
    """Cut off, and a whole answer to the same request follows."""


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """Lines with their leading ``' '``, ``'-'`` or ``'+'``; starts are 1-based."""

    old_start: int
    new_start: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiffView:
    """One file's change."""

    path: str
    added: int
    removed: int
    hunks: tuple[DiffHunk, ...]
    created: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolView:
    """One tool call from its first streamed byte to its result."""

    seq: int
    call_id: str
    name: str
    verb: str
    """Read, Run, Edit, Write, Search, Find, Plan, or the tool's name."""
    subject: str
    """The object of the verb in one line: a path, a command, a pattern."""
    state: CallState
    arguments: str
    """Raw argument text as the model sent it."""
    output: str = ""
    summary: str = ""
    """The result in a few words, for the right column: ``80 lines``, ``exit 1``, ``+3 −1``."""
    diff: DiffView | None = None
    duration_ms: int | None = None
    started: int = 0
    feedback: str = ""
    """Words with which a person denied it."""
    plan: str = ""
    """Markdown of the plan that it hands over."""
    cut: Literal["", "may have run", "not started"] = ""
    """What is known of a call that a crash left without a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeView:
    """Something the log says that is neither the user nor the model: errors, stops, cuts, switches."""

    seq: int
    tone: Tone
    text: str
    hint: str = ""
    """The next thing to do, where there is one."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a turn did to one file, summed up."""

    path: str
    added: int
    removed: int
    created: bool


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command that a turn ran, and what came of it in a few words."""

    command: str
    result: str
    ok: bool
    duration_ms: int


@dataclass(frozen=True, slots=True)
class Decision:
    """A call that waited for a person, and what they said."""

    call: str
    outcome: str
    feedback: str


@dataclass(frozen=True, slots=True)
class ReceiptView:
    """What a turn changed, ran and asked."""

    files: tuple[FileChange, ...] = ()
    commands: tuple[CommandRun, ...] = ()
    decisions: tuple[Decision, ...] = ()
    calls: int = 0
    """Tool calls in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEndView:
    """Closes a turn: how it ended and what it took."""

    seq: int
    turn: int
    reason: str
    duration_ms: int
    tokens_in: int = 0
    tokens_out: int = 0
    cache_percent: int | None = None
    cost: CostView = NO_COST
    receipt: ReceiptView = ReceiptView()


BlockView: TypeAlias = (
    UserView | ThinkingView | AnswerView | ToolView | NoticeView | CompactionView | TurnEndView
)


@dataclass(frozen=True, slots=True)
class TodoView:
    """One line of the agent's plan."""

    content: str
    status: Literal["pending", "in_progress", "completed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardView:
    """What is to be approved, in full: a command, a diff, a plan (Markdown), or arguments."""

    kind: Literal["command", "diff", "plan", "generic"]
    text: str = ""
    cwd: str = ""
    description: str = ""
    diff: DiffView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalView:
    """A call that waits for a person."""

    id: str
    call_id: str
    tool: str
    verb: str
    subject: str
    reason: str
    card: CardView
    cwd: str
    arguments: str = ""
    """Raw argument text as the model sent it."""
    asked_by: str = ""
    """``mode``, the rule's text, or the plugin that asks."""
    danger: str = ""
    """What is known to be dangerous in it; the whole call must be seen before an allow counts."""
    place: tuple[int, int] | None = None
    """``(index, of)`` among the calls of its step that ask; 1-based."""
    agent: str = ""
    """Path of the agent that wants it, ``main agent › explore``; empty for the main agent."""
    session_id: str = ""
    session_title: str = ""
    """Not empty: it waits in another session, which goes on in the background."""


@dataclass(frozen=True, slots=True)
class AnswerIntent:
    """What a person answers. ``rules`` are texts of the proposal that was shown, kept for ``scope``."""

    allowed: bool
    feedback: str | None = None
    replacement: str | None = None
    """What they want to run instead of a refused call."""
    rules: tuple[str, ...] = ()
    scope: str = ""


@dataclass(frozen=True, slots=True)
class ProposalView:
    """The rules that together would allow exactly such calls from here on."""

    rules: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    """Earlier calls that they would have matched, newest first."""
    scopes: tuple[tuple[str, str], ...] = ()
    """``(scope, until when it holds)``, narrowest first."""
    why_not: str = ""
    """Why no rule can be offered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryView:
    """A failed request that will be sent again at ``due`` (epoch ms)."""

    attempt: int
    limit: int | None
    due: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusView:
    """The status bar's facts. Token counts are of the last request (``context_used``) or totals."""

    model: str = ""
    provider: str = ""
    effort: str = ""
    mode: str = DEFAULT_MODE
    state: AgentState = "idle"
    turn_started: int | None = None
    last_activity: int | None = None
    """When the model was last heard, epoch ms; None while nothing is asked of it."""
    context_used: int = 0
    context_window: int | None = None
    cache_percent: int | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    cost: CostView = NO_COST
    turns: int = 0
    retry: RetryView | None = None
    summarising: bool = False
    """The early history is being summarised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatView:
    """All that the chat screen shows. ``blocks`` is a read-only live sequence, never copied.

    ``changed_from`` is the lowest index of ``blocks`` that may differ from the last view
    (``len(blocks)`` if none); ``generation`` changes when it is another session altogether.
    """

    session_id: str
    title: str
    cwd: str
    blocks: Sequence[BlockView]
    changed_from: int
    generation: int
    status: StatusView = field(default_factory=StatusView)
    todos: tuple[TodoView, ...] = ()
    approvals: tuple[ApprovalView, ...] = ()
    queue: tuple[str, ...] = ()
    queue_paused: bool = False
    steering: tuple[str, ...] = ()
    """Said to the running turn and not read by it yet."""
    read_only: str = ""
    """Why nothing can be sent, or empty."""
    copies: bool = False
    """Whether what is sent goes on in a copy all the same."""
    lost_directory: str = ""
    """What is wrong with its directory, where the session waits for another."""
    untrusted: int = 0
    """How many things of the project would take effect if it were trusted."""
    asks_trust: bool = False
    """Whether that is to be asked, as soon as nobody is typing."""

    def at_rest(self, *, keep_approvals: bool) -> ChatView:
        """The view of a log that nobody works on: no time passes in it, and nothing can be answered.

        A recording keeps the approvals, to show how they were asked.
        """
        status = replace(self.status, state="idle", turn_started=None, last_activity=None, retry=None)
        return replace(self, status=status, approvals=self.approvals if keep_approvals else ())


class SessionRow(NamedTuple):
    """One line of the session browser.

    A tuple, because ten thousand of them are made before the browser paints: 3 ms instead of 25.
    """

    id: str
    title: str
    cwd: str
    project: str
    created_at: int
    updated_at: int
    turns: int
    status: Literal["ok", "damaged", "busy", "foreign-version"]
    source: Literal["dsh-tui", "dsh"] = "dsh-tui"
    """Whose home it lies in; those of ``dsh`` are only read."""
    parent: str | None = None
    origin: str | None = None
    """``subagent``, or None for a session that a person began."""
    note: str = ""
    activity: Literal["", "running", "waiting"] = ""
    """What its agent does in this process; ``waiting`` for an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHit:
    """A place in a session where what was searched for was said."""

    session_id: str
    seq: int
    speaker: Literal["title", "user", "model", "call"]
    text: str
    """One line around it."""
    marks: tuple[tuple[int, int], ...] = ()
    """Where in ``text`` the words are: start and end."""


@dataclass(frozen=True, slots=True)
class SessionHits:
    """What a search found: the newest places, and how many sessions there are in all."""

    hits: tuple[SessionHit, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One choice of the model picker."""

    provider: str
    model: str
    efforts: tuple[str, ...]
    default_effort: str
    context_window: int | None
    current: bool = False
