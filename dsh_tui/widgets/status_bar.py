"""The status bar: mode, model, context, cache, cost, tokens, silence and state in one line.

At narrow widths fields go from the right; mode and state never do. A notice takes the place
of all but mode and state for as long as it takes to read; one that does not fit has rows of its own
above them.
Source: screens spec (chat); UX spec §4; design §3 row 11 (silence is shown).
"""

from __future__ import annotations

from typing import Final

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from dsh_tui.engine.projection.views import StatusView
from dsh_tui.widgets import mode_look
from dsh_tui.widgets.columns import cut, gauge
from dsh_tui.widgets.visible_text import one_line

SILENCE_MS: Final = 2_000
"""Silence of the model that is worth saying."""
NOTICE_SECONDS: Final = 5.0
READ_A_SECOND: Final = 20
"""Characters beyond a short line that a person reads in a second."""
NOTICE_ROWS: Final = 3
ROOM_FOR_ROWS: Final = 12
"""Rows of a screen from which a notice may take more than the line."""

_TONES: Final = {"info": "$foreground", "ok": "$ok", "warning": "$warning", "error": "$error"}
_STATES: Final = {
    "idle": ("ready", "$dim"),
    "running": ("running", "$accent"),
    "waiting": ("waiting for you", "$waiting"),
    "stopping": ("stopping…", "$warning"),
    "disposed": ("closed", "$dim"),
}


def amount(count: int) -> str:
    """``950``, ``12.4k``, ``1.2M``."""
    if count < 1_000:
        return str(count)
    for limit, unit in ((1_000_000, "k"), (1_000_000_000, "M")):
        if count < limit:
            return f"{count / (limit / 1_000):.1f}".removesuffix(".0") + unit
    return f"{count / 1_000_000_000:.1f}G"


def status_fields(status: StatusView, now_ms: int) -> list[Content]:
    """The fields between mode and state, in the order in which they are kept."""
    fields: list[Content] = []
    if status.retry is not None:
        left = max(0, -(-(status.retry.due - now_ms) // 1_000))
        of = f" of {status.retry.limit}" if status.retry.limit else ""
        fields.append(Content.styled(f"retry {status.retry.attempt}{of} in {left} s", "$warning"))
    if status.summarising:
        fields.append(Content.styled("summarising the history", "$accent"))
    if status.model:
        effort = (f" {one_line(status.effort)}", "$dim") if status.effort else ""
        fields.append(Content.assemble(one_line(status.model), effort))
    if status.state == "running" and status.last_activity is not None and status.retry is None:
        silent = now_ms - status.last_activity
        if silent > SILENCE_MS:
            fields.insert(0, Content.styled(f"model silent {silent // 1_000} s", "$warning"))
    if status.context_window:
        percent = status.context_used / status.context_window * 100
        style = "$error" if percent >= 90 else "$warning" if percent >= 75 else "$accent"
        fields.append(
            Content.assemble(
                ("context ", "$dim"), (gauge(percent, 5), f"{style} on $rule"), f" {percent:.0f} %"
            )
        )
    if status.cache_percent is not None:
        fields.append(Content.assemble(("cache ", "$dim"), f"{status.cache_percent} %"))
    if status.cost.words:
        fields.append(Content.styled(status.cost.words, "$dim"))
    if status.tokens_in or status.tokens_out:
        fields.append(Content.styled(f"↑{amount(status.tokens_in)} ↓{amount(status.tokens_out)}", "$dim"))
    return fields


def _ends(status: StatusView, badge: str) -> tuple[Content, Content]:
    """Mode and state, which always stay."""
    word, style = _STATES.get(status.state, (status.state, "$dim"))
    state = Content.styled(badge, "$warning") if badge else Content.styled(word, style)
    return mode_look.badge(status.mode), state


def notice_rows(notice: Content, status: StatusView, width: int, badge: str = "") -> list[Content]:
    """The rows of a notice that does not fit into the line; none if it does."""
    if width <= 0 or notice.cell_length <= width - sum(end.cell_length for end in _ends(status, badge)) - 4:
        return []
    rows = notice.wrap(width)
    if len(rows) > NOTICE_ROWS:
        rest = Content(" ").join(rows[NOTICE_ROWS - 1 :])
        rows = [*rows[: NOTICE_ROWS - 1], rest.truncate(width, ellipsis=True)]
    return [row.rstrip() for row in rows]


def status_line(
    status: StatusView, now_ms: int, width: int, notice: Content | None, hint: str = "", badge: str = ""
) -> Content:
    """The whole line at ``width`` cells; ``badge`` stands in the state's place."""
    mode, state = _ends(status, badge)
    room = width - mode.cell_length - state.cell_length - 4
    if room < 0:
        return Content.assemble(mode, " ", state).truncate(width, ellipsis=True)
    middle = Content("")
    if notice is not None:
        middle = notice.truncate(room, ellipsis=True)
    else:
        for field in [*status_fields(status, now_ms), *([Content.styled(hint, "$dim")] if hint else [])]:
            gap = "   " if middle else ""
            if middle.cell_length + len(gap) + field.cell_length > room:
                break
            middle = Content.assemble(middle, gap, field)
    fill = " " * (room - middle.cell_length + 2)
    return Content.assemble(mode, "  ", middle, fill, state)


class StatusBar(Widget, can_focus=False):
    """The last line of the chat screen."""

    DEFAULT_CSS = "StatusBar { height: 1; padding: 0 1; color: $foreground; }"

    status: reactive[StatusView] = reactive(StatusView())
    now_ms: reactive[int] = reactive(0)
    """Wall time, set by the screen while something runs."""
    badge: reactive[str] = reactive("")
    """What the screen shows, where that is no live session: ``recording``, ``read-only``."""
    hint: reactive[str] = reactive("ctrl+p palette  ? keys")
    _notice: reactive[Content | None] = reactive(None)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._fading: Timer | None = None
        self._rows_taken = 1

    def notice(self, text: str, tone: str = "info") -> None:
        """Say something for as long as it takes to read."""
        said = cut(one_line(text), 400)
        self._notice = Content.styled(said, _TONES.get(tone, "$foreground"))
        if self._fading is not None:
            self._fading.stop()
        self._fading = self.set_timer(NOTICE_SECONDS + len(said) / READ_A_SECOND, self.clear_notice)

    def clear_notice(self) -> None:
        """Show the fields again."""
        self._notice = None

    def watch__notice(self) -> None:
        self._make_room()

    def on_resize(self) -> None:
        self._make_room()

    def _make_room(self) -> None:
        """As high as the notice needs; the line alone on a small screen."""
        roomy = self.is_attached and self.screen.size.height >= ROOM_FOR_ROWS
        height = 1 + (len(self._rows()) if roomy else 0)
        if height != self._rows_taken:
            self._rows_taken = self.styles.height = height

    def _rows(self) -> list[Content]:
        if self._notice is None:
            return []
        return notice_rows(self._notice, self.status, self.content_region.width, self.badge)

    def render(self) -> RenderResult:
        width, notice, rows = self.content_region.width, self._notice, []
        if self.content_region.height > 1:
            rows, notice = self._rows(), None
        line = status_line(self.status, self.now_ms, width, notice, self.hint, self.badge)
        return Content("\n").join([*rows, line])
