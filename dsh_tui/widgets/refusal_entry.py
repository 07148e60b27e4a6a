"""What is written to a refusal: words for the model, or what it should do instead of the call.

Both forms are kept while the question waits. The second is filled with the call's own text, every
character of it visible; what is sent is what stands there, as words to the model, and is never run.
Source: UX spec §4 (approval: refuse with text or replacement).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from textual import events, on
from textual.message import Message
from textual.widgets import TextArea

from dsh_tui.engine.projection.views import AnswerIntent
from dsh_tui.widgets.paste import clean

_WORDS: Final = "Why not? The model reads it; empty just denies"
_NEWLINE_KEYS: Final = frozenset({"ctrl+j", "shift+enter", "alt+enter", "ctrl+enter"})


@dataclass(slots=True)
class Refusal:
    """What was written to one question so far."""

    original: str
    words: str = ""
    instead: str = ""
    form: Literal["words", "instead"] = "words"

    @property
    def changed(self) -> str:
        """What should be done instead, where it differs from what was asked."""
        return "" if self.instead == self.original else self.instead

    @property
    def draft(self) -> str:
        """All that a person wrote."""
        return "\n".join(filter(None, (self.words.strip(), self.changed.strip())))

    def intent(self) -> AnswerIntent | None:
        """The answer that the form gives; None: what should be done instead was not changed."""
        if self.form == "words":
            return AnswerIntent(allowed=False, feedback=self.words.strip() or None)
        changed = self.changed.strip()
        if not changed:
            return None
        return AnswerIntent(allowed=False, feedback=self.words.strip() or None, replacement=changed)


class RefusalEntry(TextArea):
    """The field of the dock in which a refusal is written. Posts `Sent`."""

    DEFAULT_CSS = """
    RefusalEntry {
        height: auto;
        min-height: 1;
        max-height: 8;
        padding: 0 1;
        border: none;
        background: $selected;
        scrollbar-size-vertical: 1;
        &:focus { border: none; }
        & .text-area--placeholder { color: $dim; }
        & .text-area--cursor { color: $background; background: $foreground; }
    }
    """

    class Sent(Message):
        """Enter: what is written is the answer."""

    class Switched(Message):
        """Tab: the other form is shown."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, soft_wrap=True, highlight_cursor_line=False, placeholder=_WORDS)
        self.cursor_blink = False
        self.match_cursor_bracket = False
        self._refusal = Refusal("")

    @property
    def refusal(self) -> Refusal:
        """What is written, in both forms."""
        return self._refusal

    def show(self, refusal: Refusal) -> None:
        """Go on with a refusal."""
        self._refusal = refusal
        self._draw()

    async def _on_key(self, event: events.Key) -> None:
        match event.key:
            case "enter":
                self.post_message(self.Sent())
            case "tab":
                self._switch()
            case key if key in _NEWLINE_KEYS:
                self.insert("\n")
            case _:
                return
        event.stop()
        event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.insert(clean(event.text))

    @on(TextArea.Changed)
    def _keep(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._refusal.form == "words":
            self._refusal.words = self.text
        else:
            self._refusal.instead = self.text

    def _switch(self) -> None:
        refusal = self._refusal
        refusal.form = "instead" if refusal.form == "words" else "words"
        if refusal.form == "instead" and not refusal.instead:
            refusal.instead = refusal.original
        self._draw()
        self.post_message(self.Switched())

    def _draw(self) -> None:
        refusal = self._refusal
        with self.prevent(TextArea.Changed):
            self.load_text(refusal.words if refusal.form == "words" else refusal.instead)
        self.move_cursor(self.document.end)
