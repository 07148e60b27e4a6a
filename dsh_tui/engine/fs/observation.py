"""Read before you change: a policy on the ``fs/*`` events, and nothing but that.

A session may change only what it has seen, as it has seen it. Any window counts as having
seen the file; own writes keep the knowledge fresh. Nothing is persisted: a resumed session
reads again. Source: capabilities B3.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from dsh_tui.engine.fs.errors import NOT_FOUND, NOT_OBSERVED, FsError
from dsh_tui.engine.fs.events import FS_EDIT_INTENT, FS_OBSERVED, FS_WRITE_INTENT
from dsh_tui.engine.fs.names import show_path
from dsh_tui.engine.fs.seam import Absent, Expected
from dsh_tui.engine.fs.version import Version
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_DISPOSED
from dsh_tui.engine.tools.definition import ToolCall

name = "fs/observation"


class Observations:
    """What each live session knows of each real file."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[Path, Version | None]] = {}

    def observed(self, call: ToolCall, path: Path, version: Version | None) -> None:
        self._seen.setdefault(call.session.id, {})[path] = version

    def forget(self, session: Session) -> None:
        self._seen.pop(session.id, None)

    async def on_write(self, call: ToolCall, path: Path, _next: Next[Expected]) -> Expected:
        """Unseen or absent: create only. Seen: replace that version only."""
        known = self._seen.get(call.session.id, {}).get(path)
        if known is None and await asyncio.to_thread(path.exists):
            raise FsError(
                f"{show_path(path)} exists and this session has not read it. Read it first, then retry.",
                code=NOT_OBSERVED,
            )
        return known or Absent()

    async def on_edit(self, call: ToolCall, path: Path, _next: Next[Expected]) -> Expected:
        """Unseen: read first. Seen: that version only."""
        seen = self._seen.get(call.session.id, {})
        if not await asyncio.to_thread(path.exists):
            raise FsError(f"{show_path(path)} does not exist. Use `write` to create it.", code=NOT_FOUND)
        known = seen.get(path)
        if known is None:
            raise FsError(
                f"This session has not read {show_path(path)}. Read it first, then retry.", code=NOT_OBSERVED
            )
        return known


def apply(ctx: Context, _config: object) -> None:
    """Enforce the rule for as long as this plugin lives."""
    observations = Observations()
    ctx.on(FS_WRITE_INTENT, observations.on_write)
    ctx.on(FS_EDIT_INTENT, observations.on_edit)
    ctx.on(FS_OBSERVED, observations.observed)
    ctx.on(SESSION_DISPOSED, observations.forget, everywhere=True)
