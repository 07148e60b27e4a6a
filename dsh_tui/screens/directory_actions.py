"""What a person can do on the chat screen when a session has lost its directory.

It is asked once when such a session is opened, and again by ``/directory``.
Source: design §4 (exec -C); ux spec §5.
"""

from __future__ import annotations

from textual import events, on

from dsh_tui.screens.chat_part import ChatPart


class DirectoryActions(ChatPart):
    """The question and its answers."""

    _asked_for = ("", "")
    """Session and trouble that were asked about last."""

    def action_session_browse(self) -> None:
        """Show the stored sessions."""
        raise NotImplementedError

    def action_session_move(self) -> None:
        port, view = self.port, self.shown
        if port is None or view is None:
            return
        if not view.lost_directory:
            self.say(f"This session works in {view.cwd}")
            return
        from dsh_tui.screens.directory_entry import DirectoryEntry

        entry = DirectoryEntry(view.lost_directory, port.move_session, value=str(self.dsh.cwd))

        def closed(moved: bool | None) -> None:  # noqa: FBT001 - a dialog's result
            if entry.elsewhere:
                self.action_session_browse()
            elif moved:
                self.say("The session goes on here; its log says so", "ok")

        self.app.push_screen(entry, closed)

    def ask_for_directory(self) -> None:
        """Ask where the session that is shown goes on, once, and not above another screen."""
        view = self.shown
        if view is None:
            return
        asked = (view.session_id, view.lost_directory)
        if not view.lost_directory:
            self._asked_for = ("", "")
        elif asked != self._asked_for and self.app.screen is self:
            self._asked_for = asked
            self.action_session_move()

    @on(events.ScreenResume)
    def _directory_resumed(self) -> None:
        self.ask_for_directory()
