"""THE table: every action once, with id, label, keys and slash name.

Bindings, the command palette, slash completion, key help and docs are made from it, so
they cannot disagree. An action is done by the method ``action_<id with underscores>`` of
the chat screen, those of the session browser and of the transcript by that of their own.
Source: UX spec §4 (recommended bindings); design §5.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from textual.binding import Binding

from dsh_tui.engine.projection.mode_names import CYCLE, MODES_KNOWN

Place = Literal["app", "composer", "dock", "browser", "transcript"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing a person can do."""

    id: str
    label: str
    group: str
    keys: tuple[str, ...] = ()
    """Textual key names; the first is the one that help shows first."""
    leader: str = ""
    """Key after ``ctrl+x``, or empty."""
    slash: str = ""
    """Name of the slash command, or empty."""
    aliases: tuple[str, ...] = ()
    """Names that people bring along from other programs: they run, and completion offers ``slash``."""
    argument: str = ""
    """What the slash command takes after its name, in words; empty if nothing."""
    help: str = ""
    place: Place = "app"
    """Who listens: the chat screen, a widget that shows its own keys, the session browser, the transcript."""
    offered: bool = True
    """Whether the palette lists it; plain movements need no name."""
    first: bool = False
    """Bound with priority: works whatever widget has the focus."""

    @property
    def method(self) -> str:
        """Name of the Textual action."""
        return self.id.replace(".", "_").replace("-", "_")


