"""The header line: project, branch and title on the left; state, elapsed time and what waits on the right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from dsh_tui.engine.projection.views import AgentState
from dsh_tui.widgets.columns import cut, spread
from dsh_tui.widgets.visible_text import one_line

SPINNER: Final = "◐◓◑◒"
"""One step each quarter of a second, and only while something runs."""

_STATE: Final[dict[AgentState, tuple[str, str, str]]] = {
    "idle": ("○", "ready", "$dim"),
    "running": ("●", "running", "$accent"),
    "waiting": ("◆", "waiting for you", "$waiting"),
    "stopping": ("◌", "stopping…", "$warning"),
    "disposed": ("○", "closed", "$dim"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderFacts:
    """What the header shows."""

    project: str
    branch: str = ""
    title: str = ""
    state: AgentState = "idle"
    elapsed_s: int | None = None
    """Whole seconds since the turn started."""
    waiting: int = 0
    """Approvals that wait for a person."""
    untrusted: int = 0
    """Things of the project that have no effect until they are trusted."""
    badge: str = ""
    """Replaces the state: ``starting…``, ``recording``, ``read-only``."""
    tick: int = 0
    """Quarter seconds, for the spinner."""


def clock(seconds: int) -> str:
    """``0:42``, ``12:05``, ``1:02:05``."""
    hours, rest = divmod(seconds, 3600)
    minutes = f"{rest // 60:02d}" if hours else f"{rest // 60}"
    return f"{hours}:{minutes}:{rest % 60:02d}" if hours else f"{minutes}:{rest % 60:02d}"


def header_line(facts: HeaderFacts, width: int) -> Content:
    """The line at ``width`` cells. Project and branch give way first, the state never."""
    glyph, word, style = _STATE[facts.state]
    if facts.badge:
        glyph, word, style = "◇", facts.badge, "$warning"
    elif facts.state in ("running", "stopping"):
        glyph = SPINNER[facts.tick % len(SPINNER)]
    right = [Content.styled(f"{glyph} {word}", style)]
    if facts.elapsed_s is not None and facts.state != "idle" and not facts.badge:
        right.append(Content.styled(f" {clock(facts.elapsed_s)}", "$dim"))
    if facts.waiting > (facts.state == "waiting") and width >= 60:
        right.append(Content.styled(f"   {facts.waiting} waiting", "$waiting"))
    if facts.untrusted and width >= 60:
        right.insert(0, Content.styled(f"{facts.untrusted} not trusted   ", "$warning"))
    state = Content("").join(right)
    room = width - state.cell_length - 2
    if room < 4:
        return state.truncate(width, ellipsis=True)
    project = Content.styled(cut(one_line(facts.project), 28), "bold")
    if facts.branch:
        project += Content.styled(f"  ⎇ {cut(one_line(facts.branch), 24)}", "$dim")
    title = one_line(facts.title)
    if not title:
        return spread(project, state, width)
    if room < 60 or project.cell_length + 10 > room:
        return spread(Content(cut(title, room)), state, width)
    gap = max(3, (width - len(title)) // 2 - project.cell_length)
    left = Content.assemble(project, " " * gap, cut(title, room - project.cell_length - gap))
    if left.cell_length > room:
        left = Content.assemble(project, "   ", cut(title, room - project.cell_length - 3))
    return spread(left, state, width)


class HeaderBar(Widget, can_focus=False):
    """One line over the transcript and a rule below it."""

    DEFAULT_CSS = """
    HeaderBar {
        height: 2;
        padding: 0 1;
        border-bottom: solid $rule;
        color: $foreground;
    }
    """

    facts: reactive[HeaderFacts] = reactive(HeaderFacts(project=""))

    def render(self) -> RenderResult:
        return header_line(self.facts, self.content_region.width)
