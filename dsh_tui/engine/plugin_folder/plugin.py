"""Plugin: mounts the user's plugin folder and, where asked to, watches it.

The watcher only says when to look; what has changed is decided by content. It also looks once a
second, since a link's target or a replaced folder raises no event here.
Source: design §3.20.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import importlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dsh_tui.engine.kernel import Context, Disposer
from dsh_tui.engine.plugin_folder.folder import PLUGINS, PluginFolder

name = "plugin-folder"

LOOK_MS = 1_000
DEBOUNCE_MS = 50
STEP_MS = 200
"""How often its thread wakes; 50 by default, which alone costs 0.09 % of a CPU."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Where the plugins are, each one's config by name, and whether saves are followed."""

    folder: Path
    configs: Mapping[str, object] = field(default_factory=dict)
    watch: bool = True


async def apply(ctx: Context, config: Config) -> AsyncIterator[Disposer]:
    """Mount `PLUGINS`; the first look is taken by whoever boots, with `PluginFolder.sync`."""
    folder = PluginFolder(ctx, config.folder, config.configs)
    yield ctx.provide(PLUGINS, folder)
    if config.watch:
        # A context of its own: the watcher waits for fibers without belonging to one.
        task = asyncio.create_task(_follow(folder), context=contextvars.Context())

        async def stop() -> None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

        yield stop


async def _follow(folder: PluginFolder) -> None:
    watchfiles = await asyncio.to_thread(importlib.import_module, "watchfiles")  # 40 ms
    looks: set[asyncio.Task[None]] = set()
    while True:
        try:
            async for _ in watchfiles.awatch(
                folder.folder,
                watch_filter=None,
                debounce=DEBOUNCE_MS,
                step=STEP_MS,
                rust_timeout=LOOK_MS,
                yield_on_timeout=True,
            ):
                # Not awaited: a plugin that is slow to import must not hide the next save.
                look = asyncio.create_task(folder.sync())
                looks.add(look)
                look.add_done_callback(looks.discard)
        except (OSError, RuntimeError):  # the folder is gone, or was replaced by another
            await folder.sync()
        await asyncio.sleep(LOOK_MS / 1000)