ACTIONS: Final[tuple[Action, ...]] = (
    # Writing
    Action(id="prompt.send", label="Send", group="Writing", keys=("enter",), place="composer",
           help="while a turn runs, it queues"),
    Action(id="prompt.newline", label="New line", group="Writing",
           keys=("ctrl+j", "shift+enter", "alt+enter"), place="composer",
           help="a backslash before enter works too"),
    Action(id="prompt.steer", label="Steer the running turn", group="Writing", leader="enter",
           help="the model reads it at its next step"),
    Action(id="prompt.history", label="Search earlier prompts", group="Writing", keys=("ctrl+r",),
           help="↑ ↓ at the draft's edge step too, into earlier sessions here"),
    Action(id="prompt.editor", label="Edit the draft in $EDITOR", group="Writing", keys=("ctrl+g",),
           leader="e", slash="editor"),
    Action(id="prompt.undo", label="Undo in the draft", group="Writing",
           keys=("ctrl+underscore", "ctrl+minus"), place="composer", help="ctrl+y does it again"),
    Action(id="prompt.expand", label="Expand pasted text", group="Writing",
           slash="expand-paste"),
    Action(id="prompt.commands", label="Commands", group="Writing", keys=("/",), place="composer",
           help="at the start of a draft"),
    Action(id="prompt.files", label="Mention a file", group="Writing", keys=("@",), place="composer"),
    Action(id="prompt.shell", label="A command of your own", group="Writing", keys=("!",), place="composer",
           help="at the start of a draft; what it prints comes into the draft"),
    # Turn
    Action(id="turn.interrupt", label="Close, else interrupt", group="Turn", keys=("escape",), slash="stop",
           help="stops the turn and pauses the queue"),
    Action(id="turn.ctrl-c", label="Copy, interrupt, clear, quit", group="Turn", keys=("ctrl+c",), first=True,
           offered=False,
           help="what applies first; twice quits"),
    Action(id="queue.edit", label="Go to the queue", group="Turn", leader="q", slash="queue",
           help="edit or remove what waits"),
    Action(id="queue.resume", label="Resume the queue", group="Turn", leader="r", slash="resume-queue"),
    # Approvals
    Action(id="approval.review", label="Review what waits", group="Approvals", keys=("f8",), leader="y",
           slash="review", first=True, help="answer the question above the draft"),
    Action(id="approval.allow", label="Allow once", group="Approvals", keys=("1", "y"), place="dock"),
    Action(id="approval.session", label="Allow by a session rule", group="Approvals", keys=("2",),
           place="dock", help="shows the rule first"),
    Action(id="approval.always", label="Always allow by a rule", group="Approvals", keys=("3",),
           place="dock", help="in this project or in all; shows the rule first"),
    Action(id="approval.deny", label="Deny", group="Approvals", keys=("4", "n"), place="dock"),
    Action(id="approval.say-why", label="Deny, and say why", group="Approvals", keys=("5",), place="dock",
           help="or what should be done instead"),
    Action(id="approval.full", label="Full view", group="Approvals", keys=("f",), place="dock",
           help="what is dangerous must be read there first"),
    Action(id="approval.explain", label="Explain", group="Approvals", keys=("?",), place="dock"),
    Action(id="permissions.show", label="Permissions", group="Approvals", leader="u", slash="permissions",
           aliases=("approvals",), help="rules in force, past decisions, and what a rule would have done"),
    # Session
    Action(id="session.browse", label="Sessions", group="Session", leader="l", slash="sessions",
           aliases=("resume", "continue"), help="find, read and continue earlier ones"),
    Action(id="session.new", label="New session", group="Session", leader="n", slash="new",
           aliases=("clear",)),
    Action(id="session.fork", label="Fork this session", group="Session", leader="f", slash="fork",
           aliases=("branch",), help="go on in a copy; this one stays as it is"),
    Action(id="session.rename", label="Rename this session", group="Session", slash="rename",
           argument="title"),
    Action(id="session.compact", label="Summarise the early history", group="Session", slash="compact",
           aliases=("compress", "summarize"), argument="what to keep in mind",
           help="says first what it saves and costs; nothing is deleted"),
    Action(id="session.move", label="Go on in another directory", group="Session", slash="directory",
           help="for a session whose own is lost"),
    Action(id="session.copy", label="Copy the last answer", group="Session", leader="c", slash="copy"),
    Action(id="model.pick", label="Model and effort", group="Session", leader="m", slash="model"),
    Action(id="mode.cycle", label="Next mode", group="Session", keys=("shift+tab",),
           help=" → ".join((*CYCLE, CYCLE[0]))),
    Action(id="mode.set", label="Set the mode", group="Session", slash="mode",
           argument="|".join(MODES_KNOWN)),
    Action(id="mode.full", label="Full access", group="Session", slash="full",
           help="nothing asks any more; you confirm it"),
    # In the transcript, once it has the keys
    Action(id="transcript.next", label="Next block", group="In the transcript", keys=("j",),
           place="transcript"),
    Action(id="transcript.previous", label="Previous block", group="In the transcript", keys=("k",),
           place="transcript"),
    Action(id="transcript.prompt-back", label="Previous prompt", group="In the transcript",
           keys=("left_curly_bracket",), place="transcript"),
    Action(id="transcript.prompt-on", label="Next prompt", group="In the transcript",
           keys=("right_curly_bracket",), place="transcript"),
    Action(id="transcript.fold", label="Open or fold the block", group="In the transcript",
           keys=("enter", "space"), place="transcript"),
    Action(id="transcript.copy", label="Copy the block", group="In the transcript", keys=("y",),
           place="transcript", help="its source: Markdown, command and output, diff"),
    Action(id="transcript.copy-code", label="Copy the code", group="In the transcript", keys=("c",),
           place="transcript", help="the first piece of the answer that is in view"),
    Action(id="transcript.find", label="Find", group="In the transcript", keys=("slash",),
           place="transcript"),
    Action(id="transcript.find-older", label="Next older place", group="In the transcript", keys=("n",),
           place="transcript", help="of what was looked for"),
    Action(id="transcript.find-newer", label="Next newer place", group="In the transcript", keys=("N",),
           place="transcript"),
    Action(id="transcript.first", label="To the beginning", group="In the transcript", keys=("g", "home"),
           place="transcript"),
    Action(id="transcript.newest", label="To the end", group="In the transcript", keys=("G", "end"),
           place="transcript", help="and follow it"),
    # In the session browser, where every letter filters
    Action(id="browser.open", label="Open", group="In the session list", keys=("enter",), place="browser"),
    Action(id="browser.filter", label="Filter", group="In the session list", keys=("/",), place="browser",
           help="or just type"),
    Action(id="browser.scope", label="What is listed", group="In the session list", keys=("tab",),
           place="browser", first=True, help="this project, all projects, all by time"),
    Action(id="browser.new", label="Begin a new session", group="In the session list", keys=("ctrl+n",),
           place="browser", first=True),
    Action(id="browser.fork", label="Fork it", group="In the session list", keys=("ctrl+f", "f4"),
           place="browser", first=True),
    Action(id="browser.rename", label="Rename it", group="In the session list", keys=("f2",),
           place="browser", first=True),
    Action(id="browser.export", label="Export it", group="In the session list", keys=("ctrl+s",),
           place="browser", first=True, help="as Markdown, JSON lines or ZIP"),
    Action(id="browser.repair", label="Open a repaired copy", group="In the session list", keys=("ctrl+r",),
           place="browser", first=True, help="of a damaged one"),
    Action(id="browser.delete", label="Delete it", group="In the session list", keys=("ctrl+d",),
           place="browser", first=True, help="del does too, unless a filter is typed"),
    Action(id="browser.undo", label="Undo deleting", group="In the session list", keys=("ctrl+z",),
           place="browser", first=True),
    Action(id="browser.leave", label="Clear the filter, else go back", group="In the session list",
           keys=("escape",), place="browser"),
    # View
    Action(id="view.palette", label="Command palette", group="View", keys=("ctrl+p",), leader="p"),
    Action(id="view.help", label="Keys and commands", group="View", keys=("f1",), leader="h",
           slash="help", aliases=("keys", "commands"), help="or ? on an empty draft"),
    Action(id="view.find", label="Find in this session", group="View", keys=("ctrl+f",), leader="slash",
           slash="find", aliases=("search",), argument="words", first=True,
           help="what was said and shown, also in what is folded"),
    Action(id="view.expand", label="Open or fold everything", group="View", keys=("ctrl+o",), leader="o",
           slash="expand", help="thoughts, tool calls, context; enter in the transcript does one"),
    Action(id="view.todos", label="Show or fold the plan", group="View", keys=("ctrl+t",), leader="t",
           slash="todos"),
    Action(id="view.transcript", label="Go to the transcript", group="View", leader="v", slash="transcript",
           help="tab on an empty draft; esc comes back"),
    Action(id="timeline.show", label="Timeline", group="View", leader="g", slash="timeline",
           aliases=("rewind",), help="any point of this session, read-only; esc esc on an empty draft"),
    Action(id="request.show", label="Request", group="View", leader="i", slash="request",
           aliases=("context",), help="what the model was sent, and what the cache made of it"),
    Action(id="view.page-up", label="Page up", group="View", keys=("pageup",), offered=False),
    Action(id="view.page-down", label="Page down", group="View", keys=("pagedown",), offered=False),
    Action(id="view.end", label="Follow the end", group="View", keys=("ctrl+end",), offered=False),
    Action(id="view.redraw", label="Draw the screen anew", group="View", keys=("ctrl+l",), offered=False,
           help="when something else wrote on it"),
    Action(id="view.theme", label="Light or dark", group="View", slash="theme"),
    # Setting up
    Action(id="setup.key", label="Enter an API key", group="Setting up", slash="key", aliases=("login",)),
    Action(id="setup.server", label="Use a local server", group="Setting up", slash="server"),
    Action(id="trust.show", label="Folder trust", group="Setting up", slash="trust",
           help="what this project would load, and whether it may"),
    # Leaving
    Action(id="app.leave-empty", label="Quit", group="Leaving", keys=("ctrl+d",), place="composer",
           help="twice, on an empty draft"),
    Action(id="app.suspend", label="Suspend", group="Leaving", keys=("ctrl+z",), slash="suspend", first=True,
           help="back to the shell; fg there brings it back"),
    Action(id="app.quit", label="Quit", group="Leaving", keys=("ctrl+q",), slash="quit",
           aliases=("exit", "q"), first=True),
)  # fmt: skip

