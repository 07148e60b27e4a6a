"""What the parts of the chat screen share: the port, the view that is shown, and a line to say something.

A part holds the actions and the wiring of one subject; `ChatScreen` composes what they act on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen

from dsh_tui.screens.composer_words import RECORDING

if TYPE_CHECKING:
    from dsh_tui.app import DshApp
    from dsh_tui.engine.projection.views import ChatView
    from dsh_tui.screens.ports import ChatPort
    from dsh_tui.widgets.approval_dock import ApprovalDock
    from dsh_tui.widgets.composer import Composer
    from dsh_tui.widgets.status_bar import StatusBar


class ChatPart(Screen[None]):
    """The base of all parts."""

    port: ChatPort | None
    shown: ChatView | None
    composer: Composer
    dock: ApprovalDock
    status_bar: StatusBar
    said = ""
    """The last thing that was said, whether it is shown still or not."""

    @property
    def dsh(self) -> DshApp:
        """The app, as what it is."""
        return self.app  # type: ignore[return-value] # this screen lives in no other app

    @property
    def busy(self) -> bool:
        """Whether a turn runs, waits or stops."""
        return self.shown is not None and self.shown.status.state in ("running", "waiting", "stopping")

    @property
    def plays_recording(self) -> bool:
        """Whether what is shown was recorded; see `dsh_tui.bridge.recording`."""
        return self.shown is not None and self.shown.read_only.startswith(RECORDING)

    def engine(self) -> ChatPort | None:
        """What an action acts on; None while it is not there yet, and then that is said."""
        if self.port is None:
            self.say("The engine is not there yet; try again in a moment")
        return self.port

    def say(self, text: str, tone: str = "info") -> None:
        """One line for a few seconds."""
        self.said = text
        self.status_bar.notice(text, tone)
