"""``!command`` on the chat screen: run it, and put what it printed into the draft. Nothing is sent.

What it printed never becomes a command itself: while the draft is one, or a search, it waits.
Source: UX spec §1d (`!`).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from textual import on, work
from textual.widgets import TextArea
from textual.worker import Worker

from dsh_tui.screens.chat_part import ChatPart
from dsh_tui.widgets.columns import cut
from dsh_tui.widgets.messages import OwnCommandGiven
from dsh_tui.widgets.visible_text import one_line

SHOWN: Final = 100
"""Lines of output that are seen in the draft; more are folded, as a paste is."""
SHOWN_CHARACTERS: Final = 8_000
NAMED: Final = 60
"""Cells of a command in what is said of it."""


class OwnCommandActions(ChatPart):
    """One command at a time; esc ends it, as ctrl+c does."""

    _own: Worker[None] | None = None
    _printed: tuple[str, ...] = ()
    """What waits until the draft can take it."""

    @on(OwnCommandGiven)
    def _own_command_given(self, event: OwnCommandGiven) -> None:
        event.stop()
        if self._own is not None and self._own.is_running:
            self.say("One command at a time; esc ends the one that runs", "warning")
            self.composer.put(f"!{event.command}")
        else:
            self.composer.own_command = event.command
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

        cwd = self.dsh.cwd
        if self.shown is not None and self.shown.cwd and not self.plays_recording:  # that was made elsewhere
            cwd = Path(self.shown.cwd)
        name = cut(one_line(command), NAMED)
        try:
            done = await run_own(command, cwd, os.environ)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            self.say(f"{name}: {where}{error.strerror or error}", "error")
            return
        finally:
            self.composer.own_command = ""
        ended = done.ended or "done"
        if done.ended_more:
            ended += "; what it left in the background was ended too"
        if not done.output.strip():
            self.say(f"{name}: {ended}, no output")
            return
        self._printed += (done.as_prompt,)
        self._bring_printed()
        if self._printed:
            self.say(f"{name}: {ended}; what it printed comes into the draft after this command")
        else:
            self.say(f"{name}: {ended}; the model sees it when you send it")

    @on(TextArea.Changed)
    def _bring_printed(self) -> None:
        if not self._printed or self.composer.is_command or self.composer.searching:
            return
        printed, self._printed = self._printed, ()
        for text in printed:
            much = text.count("\n") > SHOWN or len(text) > SHOWN_CHARACTERS
            self.composer.bring(text, folded=much)
