"""Changes: what `write` and `edit` will do to one file, worked out before anything is asked or done.

The change that a preview showed is the change that is made: the version it was computed from is
remembered by call, and if the file is another one by then, the call fails and nothing is written.
Source: design §3.12; contract of ``ToolDefinition.preview``.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.frozen import FrozenDict, JsonObject
from dsh_tui.engine.fs.diff import Diff, diff_texts
from dsh_tui.engine.fs.errors import STALE_VERSION, FsError
from dsh_tui.engine.fs.events import FS_OBSERVED
from dsh_tui.engine.fs.names import show_path
from dsh_tui.engine.fs.paths import follow, locate
from dsh_tui.engine.fs.seam import Absent, Anything, Expected, FileSystem, TextFile
from dsh_tui.engine.fs.version import Version
from dsh_tui.engine.kernel import Context, Waterfall
from dsh_tui.engine.scope import scope_target
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput

MAX_META_LINES: Final = 2_000
"""Lines of hunks kept with a result. Previews are never cut: they are what is approved."""

_REMEMBERED: Final = 256

Rewrite = Callable[[TextFile | None, Path], tuple[str, str]]
"""From the file as it is (None: absent) to its new text and a few words on the change."""


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after."""

    path: Path
    """The real file."""
    before: TextFile | None
    after: str
    words: str
    diff: Diff

    @property
    def base(self) -> Version | Absent:
        return Absent() if self.before is None else self.before.version


class Changes:
    """Plans, previews and makes changes for the tools of one plugin."""

    def __init__(self, ctx: Context, files: FileSystem) -> None:
        self._ctx = ctx
        self._files = files
        self._previewed: OrderedDict[tuple[str, str], tuple[Path, Version | Absent]] = OrderedDict()

    async def preview(
        self, call: ToolCall, raw: str, intent: Waterfall[[ToolCall, Path], Expected], rewrite: Rewrite
    ) -> JsonObject:
        """The card for whoever approves: the whole diff, and the real file behind a link."""
        named, real = await locate(call.cwd, raw)
        change = await self._plan(call, real, intent, rewrite)
        self._previewed[call.session.id, call.call_id] = (real, change.base)
        while len(self._previewed) > _REMEMBERED:
            self._previewed.popitem(last=False)
        shown, target = shown_from(named, call.cwd), shown_from(real, call.cwd)
        if shown != target:
            shown = f"{shown} → {target}"
        card = change.diff.to_json(shown, created=change.before is None)
        return FrozenDict({"card": "diff", **card})

    async def make(
        self, call: ToolCall, raw: str, intent: Waterfall[[ToolCall, Path], Expected], rewrite: Rewrite
    ) -> ToolOutput:
        """Write the change, tell what the session knows now, and say what was done."""
        previewed = self._previewed.pop((call.session.id, call.call_id), None)
        _, real = await locate(call.cwd, raw)
        change = await self._plan(call, real, intent, rewrite)
        shown = shown_from(change.path, call.cwd)
        if previewed is not None and not (previewed[0] == real and _same(previewed[1], change.base)):
            raise FsError(
                f"{shown} changed after this change was shown for approval. Nothing was written. "
                "Read it again, then retry.",
                code=STALE_VERSION,
            )
        call.signal.check()
        meta = change.diff.to_json(shown, created=change.before is None, limit=MAX_META_LINES)
        if change.before is not None and change.before.text == change.after:
            return ToolOutput(f"{shown} already has exactly this content; nothing was written.", meta)
        form = None if change.before is None else change.before.format
        written = await self._files.write_text(change.path, change.after, form, change.base)
        scope_target(self._ctx, call.agent).emit(FS_OBSERVED, call, written.path, written.version)
        return ToolOutput(f"{change.words} {shown} (+{change.diff.added} -{change.diff.removed})", meta)

    async def _plan(
        self, call: ToolCall, real: Path, intent: Waterfall[[ToolCall, Path], Expected], rewrite: Rewrite
    ) -> Change:
        async def unconditional() -> Expected:
            return Anything()

        expected = await scope_target(self._ctx, call.agent).waterfall(intent, unconditional, call, real)
        exists = await self._files.kind(real) != "absent"
        before = await self._files.read_text(real) if exists else None
        if isinstance(expected, Version) and (before is None or not before.version.matches(expected)):
            raise FsError(
                f"{shown_from(real, call.cwd)} changed since it was read. Read it again, then retry.",
                code=STALE_VERSION,
            )
        return await asyncio.to_thread(_change, real, before, rewrite)


def _change(real: Path, before: TextFile | None, rewrite: Rewrite) -> Change:
    after, words = rewrite(before, real)
    return Change(real, before, after, words, diff_texts("" if before is None else before.text, after))


def _same(one: Version | Absent, other: Version | Absent) -> bool:
    if isinstance(one, Version) and isinstance(other, Version):
        return one.matches(other)
    return one == other


def shown_from(path: Path, cwd: Path) -> str:
    """The path as people say it: relative inside the session's directory, else whole."""
    for root in (cwd, follow(cwd)):
        if path != root and path.is_relative_to(root) and ".." not in path.parts:
            return show_path(path.relative_to(root))
    return show_path(path)
