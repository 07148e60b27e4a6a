"""What a person can do to look back: the request inspector, the timeline, and who allowed what."""

from __future__ import annotations

from dsh_tui.screens.chat_part import ChatPart


class HistoryActions(ChatPart):
    """The actions; the screens are imported when they are first asked for."""

    def action_request_show(self) -> None:
        if (port := self.engine()) is not None:
            from dsh_tui.screens.request import RequestScreen

            self.app.push_screen(RequestScreen(port.history, self._title_shown))

    def action_timeline_show(self) -> None:
        if (port := self.engine()) is not None:
            from dsh_tui.screens.timeline import TimelineScreen

            self.app.push_screen(TimelineScreen(port, self._title_shown))

    def action_permissions_show(self) -> None:
        if (port := self.engine()) is not None:
            from dsh_tui.screens.permissions import PermissionsScreen

            self.app.push_screen(PermissionsScreen(port.permissions, self.dsh.now_ms))

    @property
    def _title_shown(self) -> str:
        return self.shown.title if self.shown is not None else ""
