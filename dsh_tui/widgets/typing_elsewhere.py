"""Typing that begins while another widget has the keys: it is the beginning of a draft, and not lost.

Source: UX spec §4 (what is typed elsewhere goes to the composer).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from dsh_tui.widgets.messages import TypedElsewhere

if TYPE_CHECKING:
    from textual.widget import Widget
else:
    Widget = object  # Textual takes the styles of the first base that is a widget: this must be none


class TypingElsewhere(Widget):
    """Hands on what is typed or pasted here; its owner gives it and the focus to the composer."""

    _passing_on = False
    """A draft has begun and the focus is on its way to it: the keys between belong to it, too."""

    def begins_draft(self, event: events.Key) -> bool:
        """Whether the key does nothing here and would write something."""
        return event.is_printable and event.key not in self.screen.active_bindings

    def on_key(self, event: events.Key) -> None:
        if self._passing_on or self.begins_draft(event):
            self._pass_on(event)

    def on_paste(self, event: events.Paste) -> None:
        self._pass_on(event)

    def on_focus(self) -> None:
        self._passing_on = False

    def _pass_on(self, event: events.Key | events.Paste) -> None:
        self._passing_on = True
        event.stop()
        event.prevent_default()
        self.post_message(TypedElsewhere(event))
