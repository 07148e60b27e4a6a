"""The approval dock: what waits for a person, docked above the composer, never over it.

Not modal, and it decides nothing by going away: the engine owns the pending request. Its keys
are dead until `Arming` says otherwise; what is typed before goes to the composer, and the
focus with it. No Space; Enter only on a focused answer; the focus starts on none. What is
dangerous is not allowed before its full view was read to the end: `_decide` sees to that.
Source: UX spec §4 (approval dock contract).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from dsh_tui.engine.projection.views import AnswerIntent, ApprovalView, ProposalView
from dsh_tui.widgets import approval_words as words
from dsh_tui.widgets.answer_row import AnswerRow
from dsh_tui.widgets.approval_answers import ALL_KEYS, Answer, answers_to, by_key, why_not
from dsh_tui.widgets.approval_head import ApprovalHead
from dsh_tui.widgets.approval_look import DOCK_CSS, SHORT, card_height, is_too_small
from dsh_tui.widgets.approval_queue import ApprovalQueue
from dsh_tui.widgets.arming import Arming
from dsh_tui.widgets.card_rows import card_draw
from dsh_tui.widgets.card_text import CardText
from dsh_tui.widgets.messages import Decided, Noticed, TypedElsewhere
from dsh_tui.widgets.refusal_entry import RefusalEntry
from dsh_tui.widgets.rule_preview import WANTED, RulePreview


class ApprovalDock(Vertical, can_focus=True):
    """Shows the first pending approval and its answers; posts `Decided`."""

    FOCUS_ON_CLICK = False
    DEFAULT_CSS = DOCK_CSS

    class Left(Message):
        """Nothing is pending any more, or review ended: the composer may have the focus.

        ``draft`` is what was being written to a question that went away.
        """

        def __init__(self, draft: str = "") -> None:
            self.draft = draft
            super().__init__()

    class FullAsked(Message):
        """The full view of an approval is wanted."""

        def __init__(self, approval: ApprovalView) -> None:
            self.approval = approval
            super().__init__()

    class RuleAsked(Message):
        """The rule that would cover an approval is wanted; `propose` brings it."""

        def __init__(self, approval_id: str) -> None:
            self.approval_id = approval_id
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
        self.queue = ApprovalQueue()
        self._preview: RulePreview | None = None
        self._explaining = False
        self._answerable, self._project = True, ""
        self._passing_on = False  # a draft has begun, the focus is on its way: no key between is an answer
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield ApprovalHead()
        yield CardText(id="card")
        yield Static(id="more", markup=False)
        yield AnswerRow(id="answers")
        yield RefusalEntry(id="refusal")
        yield Static("Enlarge the window to answer", id="small", markup=False)

    def on_mount(self) -> None:
        self._head = self.query_one(ApprovalHead)
        self._answers = self.query_one(AnswerRow)
        self._card = self.query_one(CardText)
        self._entry = self.query_one(RefusalEntry)

    # What the screen tells

    @property
    def pending(self) -> ApprovalView | None:
        """The approval that is shown."""
        return self.queue.current

    @property
    def armed(self) -> bool:
        """Whether its keys count now."""
        return self.arming.armed and self.has_focus and not self.has_class("-too-small")

    @property
    def refusing(self) -> bool:
        """Whether words or a replacement are being written."""
        return self.has_class("-refusing")

    def show(
        self, approvals: Sequence[ApprovalView], project: str, *, session: str = "", answerable: bool = True
    ) -> None:
        """Show what is pending. The shown one stays until it is answered or gone, or the session changes.

        What is not ``answerable`` was asked in a recording: its keys stay dead, and it says so.
        """
        before, same = self.queue.current, (answerable, project) == (self._answerable, self._project)
        self._answerable, self._project = answerable, project
        if self.queue.show(approvals, session) or not same:
            self._shown_after(before)

    def review(self) -> None:
        """F8: take the focus; keys count after quiet."""
        if self.pending is not None and self._answerable:
            self.arming.began()
            (self._entry if self.refusing else self).focus()
            self.tick()

    def propose(self, approval_id: str, proposal: ProposalView) -> None:
        """The rule that was asked for. Nobody waits for it any more: it changes nothing."""
        if self._preview is not None and self.pending is not None and self.pending.id == approval_id:
            self._open_preview(replace(self._preview, proposal=proposal))

    def full_view_closed(self, approval: ApprovalView, *, read: bool) -> None:
        """Whether the full view was read to its end."""
        if read:
            self.queue.note_read(approval)
            if approval.danger and approval == self.pending:  # in the place of what said that it must be read
                self.post_message(Noticed(words.READ_DONE))
        elif approval.danger and approval == self.pending and not self.queue.is_read(approval):
            self._warn(words.READ_ON)
        self._draw_frame()

    def disturbed(self) -> None:
        """Focus-in or resize: disarm."""
        self.arming.disturbed()
        self._fit()
        self.tick()

    def tick(self) -> None:
        """Do what time allows: take the focus, arm, say so; look again when more is due."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.pending is None or not self.screen.is_current or not self._answerable:
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

    def step_back(self) -> bool:
        """Esc in a refusal or a rule: back to the answers, what is written is kept. False if none is open."""
        if not self.refusing and self._preview is None:
            return False
        reviewed = self.has_focus or self._entry.has_focus
        self.remove_class("-refusing")
        self._preview = None
        self._draw_card()
        if reviewed:
            self.review()
        return True

    # Events

    def on_focus(self) -> None:
        self._passing_on = False
        self.tick()

    def on_blur(self) -> None:
        if not self.refusing:
            self.arming.ended()
            self._answers.focused = None
            self._draw_frame()

    def on_resize(self) -> None:
        self._draw_frame()

    def on_key(self, event: events.Key) -> None:
        written = event.key == "enter" or event.is_printable
        if not self.has_focus or event.key == "escape" or (self._passing_on and not written):
            return
        if self._passing_on:
            self._pass_on(event)
        elif self._card.press(event.key):
            event.stop()
        elif event.key in ("left", "right", "tab"):
            event.stop()
            self._answers.move(-1 if event.key == "left" else 1)
        elif written:
            event.stop()
            event.prevent_default()
            self._press(event)

    def on_paste(self, event: events.Paste) -> None:
        if self.has_focus:
            self._pass_on(event)

    @on(AnswerRow.Clicked)
    def _clicked(self, event: AnswerRow.Clicked) -> None:
        """The mouse may answer what the keys may answer; it never arms anything."""
        event.stop()
        if self.armed:
            self._do(event.answer)

    @on(RefusalEntry.Sent)
    def _refused(self, event: RefusalEntry.Sent) -> None:
        event.stop()
        intent = self._entry.refusal.intent()
        if intent is None:
            self._warn(words.SAME_CALL)
        else:
            self._decide(intent)

    @on(RefusalEntry.Switched)
    def _form_switched(self, event: RefusalEntry.Switched) -> None:
        event.stop()
        self._draw_frame()

    @on(CardText.Measured)
    def _say_what_is_hidden(self, event: CardText.Measured) -> None:
        event.stop()
        self._draw_frame()

    # Private

    def _pass_on(self, event: events.Key | events.Paste) -> None:
        self._passing_on = True
        event.stop()
        event.prevent_default()
        self.post_message(TypedElsewhere(event))

    def _press(self, event: events.Key) -> None:
        # A Chinese input method may send a digit in its wide form.
        key = unicodedata.normalize("NFKC", event.character or "")
        answer = self._answers.answer if event.key == "enter" else by_key(self._answers.answers).get(key)
        if not self.armed or (answer is None and event.key not in ("space", "enter") and key not in ALL_KEYS):
            self._pass_on(event)
        elif answer is not None:
            self._do(answer)
        elif event.key == "enter":
            self._warn(words.CHOOSE_FIRST)
        elif self.pending is not None and key in ALL_KEYS and self._preview is None:
            self._warn(why_not(self.pending, key))

    def _do(self, answer: Answer) -> None:
        current, preview = self.pending, self._preview
        if current is None:
            return
        match answer.name:
            case "allow" | "deny":
                self._decide(AnswerIntent(allowed=answer.name == "allow"))
            case "session" | "always" if not self._must_read(current):
                self._open_preview(RulePreview(WANTED[answer.name], current.subject))
                self.post_message(self.RuleAsked(current.id))
            case "keep" | "keep_wider" if preview is not None and (intent := preview.intent(answer.name)):
                self._decide(intent)
            case "back":
                self.step_back()
            case "say_why":
                self._open_refusal(current)
            case "full":
                self.post_message(self.FullAsked(current))
            case "explain":
                self._explaining = not self._explaining
                self._draw_card()
                self.disturbed()

    def _decide(self, intent: AnswerIntent) -> None:
        """The one place where an answer becomes one."""
        current = self.pending
        if current is None or (intent.allowed and self._must_read(current)):
            return
        if not self.queue.may_be(intent):
            self._warn(why_not(current, "3"))
        elif intent.rules and not self._card.end_seen:
            self._warn(words.READ_RULE_FIRST)
        else:
            self.queue.settled()
            self.post_message(Decided(current.id, intent))
            self._shown_after(current)

    def _warn(self, text: str) -> None:
        self.post_message(Noticed(text, "warning"))

    def _must_read(self, approval: ApprovalView) -> bool:
        """Whether it may not be allowed yet; says why."""
        if not approval.danger or self.queue.is_read(approval):
            return False
        self._warn(words.READ_FIRST)
        return True

    def _open_preview(self, preview: RulePreview) -> None:
        self._preview, self._explaining = preview, False
        self._draw_card()
        self.disturbed()

    def _open_refusal(self, approval: ApprovalView) -> None:
        self._entry.show(self.queue.refusal(approval))
        self.add_class("-refusing")
        self._entry.focus()
        self._draw_frame()

    def _shown_after(self, before: ApprovalView | None) -> None:
        """Draw what is shown now; another question, or another content, must be armed again."""
        current = self.queue.current
        drafts = self.queue.lost_drafts()
        if current != before:
            self._change(current, keeps_focus=not drafts)
        if drafts:
            self.post_message(self.Left("\n".join(drafts)))
        self._draw_frame()
        self.tick()

    def _change(self, current: ApprovalView | None, *, keeps_focus: bool) -> None:
        self._explaining, self._preview = False, None
        reviewed = self.has_focus or self.refusing
        self.remove_class("-refusing")
        self.set_class(current is not None, "-pending")
        if current is None or not keeps_focus:
            self.arming.ended()
            if reviewed:
                self.post_message(self.Left())
        elif reviewed:
            self.arming.began()
            self.focus()
        self._draw_card()

    def _fit(self) -> None:
        size, wide_open = self.screen.size, self._explaining or self._preview is not None
        self._card.most_rows = card_height(size.height, wide_open=wide_open)
        self.set_class(is_too_small(size), "-too-small")
        self.set_class(size.height < SHORT, "-short")

    def _draw_card(self) -> None:
        current = self.queue.current
        if current is None:
            return
        self._fit()
        if self._preview is not None:
            self._card.show(self._preview.rows)
        else:
            self._card.show(words.explanation(current) if self._explaining else card_draw(current.card))
        self._answers.focused = None
        self._draw_frame()

    def _draw_frame(self) -> None:
        """Everything around the card."""
        current = self.queue.current
        if current is None:
            return
        short, read, preview = self.has_class("-short"), self.queue.is_read(current), self._preview
        hidden = words.out_of_view(self._card.above, self._card.below, brief=short)
        self.set_class(bool(current.danger), "-danger")
        self._head.show(current, read=read, hidden=hidden, short=short)
        self.query_one("#more", Static).update(hidden)
        self._answers.answers = preview.answers if preview is not None else answers_to(current, read=read)
        asked, room = words.question(current), self.content_size.width - 2
        if self.refusing:
            asked = words.refusal(current, self._entry.refusal.form)
        elif preview is not None:
            asked = preview.title
        self.border_title = words.title_line(asked, current, self.queue.pending, self._project, room)
        self._answers.armed = self.armed
        if not self._answerable:
            hint = words.RECORDED
        elif self.refusing:
            hint = words.REFUSING[self._entry.refusal.form]
        elif self.armed:
            hint = words.IN_RULE if preview is not None else words.IN_ANSWERS
        elif self.arming.reviewing:
            hint = words.ARMING
        else:
            hint = words.REVIEW
        told = hint[len(hint[0]) > room]
        self.border_subtitle = Content.styled(told, "bold $waiting" if hint is words.REVIEW else "")
