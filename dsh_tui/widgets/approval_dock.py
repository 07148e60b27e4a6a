"""The approval dock: what waits for a person, docked above the composer, never over it.

Not modal, and it decides nothing by going away: the engine owns the pending request. Its keys
are dead until `Arming` says otherwise; what is typed before goes to the composer, and the
focus with it. No Space; Enter only on a focused answer; the focus starts on none.
Source: UX spec §4 (approval dock contract).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from dsh_tui.engine.projection.views import ApprovalView
from dsh_tui.widgets.answer_row import BY_KEY, Answer, AnswerRow
from dsh_tui.widgets.approval_words import explanation, head_line, question
from dsh_tui.widgets.arming import Arming
from dsh_tui.widgets.card_text import CardText, card_lines
from dsh_tui.widgets.messages import Decided, TypedElsewhere

SMALLEST: Final = (30, 10)
"""Columns and rows of the screen below which nothing can be read well enough to be answered."""
SHORT: Final = 16
"""Rows of the screen below which only one row of the card is shown at a time."""
WHY: Final = "Why not? enter denies and tells the model, esc goes back"


class ApprovalDock(Vertical, can_focus=True):
    """Shows the first pending approval and its answers; posts `Decided`."""

    FOCUS_ON_CLICK = False
    DEFAULT_CSS = """
    ApprovalDock {
        display: none;
        height: auto;
        max-height: 70vh;
        padding: 0 1;
        border: round $waiting;
        border-title-color: $waiting;
        border-title-style: bold;
        border-subtitle-color: $dim;
        &.-pending { display: block; }
        & > #head { height: auto; max-height: 2; padding: 0 0 0 1; }
        & > CardText { padding: 0 0 0 1; }
        & > #more { height: 1; color: $warning; display: none; }
        &.-overflowing > #more { display: block; }
        & > #why { display: none; height: 1; border: none; padding: 0; background: $selected; }
        &.-saying-why > #why { display: block; }
        &.-saying-why > AnswerRow { display: none; }
        & > #small { display: none; color: $warning; }
        &.-too-small > *, &.-too-small > #more { display: none; }
        &.-too-small > #small { display: block; }
    }
    """

    class Left(Message):
        """Nothing is pending any more, or review ended: the composer may have the focus.

        ``draft`` is a reason that was being written when its question went away.
        """

        def __init__(self, draft: str = "") -> None:
            self.draft = draft
            super().__init__()

    class FullAsked(Message):
        """The full view of an approval is wanted."""

        def __init__(self, approval: ApprovalView) -> None:
            self.approval = approval
            super().__init__()

    def __init__(
        self,
        monotonic: Callable[[], float],
        may_take_focus: Callable[[], bool],
        *,
        id: str | None = None,  # noqa: A002 - Textual's word
    ) -> None:
        super().__init__(id=id)
        self.arming = Arming(monotonic)
        self._may_take_focus = may_take_focus
        self._approvals: tuple[ApprovalView, ...] = ()
        self._answered: set[str] = set()
        self._reasons: dict[str, str] = {}
        self._current: ApprovalView | None = None
        self._answerable = True
        self._project = ""
        self._explaining = False
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield CardText(id="card")
        yield Static(id="more", markup=False)
        yield AnswerRow(id="answers")
        yield Input(id="why", placeholder=WHY, compact=True, select_on_focus=False)
        yield Static("Enlarge the window to answer", id="small", markup=False)

    def on_mount(self) -> None:
        self._answers = self.query_one(AnswerRow)
        self._card = self.query_one(CardText)
        self._why = self.query_one("#why", Input)
        self._why.cursor_blink = False

    # What the screen tells

    @property
    def pending(self) -> ApprovalView | None:
        """The approval that is shown."""
        return self._current

    @property
    def armed(self) -> bool:
        """Whether its keys count now."""
        return self.arming.armed and self.has_focus and not self.has_class("-too-small")

    @property
    def saying_why(self) -> bool:
        return self.has_class("-saying-why")

    def show(self, approvals: Sequence[ApprovalView], project: str, *, answerable: bool = True) -> None:
        """Show what is pending. The shown one stays until it is answered or gone.

        What is not ``answerable`` was asked in a recording: its keys stay dead, and it says so.
        """
        self._answerable = answerable
        pending = tuple(approval for approval in approvals if approval.id not in self._answered)
        self._answered &= {approval.id for approval in approvals}
        if (pending, project) == (self._approvals, self._project):
            return
        self._approvals, self._project = pending, project
        before = self._current
        same = next((a for a in pending if before is not None and a.id == before.id), None)
        current = same or (pending[0] if pending else None)
        if current != before:
            self._change(before, current)
        self._draw_frame()
        self.tick()

    def review(self) -> None:
        """F8: take the focus; keys count after quiet."""
        if self._current is not None and self._answerable:
            self.arming.began()
            (self._why if self.saying_why else self).focus()
            self.tick()

    def disturbed(self) -> None:
        """Focus-in or resize: disarm."""
        self.arming.disturbed()
        self._fit()
        self.set_class(
            self.screen.size.width < SMALLEST[0] or self.screen.size.height < SMALLEST[1], "-too-small"
        )
        self.tick()

    def tick(self) -> None:
        """Do what time allows: take the focus, arm, say so; look again when more is due."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._current is None or not self.screen.is_current or not self._answerable:
            return
        wait = 0.0
        if self.arming.reviewing:
            wait = self.arming.until_armed()
        elif self._may_take_focus() or self.has_focus:
            wait = self.arming.until_focus()
            if wait == 0:
                self.review()
                return
        self._draw_frame()
        if wait > 0:
            self._timer = self.set_timer(wait + 0.005, self.tick)

    def close_reason(self) -> bool:
        """Esc in the reason: back to the answers, what is written is kept. False if none is open."""
        if not self.saying_why:
            return False
        self.remove_class("-saying-why")
        self.review()
        return True

    # Events

    def on_focus(self) -> None:
        self.tick()

    def on_blur(self) -> None:
        if not self.saying_why:
            self.arming.ended()
            self._answers.focused = None
            self._draw_frame()

    def on_resize(self) -> None:
        self._draw_head()

    def on_key(self, event: events.Key) -> None:
        if not self.has_focus or event.key == "escape":
            return
        scrolls: dict[str, Callable[..., None]] = {
            "up": self._card.scroll_up,
            "down": self._card.scroll_down,
            "pageup": self._card.scroll_page_up,
            "pagedown": self._card.scroll_page_down,
            "home": self._card.scroll_home,
            "end": self._card.scroll_end,
        }
        if event.key in scrolls:
            event.stop()
            scrolls[event.key](animate=False)
        elif event.key in ("left", "right", "tab"):
            event.stop()
            self._answers.move(-1 if event.key == "left" else 1)
        elif event.key == "enter" or event.is_printable:
            event.stop()
            event.prevent_default()
            self._press(event)

    def on_paste(self, event: events.Paste) -> None:
        if self.has_focus:
            event.stop()
            self.post_message(TypedElsewhere(event))

    @on(AnswerRow.Clicked)
    def _clicked(self, event: AnswerRow.Clicked) -> None:
        """The mouse may answer what the keys may answer; it never arms anything."""
        event.stop()
        if self.armed:
            self._do(event.answer)

    @on(Input.Submitted, "#why")
    def _said_why(self, event: Input.Submitted) -> None:
        event.stop()
        self._decide(allowed=False, feedback=event.value.strip() or None)

    @on(Input.Changed, "#why")
    def _keep_reason(self, event: Input.Changed) -> None:
        event.stop()
        if self._current is not None:
            self._reasons[self._current.id] = event.value

    @on(CardText.Measured)
    def _say_what_is_hidden(self, event: CardText.Measured) -> None:
        event.stop()
        above, below = self._card.above, self._card.below
        self.set_class(bool(above or below), "-overflowing")
        parts = [f"▲ {above:,} lines above"] if above else []
        parts += [f"▼ {below:,} more lines"] if below else []
        self.query_one("#more", Static).update("   ".join([*parts, "↑ ↓ scroll"]))

    # Private

    def _press(self, event: events.Key) -> None:
        answer = self._answers.answer if event.key == "enter" else BY_KEY.get(event.key)
        if not self.armed or (answer is None and event.key not in ("space", "enter")):
            self.post_message(TypedElsewhere(event))
            return
        if answer is not None:
            self._do(answer)

    def _do(self, answer: Answer) -> None:
        match answer.name:
            case "allow":
                self._decide(allowed=True)
            case "deny":
                self._decide(allowed=False)
            case "say_why":
                self.add_class("-saying-why")
                self._why.focus()
                self._draw_frame()
            case "full" if self._current is not None:
                self.post_message(self.FullAsked(self._current))
            case "explain":
                self._explaining = not self._explaining
                self._draw_card()
                self.disturbed()

    def _decide(self, *, allowed: bool, feedback: str | None = None) -> None:
        if self._current is None:
            return
        self._answered.add(self._current.id)
        self._reasons.pop(self._current.id, None)
        self.post_message(Decided(self._current.id, allowed=allowed, feedback=feedback))
        self.show(self._approvals, self._project, answerable=self._answerable)

    def _change(self, before: ApprovalView | None, current: ApprovalView | None) -> None:
        """Another question, or the same with another content."""
        self._current = current
        self._fit()
        self._explaining = False
        self._answers.focused = None
        gone = before is not None and (current is None or current.id != before.id)
        lost = self._reasons.pop(before.id, "") if before is not None and gone else ""
        reviewed = self.has_focus or self.saying_why
        self.remove_class("-saying-why")
        if before is None or gone:
            with self._why.prevent(Input.Changed):
                self._why.value = self._reasons.get(current.id, "") if current is not None else ""
        self.set_class(current is not None, "-pending")
        if current is None or lost:
            self.arming.ended()
            if reviewed:
                self.post_message(self.Left(lost))
        elif reviewed:
            self.arming.began()
            self.focus()
        self._draw_card()

    def _fit(self) -> None:
        """The card takes a third of the screen at most, one row of a short one."""
        height = self.screen.size.height
        self._card.most_rows = height * 3 // 10 if height >= SHORT else 1

    def _draw_card(self) -> None:
        if self._current is not None:
            lines = explanation(self._current) if self._explaining else card_lines(self._current.card)
            self._card.show(lines)
            self._draw_head()

    def _draw_head(self) -> None:
        if self._current is not None:
            self.query_one("#head", Static).update(
                head_line(self._current, self._project, self.content_size.width - 1)
            )

    def _draw_frame(self) -> None:
        if self._current is None:
            return
        count = len(self._approvals)
        place = f"  {self._approvals.index(self._current) + 1} of {count}" if count > 1 else ""
        self.border_title = Content(f"{question(self._current)}{place}")
        self._answers.armed = self.armed
        if not self._answerable:
            hint = Content("recorded: here a person decides")
        elif self.has_class("-saying-why"):
            hint = Content("enter denies and says it · esc back to the answers")
        elif self.armed:
            hint = Content("← → choose · enter answers · esc stops the turn")
        elif self.arming.reviewing:
            hint = Content("keys take effect in a moment ░░░")
        else:
            hint = Content.styled("F8 review", "bold $waiting")
        self.border_subtitle = hint
