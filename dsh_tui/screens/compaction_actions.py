"""What a person can do on the chat screen about a history that grows: ``/compact``.

Source: core spec §10; ux spec §3.3.
"""

from __future__ import annotations

from dsh_tui.screens.chat_part import ChatPart


class CompactionActions(ChatPart):
    """The forecast, the question, and the go."""

    def action_session_compact(self, keep: str = "") -> None:
        port = self.port
        if port is None:
            return
        try:
            forecast = port.compaction.forecast()
        except Exception as error:  # noqa: BLE001 - one clear line; nothing was changed
            self.say(str(error), "warning")
            return
        from dsh_tui.screens.compaction import CompactionQuestion

        def answered(yes: bool | None) -> None:  # noqa: FBT001 - a dialog's result
            if not yes:
                return
            try:
                port.compaction.begin(keep)
            except Exception as error:  # noqa: BLE001 - as above: a turn may have begun meanwhile
                self.say(str(error), "warning")

        self.app.push_screen(CompactionQuestion(forecast, keep), answered)
