"""Prompts of earlier sessions in this directory: ↑ past the oldest one and the search go on into them.

They are read from the logs, once, when they are first asked for; nothing else keeps them.
Source: UX spec §1 (history and reverse search); design §3.3 (the log is the truth).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import Final

from textual import on, work

from dsh_tui.engine.projection.views import SessionRow, UserView
from dsh_tui.screens.chat_part import ChatPart
from dsh_tui.widgets.composer import Composer

SESSIONS: Final = 12
"""So many of the newest are read."""
LISTENING_S: Final = 2.0
"""How long the list of sessions may take to be brought up to date."""


class RecallActions(ChatPart):
    """The composer asks; what is found is put before the prompts that it knows."""

    _recalled = ""
    """The directory whose prompts are known, or being read."""

    @on(Composer.EarlierAsked)
    def _earlier_asked(self, event: Composer.EarlierAsked) -> None:
        event.stop()
        cwd = self.shown.cwd if self.shown is not None else ""
        if self.port is not None and cwd and cwd != self._recalled:
            self._recalled = cwd
            self._recall(cwd)

    @work(exclusive=True, group="recall", exit_on_error=False)
    async def _recall(self, cwd: str) -> None:
        if self.port is None or self.shown is None:
            return
        known = {self.shown.session_id}
        try:
            async with asyncio.timeout(LISTENING_S), aclosing(self.port.library.watch()) as lists:  # type: ignore[type-var]  # it is a generator
                async for rows in lists:
                    await self._take([row for row in rows if row.cwd == cwd][:SESSIONS], known)
        except TimeoutError:
            pass
        except Exception as error:  # noqa: BLE001 - the draft is not held up by a list that can't be read
            self.say(f"Earlier prompts can't be read: {error}", "warning")

    async def _take(self, rows: Sequence[SessionRow], known: set[str]) -> None:
        """Read those that were not read yet, the newest last."""
        prompts: list[str] = []
        for row in rows:
            if self.port is not None and row.id not in known and row.origin is None:
                known.add(row.id)
                blocks = await self.port.library.preview(row.id)
                said = [b.text for b in blocks if isinstance(b, UserView) and b.origin == "prompt"]
                prompts[:0] = said
        self.composer.recall(prompts)
