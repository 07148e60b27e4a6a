"""``!command`` on the chat screen: run it, and put what it printed into the draft. Nothing is sent.

Source: UX spec §1d (`!`).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from textual import on, work
from textual.worker import Worker

from dsh_tui.screens.chat_part import ChatPart
from dsh_tui.widgets.messages import OwnCommandGiven
from dsh_tui.widgets.paste import clean

SHOWN: Final = 100
"""Lines of output that are seen in the draft; more are folded, as a paste is."""


class OwnCommandActions(ChatPart):
    """One command at a time; esc ends it."""

    _own: Worker[None] | None = None

    @on(OwnCommandGiven)
    def _own_command_given(self, event: OwnCommandGiven) -> None:
        event.stop()
        if self._own is not None and self._own.is_running:
            self.say("One command at a time; esc ends the one that runs", "warning")
            self.composer.put(f"!{event.command}")
        else:
            self.say(f"{event.command} … esc ends it")
            self._own = self._run_own(event.command)

    def stop_own_command(self) -> bool:
        """End the one that runs. False if there is none."""
        if self._own is None or not self._own.is_running:
            return False
        self._own.cancel()
        self.say("The command was ended")
        return True

    @work(group="own", exit_on_error=False)
    async def _run_own(self, command: str) -> None:
        from dsh_tui.own_command import run_own

        cwd = Path(self.shown.cwd) if self.shown is not None and self.shown.cwd else self.dsh.cwd
        try:
            done = await run_own(command, cwd, os.environ)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            self.say(f"{command}: {where}{error.strerror or error}", "error")
            return
        ended = f"exit {done.status}" if done.status else "done"
        if not done.output.strip():
            self.say(f"{command}: {ended}, no output")
            return
        if done.output.count("\n") <= SHOWN:
            self.composer.keep(clean(done.as_prompt))
        else:
            self.composer.take_paste(done.as_prompt)
        self.say(f"{command}: {ended}; the model sees it when you send it")