BY_ID: Final = {action.id: action for action in ACTIONS}
BY_SLASH: Final = {action.slash: action for action in ACTIONS if action.slash}
BY_NAME: Final = {
    **{alias: action for action in ACTIONS for alias in action.aliases},
    **BY_SLASH,
}
"""Every name that runs after a slash."""
BY_LEADER: Final = {action.leader: action for action in ACTIONS if action.leader}
LEADER: Final = "ctrl+x"

_KEY_NAMES: Final = {
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "underscore": "_",
    "slash": "/",
    "minus": "-",
}


def key_label(key: str) -> str:
    """A key as help shows it: ``escape`` → ``esc``."""
    return "+".join(_KEY_NAMES.get(part, part) for part in key.split("+"))


def keys_of(action: Action) -> tuple[str, ...]:
    """All ways to reach an action by keys, the leader form last."""
    keys = tuple(key_label(key) for key in action.keys)
    return (*keys, f"{LEADER} {key_label(action.leader)}") if action.leader else keys


def bindings(actions: Iterable[Action] = ACTIONS, *, place: Place = "app") -> list[Binding]:
    """Textual bindings of the actions that the screen or widget of this place does itself."""
    return [
        Binding(",".join(a.keys), a.method, a.label, show=False, priority=a.first, id=a.id)
        for a in actions
        if a.keys and a.place == place
    ]
