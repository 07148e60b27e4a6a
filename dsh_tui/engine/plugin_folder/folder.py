"""The plugin folder: each file a fiber, each save a reload, each fault a line to read.

A save is imported first; only a module that imports takes the old one's place. If its start
then fails, the old module is started again, and the record says so. One plugin moves at a time
per name, so that quick saves end with the last one. Source: design §3.20.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Literal

from dsh_tui.engine.kernel import Context, Emit, Fiber, FiberState, ServiceKey
from dsh_tui.engine.plugin_folder.importer import IMPORT_LIMIT_S, PluginError, describe, import_plugin
from dsh_tui.engine.plugin_folder.source import PluginSource, find_plugins

PluginState = Literal["loading", "active", "waiting", "failed"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRecord:
    """What a person may know of one plugin. ``error`` beside ``active``: the version before it runs."""

    name: str
    path: Path
    state: PluginState
    error: str = ""
    reloads: int = 0


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
        limit_s: float = IMPORT_LIMIT_S,
    ) -> None:
        self._ctx = ctx
        self._folder = folder
        self._configs = configs
        self._limit_s = limit_s
        self._records: dict[str, PluginRecord] = {}
        self._mounted: dict[str, _Mounted] = {}
        self._seen: dict[str, str] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    @property
    def folder(self) -> Path:
        return self._folder

    def records(self) -> tuple[PluginRecord, ...]:
        """All plugins of the folder by name."""
        return tuple(self._records[name] for name in sorted(self._records))

    async def sync(self) -> None:
        """Look at the folder and bring the tree in line with it; returns when all of it stands."""
        found = await asyncio.to_thread(find_plugins, self._folder)
        moves = [self._remove(name) for name in set(self._records) - set(found)]
        for name, source in found.items():
            if self._seen.get(name) != source.digest:
                self._seen[name] = source.digest
                moves.append(self._load(source))
        if moves:
            await asyncio.gather(*moves)
            await self._retry_failed(found)

    async def reload(self, name: str) -> None:
        """Load one plugin again, saved or not."""
        self._seen.pop(name, None)
        await self.sync()

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
            self._seen.pop(name, None)
            record = self._records.pop(name, None)
            mounted = self._mounted.pop(name, None)
            if mounted is not None:
                await mounted.fiber.dispose()
            if record is not None:
                self._ctx.root.emit(PLUGINS_CHANGED, record)

    def _note(self, record: PluginRecord) -> None:
        self._records[record.name] = record
        self._ctx.root.emit(PLUGINS_CHANGED, record)


PLUGINS: ServiceKey[PluginFolder] = ServiceKey("plugin-folder")
PLUGINS_CHANGED: Emit[[PluginRecord]] = Emit("plugins/change")
"""A plugin of the folder has moved to another state, or has gone."""
