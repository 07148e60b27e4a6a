"""Finding words in what is shown, on the chat screen: the bar's questions brought to the transcript.

Source: UX spec §4 (search transcript).
"""

from __future__ import annotations

from textual import on

from dsh_tui.screens.chat_part import ChatPart
from dsh_tui.widgets.find_bar import FindBar
from dsh_tui.widgets.messages import FindAsked
from dsh_tui.widgets.transcript import Transcript


class FindActions(ChatPart):
    """The bar and the transcript are composed by `ChatScreen`."""

    find_bar: FindBar
    transcript: Transcript

    def action_view_find(self, words: str = "") -> None:
        if self.shown is None or not self.shown.blocks:
            self.say("Nothing to find yet")
        else:
            self.find_bar.open(words)

    @on(FindBar.Wanted)
    def _find(self, event: FindBar.Wanted) -> None:
        event.stop()
        found = self.transcript.find(event.words, older=event.older)
        if not event.words:
            self.find_bar.tell("")
        elif found is None:
            self.find_bar.tell("nowhere in this session", nowhere=True)
        else:
            self.find_bar.tell(f"block {found.number} of {found.of}")

    @on(FindBar.Left)
    def _to_the_block(self, event: FindBar.Left) -> None:
        event.stop()
        self.transcript.focus()

    @on(FindAsked)
    def _find_asked(self, event: FindAsked) -> None:
        event.stop()
        if event.older is None:
            self.action_view_find()
        elif self.find_bar.words:
            self.find_bar.action_step(event.older)

    def stop_finding(self) -> bool:
        """Close the bar; the view stays where it is. False if it was not open."""
        if not self.find_bar.is_open:
            return False
        self.find_bar.close()
        self.transcript.find("")
        self.composer.focus()
        return True
