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
from dsh_tui.engine.fs.errors import SANDBOX_DENIED, STALE_VERSION, FsError
from dsh_tui.engine.fs.events import FS_OBSERVED
from dsh_tui.engine.fs.names import show_path
from dsh_tui.engine.fs.paths import follow, resolve
from dsh_tui.engine.fs.place import link_in_the_way
from dsh_tui.engine.fs.seam import Absent, Anything, Expected, FileSystem, TextFile
from dsh_tui.engine.fs.version import Version
from dsh_tui.engine.fs.workspace import bound_path, reach_beyond
from dsh_tui.engine.kernel import Context, Waterfall
from dsh_tui.engine.sandbox.bounds import Bounds, Wider
from dsh_tui.engine.sandbox.service import Sandbox
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

    def __init__(self, ctx: Context, files: FileSystem, sandbox: Sandbox | None = None) -> None:
        self._ctx = ctx
        self._files = files
        self._sandbox = sandbox
        self._previewed: OrderedDict[tuple[str, str], Version | Absent] = OrderedDict()

    async def preview(
        self, call: ToolCall, raw: str, intent: Waterfall[[ToolCall, Path], Expected], rewrite: Rewrite
    ) -> JsonObject:
        """The card for whoever approves: the whole diff, and the real file behind a link."""
        named, real = await asyncio.to_thread(lambda: (resolve(call.cwd, raw), bound_path(call, raw)))
        change = await self._plan(call, real, intent, rewrite)
        self._previewed[call.session.id, call.call_id] = change.base
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
        real = await asyncio.to_thread(_still, call, raw)
        change = await self._plan(call, real, intent, rewrite)
        shown = shown_from(change.path, call.cwd)
        if previewed is not None and not _same(previewed, change.base):
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

    @property
    def is_confined(self) -> bool:
        """Whether a sandbox watches over the changes."""
        return self._sandbox is not None

    @property
    def can_be_confined(self) -> bool:
        """Whether this system can confine commands, and the changes with them."""
        return self._sandbox is not None and self._sandbox.confines

    def check_bounds(self, call: ToolCall, raw: str, asked: Wider | None) -> None:
        """The sandbox's limits, for a change of this process as for a command.

        Raises:
            FsError: ``FS_SANDBOX_DENIED``.
            EscalationError: the call asks to leave in a way that can't be granted.
        """
        bounds = None if self._sandbox is None else self._sandbox.bounds(call, asked)
        if bounds is None:
            return
        real = bound_path(call, raw)
        why = _beyond(bounds, real)
        if why:
            raise FsError(
                f"{shown_from(real, call.cwd)} {why}, so nothing was written (sandbox policy: "
                f"{bounds.policy}). If it must be changed, repeat this call with `sandbox_permissions` and "
                "one sentence of `justification`; the user decides.",
                code=SANDBOX_DENIED,
            )

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


def _still(call: ToolCall, raw: str) -> Path:
    """The file that the call was decided on, if its words still mean that one."""
    bound = bound_path(call, raw)
    if follow(resolve(call.cwd, raw)) != bound:
        raise link_in_the_way(call.cwd / raw)
    return bound


def _beyond(bounds: Bounds, real: Path) -> str:
    """Why the sandbox does not let this real file be changed; empty if it does."""
    root = next((root for root in bounds.writable if real.is_relative_to(root)), None)
    if root is None:
        return "is outside of what this session may change"
    if not bounds.allows(real):
        return "is one of the files that git or dsh-tui acts on by itself"
    reach = reach_beyond(real, root)
    return f"is a file{reach}" if reach else ""


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
