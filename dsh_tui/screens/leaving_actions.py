"""Leaving the app, for good or for a while: ctrl+c, quitting, suspending to the shell.

What a notice says of a second press holds for as long as it is shown.
Source: UX spec §4 (ctrl+c, quit).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dsh_tui.screens.own_command_actions import OwnCommandActions

if TYPE_CHECKING:
    from textual.timer import Timer

QUIT_WINDOW: Final = 1.0
"""Seconds within which a second press quits."""
KEPT: Final = "Draft kept: ↑ brings it back"


class LeavingActions(OwnCommandActions):
    """What is pressed to stop, to leave, and to come back later."""

    _quit_asked = float("-inf")
    _offer: Timer | None = None

    def action_turn_ctrl_c(self) -> None:
        """Copy → end one's own command → interrupt → save and clear → quit, whichever applies first."""
        now = self.dsh.monotonic()
        selected = self.composer.selected_text or self.get_selected_text() or ""
        if self.dsh.leaving or now - self._quit_asked <= QUIT_WINDOW:
            self.dsh.leave()
        elif selected:
            self.dsh.copy(selected)
            self.clear_selection()
        elif self.stop_own_command():
            self._quit_asked = now
        elif self.busy and self.port is not None:
            self.port.cancel()
            self._quit_asked = now
        elif self.composer.stash():
            self._offer_to_quit("ctrl+c", KEPT)
        else:
            self.ask_to_quit("ctrl+c")

    def ask_to_quit(self, key: str) -> None:
        """Quit at the second press within the window."""
        if self.dsh.monotonic() - self._quit_asked <= QUIT_WINDOW:
            self.dsh.leave()
        else:
            self._offer_to_quit(key)

    def _offer_to_quit(self, key: str, said: str = "") -> None:
        self._quit_asked = self.dsh.monotonic()
        offer = f"{said}. {key} again quits" if said else f"{key} again quits"
        self.say(offer)

        def over() -> None:
            if self.said != offer:
                return
            if said:
                self.say(said)
            else:
                self.status_bar.clear_notice()

        if self._offer is not None:
            self._offer.stop()
        self._offer = self.set_timer(QUIT_WINDOW, over)

    def action_app_suspend(self) -> None:
        if not self.dsh.suspend_to_shell():
            self.say("No shell here to go back to: nothing could bring dsh-tui back")

    def action_app_quit(self) -> None:
        self.dsh.leave()
