"""The composer: where prompts are written. Enter sends; a paste never does; no draft is lost.

Enter that arrives within a burst of keys (a terminal without bracketed paste) is held for a
moment: if more keys follow it was pasted and is a new line, else it sends.
Source: UX spec §2 D and §4; design §5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea

from dsh_tui.actions import BY_ID
from dsh_tui.engine.projection.mode_names import DEFAULT_MODE
from dsh_tui.widgets import mode_look
from dsh_tui.widgets.completion import Completion
from dsh_tui.widgets.messages import CommandGiven, Noticed, OwnCommandGiven, Submitted
from dsh_tui.widgets.paste import Pastes, chip_before, clean
from dsh_tui.widgets.prompt_history import PromptHistory
from dsh_tui.widgets.visible_text import one_line

BURST_GAP: Final = 0.010
"""Seconds between two keys below which nobody types."""
HOLD: Final = 0.030
"""Seconds for which an Enter in a burst waits for more."""
SEARCHING: Final = "search earlier prompts · enter takes · esc goes back"
COMMAND: Final = "runs in your shell · what it prints comes into the draft"
NEWLINE_KEYS: Final = frozenset({"ctrl+j", "shift+enter", "alt+enter", "ctrl+enter"})


class Composer(TextArea):
    """A draft of several lines with history, completion and paste chips."""

    DEFAULT_CSS = """
    Composer {
        height: auto;
        min-height: 3;
        max-height: 33vh;
        padding: 0 1;
        border: round $frame;
        border-subtitle-color: $dim;
        border-title-color: $accent;
        border-title-style: none;
        background: $background;
        scrollbar-size-vertical: 1;
        &:focus { border: round $mode-ask; }
        &.-mode-edits:focus { border: round $mode-edits; }
        &.-mode-plan:focus { border: round $mode-plan; }
        &.-mode-sandbox:focus { border: round $mode-sandbox; }
        &.-mode-full, &.-mode-full:focus { border: round $mode-full; }
        & .text-area--placeholder { color: $dim; }
        & .text-area--cursor { color: $background; background: $foreground; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(BY_ID["prompt.undo"].keys), "undo", show=False, id="prompt.undo"),
    ]

    class Emptied(Message):
        """The draft became empty, or has text again."""

    class LeaveAsked(Message):
        """``ctrl+d`` on an empty draft."""

    class HelpAsked(Message):
        """``?`` on an empty draft."""

    class TranscriptAsked(Message):
        """Tab on an empty draft."""

    class Paged(Message):
        """Page up or down: the draft is short, so the transcript is meant."""

        def __init__(self, by: int) -> None:
            self.by = by
            super().__init__()

    class EarlierAsked(Message):
        """Prompts before the oldest known one are wanted; `recall` brings them."""

    class QueueAsked(Message):
        """Up on an empty draft: take the last waiting prompt back, if there is one."""

    def __init__(self, completion: Completion, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, soft_wrap=True, highlight_cursor_line=False)
        self.cursor_blink = False
        self.match_cursor_bracket = False
        self.prompts = PromptHistory()
        self.has_queue = False
        self.locked = ""
        """Why nothing can be sent, or empty."""
        self._mode: str = DEFAULT_MODE
        self._own_command = ""
        self.guards_bursts = True
        self._completion = completion
        self._pastes = Pastes()
        self._last_key = 0.0
        self._bursting = False
        self._held: Timer | None = None
        self._was_empty = True
        self._before_search: str | None = None
        self._wants_older = False
        """Whether Up found nothing and waits for `recall`."""

    # What the screen asks for

    @property
    def draft(self) -> str:
        """The draft as it will be sent: chips expanded."""
        return self._pastes.expand(self.text)

    @property
    def mode(self) -> str:
        """The mode in which the agent works on what is sent; its colour and words are in the frame."""
        return self._mode

    @mode.setter
    def mode(self, mode: str) -> None:
        if mode != self._mode:
            self._mode = mode
            for known in mode_look.LABELS:
                self.set_class(known == mode, f"-mode-{known}")
            self._draw_title()

    @property
    def own_command(self) -> str:
        """The command of one's own that runs; said in the frame for as long as it does."""
        return self._own_command

    @own_command.setter
    def own_command(self, command: str) -> None:
        self._own_command = command
        self._draw_title()

    def put(self, text: str) -> None:
        """Replace the draft; the cursor goes to its end. Undo brings the old one back."""
        self.replace(text, self.document.start, self.document.end, maintain_selection_offset=False)
        self.move_cursor(self.document.end)

    def keep(self, text: str) -> None:
        """Put ``text`` into an empty draft, else behind what is written."""
        self.put(f"{self.text.rstrip()}\n{text}" if self.text.strip() else text)

    def bring(self, text: str, *, folded: bool) -> None:
        """Put what is no draft of theirs behind what is written; the cursor stays where one writes."""
        text = self._pastes.fold(text) if folded else text
        if self.text.strip():
            selection = self.selection
            self.insert(f"\n{text}", self.document.end)
            self.selection = selection
        else:
            self.put(text)

    def recall(self, earlier: Sequence[str]) -> None:
        """Prompts of earlier sessions, oldest first."""
        if not self.prompts.recall(earlier):
            return
        if self.searching:
            self._completion.offer_history(self.prompts.search(self.text))
        elif self._wants_older and (self.prompts.stepping or not self.text):
            self.action_cursor_up()

    def stash(self) -> bool:
        """Clear the draft, so that Up brings it back. False when there is nothing to keep."""
        if not self.text.strip():
            return False
        self.prompts.add(self.text)
        self.put("")
        return True

    def expand_pastes(self) -> bool:
        """Show the text of all chips in the draft."""
        if not self._pastes.holds(self.text):
            return False
        self.put(self.draft)
        return True

    def search_history(self) -> None:
        """Let the list filter earlier prompts by what is typed; by nothing, where that is in none of them."""
        self._before_search = self.text
        if not self.prompts.search(self.text):
            self.put("")
        self._draw_title()
        self._completion.offer_history(self.prompts.search(self.text))
        self.post_message(self.EarlierAsked())

    @property
    def searching(self) -> bool:
        """Whether the draft is a search for an earlier prompt."""
        return self._before_search is not None

    @property
    def is_command(self) -> bool:
        """Whether the draft is a command of one's own; a blank before the ``!`` makes it a prompt."""
        return self.text.startswith("!") and not self.searching

    def _draw_title(self) -> None:
        """What the draft is, if that is nothing usual, else the mode."""
        if self.searching:
            self.border_title = SEARCHING
        elif self.is_command:
            self.border_title = COMMAND
        elif self._own_command:
            self.border_title = Content(f"esc ends {one_line(self._own_command)}")
        else:
            self.border_title = mode_look.label(self._mode)

    def end_search(self, *, restore: bool) -> None:
        """Leave the search; with ``restore`` the draft is as it was."""
        before, self._before_search = self._before_search, None
        self._draw_title()
        if restore and before is not None:
            self.put(before)

    def take_key(self, event: events.Key) -> None:
        """A key that was meant for the draft came elsewhere: use it as if it had come here."""
        if not self._press(event.key, event.time) and event.is_printable and event.character:
            self._replace_via_keyboard(event.character, *self.selection)

    def take_paste(self, text: str) -> None:
        """Insert pasted text: cleaned, and folded to a chip if it is large."""
        self._release_as_newline()
        if pasted := clean(text):
            self._replace_via_keyboard(self._pastes.fold(pasted), *self.selection)

    def on_resize(self) -> None:
        self.refresh()  # the base wraps anew, but paints only what it did not paint at this size before

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        if not self.read_only and self._press(event.key, event.time):
            event.stop()
            event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if not self.read_only:
            self.take_paste(event.text)

    def _press(self, key: str, time: float) -> bool:
        """Whether the key had a meaning of ours."""
        quick, self._last_key = time - self._last_key < BURST_GAP, time
        self._bursting = self._bursting and quick
        self._release_as_newline()
        if key == "enter":
            if quick and self.guards_bursts:
                self._held = self.set_timer(HOLD, self._release)
            else:
                self._enter()
            return True
        if key in NEWLINE_KEYS:
            self.insert("\n")
            return True
        if self._completion.is_open and self._completion.press(key):
            return True
        return self._press_on_empty(key) if not self.text else self._erase_chip(key)

    def _press_on_empty(self, key: str) -> bool:
        asked: Message
        match key:
            case "ctrl+d":
                asked = self.LeaveAsked()
            case "question_mark":
                asked = self.HelpAsked()
            case "tab":
                asked = self.TranscriptAsked()
            case _:
                return False
        self.post_message(asked)
        return True

    def _erase_chip(self, key: str) -> bool:
        if key == "tab":
            return True  # never moves the focus away from a draft
        row, column = self.cursor_location
        start = chip_before(self.document.get_line(row), column) if key == "backspace" else None
        if start is None or self.selected_text:
            return False
        self.delete((row, start), (row, column))
        return True

    def _release(self) -> None:
        """Nothing followed the held Enter: it sends, unless a paste is going on."""
        if self._held is None:
            return
        self._held = None
        if self._bursting:
            self.insert("\n")
        else:
            self._enter()

    def _release_as_newline(self) -> None:
        if self._held is not None:
            self._held.stop()
            self._held = None
            self._bursting = True
            self.insert("\n")

    def _enter(self) -> None:
        if self._completion.is_open and self._completion.press("enter"):
            return
        row, column = self.cursor_location
        if self.document.get_line(row)[:column].endswith("\\"):
            self.replace("\n", (row, column - 1), (row, column))
            return
        self.submit()

    def submit(self, *, steer: bool = False) -> None:
        """Send the draft, or run it if it is a command. Commands are cleared by who runs them."""
        text = self.draft.strip()
        if not text:
            return
        name, _, argument = text[1:].partition(" ") if text.startswith("/") else ("", "", "")
        if name and "/" not in name and "\n" not in text:
            self.post_message(CommandGiven(name, argument.strip()))
            return
        if self.is_command:
            command = text[1:].strip()
            if not command:
                self.post_message(Noticed("A command of your own goes behind the !"))
                return
            self.prompts.add(self.text)
            self.put("")
            self.post_message(OwnCommandGiven(command))
            return
        if self.locked:
            self.post_message(Noticed(self.locked, "warning"))
            return
        self.prompts.add(self.text)
        self.put("")
        self.post_message(Submitted(text, steer=steer))

    # History

    def action_cursor_up(self, select: bool = False) -> None:  # noqa: FBT001, FBT002 - Textual's signature
        if select or not self.navigator.is_first_wrapped_line(self.cursor_location):
            super().action_cursor_up(select)
        elif self.has_queue and not self.text:
            self.post_message(self.QueueAsked())
        elif older := self.prompts.older(self.text):
            self._wants_older = False
            self._show_earlier(older)
        else:
            self._wants_older = True
            self.post_message(self.EarlierAsked())

    def action_cursor_down(self, select: bool = False) -> None:  # noqa: FBT001, FBT002 - Textual's signature
        if select or not self.navigator.is_last_wrapped_line(self.cursor_location):
            super().action_cursor_down(select)
        elif (newer := self.prompts.newer()) is not None:
            self._show_earlier(newer)

    def action_cursor_page_up(self) -> None:
        self.post_message(self.Paged(-1))

    def action_cursor_page_down(self) -> None:
        self.post_message(self.Paged(1))

    def _show_earlier(self, prompt: str) -> None:
        with self.prevent(TextArea.Changed):
            self.put(prompt)
        self._tell_emptiness()

    def _on_text_area_changed(self) -> None:
        self.prompts.leave()
        self._wants_older = False
        self._draw_title()
        self._tell_emptiness()
        if self.searching:
            self._completion.offer_history(self.prompts.search(self.text))
        else:
            self.complete()

    def complete(self) -> None:
        """Offer what fits the word before the cursor."""
        row, column = self.cursor_location
        self._completion.offer(self.document.get_line(row)[:column], alone=self.document.line_count == 1)

    def _tell_emptiness(self) -> None:
        if self._was_empty != (not self.text):
            self._was_empty = not self.text
            self.post_message(self.Emptied())
