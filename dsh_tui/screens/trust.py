"""Folder trust: everything of a project that would take effect, with its content, and the answers.

Nothing is trusted by accident: no answer is focused, none has a key of its own, and enter on one counts
only after quiet since the screen came (`Arming`). Whatever writes was meant for the draft: the screen
steps aside for it. Source: design §3.14; UX spec §4 (approval dock contract).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from dsh_tui.engine.base.visible import exact_line
from dsh_tui.engine.projection.trust_views import TrustAnswer, TrustEntry, TrustQuestion
from dsh_tui.widgets.arming import Arming
from dsh_tui.widgets.card_rows import text_rows
from dsh_tui.widgets.card_text import CardText
from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.trust_answers import TrustAnswers
from dsh_tui.widgets.trust_list import Never, TrustList, TrustRow, rows_of

LANGUAGES: Final = {"plugin": "python", "rules": "yaml", "instructions": "markdown"}
SMALLEST: Final = (60, 14)
"""Columns and rows of the terminal below which too little can be read to be answered."""
EXPLANATION: Final = (
    "None of this has any effect until you trust it. Plugins are programs with your rights; instructions "
    "steer the model. A change asks again."
)
SETTLED: Final = "What is trusted here takes effect as it was shown. A change asks again."

Answered = Callable[[TrustAnswer], Awaitable[None]]


class TrustScreen(Screen[events.Key | events.Paste | None]):
    """Closes with None once answered, or with what was typed and belongs to the draft."""

    AUTO_FOCUS = "TrustList"
    VERTICAL_BREAKPOINTS = [(0, "-short"), (SMALLEST[1], "-roomy")]  # noqa: RUF012 - Textual declares it so
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Not now", show=False),
        Binding("left,shift+tab", "choose(-1)", "Answer before", show=False, priority=True),
        Binding("right,tab", "choose(1)", "Answer behind", show=False, priority=True),
        Binding("pageup", "scroll('up')", "Page up", show=False, priority=True),
        Binding("pagedown", "scroll('down')", "Page down", show=False, priority=True),
    ]

    def __init__(self, question: TrustQuestion, answered: Answered, monotonic: Callable[[], float]) -> None:
        super().__init__()
        self._question, self._answered = question, answered
        self._arming = Arming(monotonic)
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        self._rows: list[TrustRow] = rows_of(self._question)
        self._list = TrustList(id="entries")
        self._answers = TrustAnswers(id="answers")
        self._card = CardText(id="card")
        yield Static(id="title", markup=False)
        explanation = EXPLANATION if self._question.pending else SETTLED
        yield Static(explanation, markup=False, id="explanation")
        yield self._list
        yield Static(id="about", markup=False)
        yield self._card
        yield self._answers
        yield Static(id="place", markup=False)

    def on_mount(self) -> None:
        self._answers.answers = self._question.answers
        self._list.show(self._rows)
        self._arming.began()
        self.tick()

    @property
    def armed(self) -> bool:
        """Whether an answer counts now."""
        return self._arming.armed and self._has_room

    # Events

    def on_key(self, event: events.Key) -> None:
        self._arming.key()
        self.tick()
        if event.key == "enter" and self._answers.focused is not None:
            event.stop()
            if self.armed:
                self._answer(self._answers.answer)
        elif event.is_printable or (event.key == "enter" and not self.armed):
            event.stop()
            event.prevent_default()
            self.dismiss(event)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.dismiss(event)

    def on_app_focus(self) -> None:
        self._disturbed()

    def on_resize(self) -> None:
        self._draw_title()
        self._draw_about()
        self._disturbed()

    @on(RowList.Highlighted)
    def _highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._draw_entry()

    @on(TrustAnswers.Clicked)
    def _clicked(self, event: TrustAnswers.Clicked) -> None:
        event.stop()
        if self.armed:
            self._answer(event.answer)

    @on(CardText.Measured)
    def _measured(self) -> None:
        self._draw_about()

    # Actions

    def action_choose(self, by: int) -> None:
        self._arming.key()
        self._answers.move(by)
        self.tick()

    def action_scroll(self, where: str) -> None:
        getattr(self._card, f"scroll_page_{where}")(animate=False)

    def action_leave(self) -> None:
        self._answer("later" if self._question.pending else "leave")

    # Private

    def _answer(self, answer: TrustAnswer | None) -> None:
        if answer is not None:
            self.run_worker(self._give(answer), group="answer", exclusive=True, exit_on_error=False)

    async def _give(self, answer: TrustAnswer) -> None:
        try:
            await self._answered(answer)
        except Exception as error:  # noqa: BLE001 - whatever it is, the person reads it and can answer again
            self.query_one("#place", Static).update(
                Content.styled(exact_line(str(error)) or type(error).__name__, "$error")
            )
        else:
            self.dismiss(None)

    def _disturbed(self) -> None:
        self._arming.disturbed()
        self.tick()

    def tick(self) -> None:
        """Do what time allows: arm, and say so."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._answers.armed = self.armed
        self._draw_place()
        if wait := self._arming.until_armed():
            self._timer = self.set_timer(wait + 0.005, self.tick)

    @property
    def _has_room(self) -> bool:
        return self.app.size.width >= SMALLEST[0] and self.app.size.height >= SMALLEST[1]

    def _draw_title(self) -> None:
        words = "Trust this folder?" if self._question.pending else "Folder trust"
        path = exact_line(self._question.project)
        room = max(10, self.size.width) - len(words) - 2
        if cell_len(path) > room:
            path = f"…{set_cell_size(path[::-1], room - 1)[::-1]}"  # its end says more
        title = spread(Content.styled(words, "bold $accent"), Content.styled(path, "$dim"), self.size.width)
        self.query_one("#title", Static).update(title)

    def _draw_about(self) -> None:
        """The name of what is read, what of it never counts, and how much of it is out of view."""
        row = self._list.row
        if isinstance(row, TrustEntry):
            hidden = f"the last {row.hidden:,} characters are not shown here" if row.hidden else ""
            said = " · ".join(filter(None, (exact_line(row.note), hidden)))
            about = Content.assemble((exact_line(row.path), "bold"), (f"  {said}", "$warning"))
        else:
            words = f"{row.path}: {row.why}" if isinstance(row, Never) else "Nothing here would take effect"
            about = Content.styled(exact_line(words), "$dim")
        more = f"  ▼ {self._card.below:,} more lines" if self._card.below else ""
        drawn = spread(about, Content.styled(more, "$warning"), max(10, self.size.width))
        self.query_one("#about", Static).update(drawn)

    def _draw_entry(self) -> None:
        row = self._list.row
        if isinstance(row, TrustEntry):
            text, language = row.text, LANGUAGES[row.kind]
            self._card.show(
                lambda width, palette: (
                    text_rows(text, width, palette, language=language) or text_rows("(empty)", width, palette)
                )
            )
        else:
            self._card.show(lambda width, palette: text_rows("", width, palette))
        self._draw_about()

    def _draw_place(self) -> None:
        leave = "esc not now" if self._question.pending else "esc back"
        keys = f"↑ ↓ look · pgup pgdn read · ← → choose · enter answers · {leave}"
        words = keys if self.armed else "keys take effect in a moment ░░░"
        words = words if self._has_room else "Enlarge the window · esc not now"
        self.query_one("#place", Static).update(Content(words))
