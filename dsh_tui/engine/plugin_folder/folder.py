"""The plugin folder: each file a fiber, each save a reload, each fault a line to read.

A save is imported first; only a module that imports takes the old one's place. If its start
then fails, the old module is started again, and the record says so. One plugin moves at a time
per name, so that quick saves end with the last one. Where a folder is looked at through somebody's
eyes (`Finder`), a plugin that may not be taken as it is now keeps running as it was.
Source: design §3.20, §3.14.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Literal

from dsh_tui.engine.kernel import Context, Emit, Fiber, FiberState, ServiceKey
from dsh_tui.engine.plugin_folder.importer import (
    IMPORT_LIMIT_S,
    PluginError,
    describe,
    forget,
    import_plugin,
)
from dsh_tui.engine.plugin_folder.source import PluginSource, find_plugins

PluginState = Literal["loading", "active", "waiting", "failed", "gone"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRecord:
    """What a person may know of one plugin. ``error`` beside ``active``: the version before it runs."""

    name: str
    path: Path
    state: PluginState
    error: str = ""
    reloads: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """What a look at a folder gave."""

    sources: Mapping[str, PluginSource]
    kept: Mapping[str, str] = field(default_factory=dict)
    """Not to be taken as they are now, and why; a version that runs goes on running."""
    refused: Mapping[str, PluginRecord] = field(default_factory=dict)
    """Never to run."""
    unread: Mapping[str, PluginRecord] = field(default_factory=dict)
    """Not to be read as they are now; a version that runs goes on running."""


Finder = Callable[[], Found]
"""Looks at a folder. Blocks: called in a thread."""


@dataclass(slots=True)
class _Mounted:
    """A running module and the fiber that it lives in."""

    module: ModuleType
    fiber: Fiber
    source: PluginSource


class PluginFolder:
    """Mounts what is in one folder and keeps up with it. Published under `PLUGINS`."""

    def __init__(
        self,
        ctx: Context,
        folder: Path,
        configs: Mapping[str, object],
        *,
        find: Finder | None = None,
        limit_s: float = IMPORT_LIMIT_S,
    ) -> None:
        self._ctx = ctx
        self._find = find or (lambda: _look(folder))
        self._folder = folder
        self._configs = configs
        self._limit_s = limit_s
        self._records: dict[str, PluginRecord] = {}
        self._mounted: dict[str, _Mounted] = {}
        self._seen: dict[str, str] = {}
        self._kept: set[str] = set()
        self._looking = asyncio.Lock()
        self._locks: dict[str, asyncio.Lock] = {}

    @property
    def folder(self) -> Path:
        return self._folder

    def records(self) -> tuple[PluginRecord, ...]:
        """All plugins of the folder by name."""
        return tuple(self._records[name] for name in sorted(self._records))

    async def sync(self) -> None:
        """Look at the folder and bring the tree in line with it; returns when all of it stands."""
        async with self._looking:  # what was seen later must not be acted on earlier
            found = await asyncio.to_thread(self._find)
            known = found.sources.keys() | found.kept.keys() | found.refused.keys() | found.unread.keys()
            moves = [self._remove(name) for name in self._records.keys() - known]
            moves += [self._keep(name, why) for name, why in found.kept.items() if name in self._records]
            moves += [self._refuse(record) for record in found.refused.values()]
            moves += [self._leave(record) for record in found.unread.values()]
            for name, source in found.sources.items():
                if self._seen.get(name) != source.digest:
                    self._seen[name] = source.digest
                    moves.append(self._load(source))
                elif name in self._kept:
                    moves.append(self._keep(name, ""))
        if moves:
            await asyncio.gather(*moves)
            await self._retry_failed(found.sources)

    async def reload(self, name: str) -> None:
        """Load one plugin again, saved or not."""
        self._seen.pop(name, None)
        await self.sync()

    async def _keep(self, name: str, why: str) -> None:
        """Say why the version that runs is not the one in the folder, or that it is again."""
        async with self._locks.setdefault(name, asyncio.Lock()):
            record = self._records.get(name)
            if record is None:
                return
            if why and name not in self._mounted:
                self._drop(name)
            elif record.error != why:
                (self._kept.add if why else self._kept.discard)(name)
                self._note(replace(record, error=why))

    async def _refuse(self, record: PluginRecord) -> None:
        if self._records.get(record.name) != record:
            await self._remove(record.name)
            self._note(record)

    async def _leave(self, record: PluginRecord) -> None:
        """Say why it can't be read; what runs goes on."""
        if record.name in self._mounted:
            await self._keep(record.name, record.error)
            return
        async with self._locks.setdefault(record.name, asyncio.Lock()):
            self._seen.pop(record.name, None)
            if self._records.get(record.name) != record:
                self._note(record)

    async def _retry_failed(self, found: Mapping[str, PluginSource]) -> None:
        """A plugin that failed beside another may work now that the other has moved."""
        failed = [
            name for name, record in self._records.items() if record.state == "failed" and name in found
        ]
        if failed and len(found) > len(failed):
            await asyncio.gather(*(self._load(found[name], quietly=True) for name in failed))

    async def _load(self, source: PluginSource, *, quietly: bool = False) -> None:
        async with self._locks.setdefault(source.name, asyncio.Lock()):
            if self._seen.get(source.name) != source.digest:
                return  # a later save is behind us in the line
            self._kept.discard(source.name)
            before = self._records.get(source.name)
            if not quietly:
                self._note(PluginRecord(name=source.name, path=source.path, state="loading"))
            try:
                module = await import_plugin(source, limit_s=self._limit_s)
                record = await self._exchange(source, module)
            except PluginError as error:
                record = self._failure(source, error.message)
            reloads = before.reloads + (not quietly) if before else 0
            self._note(replace(record, reloads=reloads))

    async def _exchange(self, source: PluginSource, module: ModuleType) -> PluginRecord:
        old = self._mounted.pop(source.name, None)
        if old is not None:
            await old.fiber.dispose()
        try:
            fiber = await self._mount(source, module)
        except PluginError:
            if old is not None:
                self._mounted[source.name] = _Mounted(
                    old.module, await self._mount(old.source, old.module), old.source
                )
            raise
        self._mounted[source.name] = _Mounted(module, fiber, source)
        if fiber.state is FiberState.PENDING:
            missing = ", ".join(fiber.missing())
            return PluginRecord(
                name=source.name, path=source.path, state="waiting", error=f"waits for service {missing}"
            )
        return PluginRecord(name=source.name, path=source.path, state="active")

    async def _mount(self, source: PluginSource, module: ModuleType) -> Fiber:
        fiber: Fiber | None = None
        try:
            fiber = self._ctx.plugin(module, self._configs.get(source.name))
            async with asyncio.timeout(self._limit_s):
                await fiber
        except TimeoutError:
            if fiber is not None:
                fiber.dispose()  # not awaited: its `apply` hangs
            raise PluginError(f"{source.path}: `apply` did not return within {self._limit_s:g} s") from None
        except Exception as error:  # a plugin may raise anything; it is told, and fails alone
            if fiber is not None:
                await fiber.dispose()
            raise PluginError(describe(error, source.files)) from error
        return fiber

    def _failure(self, source: PluginSource, message: str) -> PluginRecord:
        _log.warning("plugin %s: %s", source.name, message)
        runs = source.name in self._mounted
        return PluginRecord(
            name=source.name, path=source.path, state="active" if runs else "failed", error=message
        )

    async def _remove(self, name: str) -> None:
        async with self._locks.setdefault(name, asyncio.Lock()):
            mounted = self._mounted.pop(name, None)
            if mounted is not None:
                await mounted.fiber.dispose()
                forget(mounted.source.module)
            self._drop(name)

    def _drop(self, name: str) -> None:
        self._seen.pop(name, None)
        self._kept.discard(name)
        record = self._records.pop(name, None)
        if record is not None:
            self._ctx.root.emit(PLUGINS_CHANGED, replace(record, state="gone", error=""))

    def _note(self, record: PluginRecord) -> None:
        self._records[record.name] = record
        self._ctx.root.emit(PLUGINS_CHANGED, record)


def _look(folder: Path) -> Found:
    sources, unread = find_plugins(folder)
    records = {
        name: PluginRecord(name=name, path=one.path, state="failed", error=one.why)
        for name, one in unread.items()
    }
    return Found(sources, unread=records)


PLUGINS: ServiceKey[PluginFolder] = ServiceKey("plugin-folder")
PLUGINS_CHANGED: Emit[[PluginRecord]] = Emit("plugins/change")
"""A plugin of the folder has moved to another state, or has gone."""
