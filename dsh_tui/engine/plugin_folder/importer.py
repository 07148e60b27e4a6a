"""Runs a plugin's file as a module of its own name, in a thread, with a limit.

The file is compiled from its bytes every time: no ``.pyc`` is read or written, so a save within
the same second counts, and nothing appears in the folder that would count as a save.
Whatever the file does while it runs (raise, exit, interrupt, sleep) ends as one `PluginError`.
Source: design §3.20; core spec §1 (HMR).
"""

from __future__ import annotations

import asyncio
import importlib.machinery
import importlib.util
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from types import CodeType, ModuleType

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.plugin_folder.source import PluginSource

IMPORT_LIMIT_S = 10.0
MODULE_PREFIX = "dsh_tui_plugin_"


class PluginError(HarnessError):
    """A plugin can't be used. One line: file, line where known, and what is wrong."""

    code = "PLUGIN_BROKEN"


class _UncachedLoader(importlib.machinery.SourceFileLoader):
    """A source loader that neither reads nor writes byte code."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


async def import_plugin(source: PluginSource, *, limit_s: float = IMPORT_LIMIT_S) -> ModuleType:
    """The module of a plugin, freshly run and checked for an ``apply``.

    The thread of an import that exceeds the limit can't be stopped; it is left alone, and what
    it returns is dropped.

    Raises:
        PluginError: it doesn't compile, raises, exits, takes longer than the limit or has no ``apply``.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[ModuleType | BaseException] = loop.create_future()

    def settle(result: ModuleType | BaseException) -> None:
        if not done.done():
            done.set_result(result)

    def run() -> None:
        try:
            result: ModuleType | BaseException = _run_module(source)
        except BaseException as error:  # noqa: BLE001  # SystemExit and KeyboardInterrupt of a plugin are its faults
            result = error
        _post(loop, lambda: settle(result))

    threading.Thread(target=run, name=f"import {source.name}", daemon=True).start()
    try:
        outcome = await asyncio.wait_for(done, limit_s)
    except TimeoutError:
        raise PluginError(
            f"{source.path}: still running its import after {limit_s:g} s; move slow work into `apply`"
        ) from None
    if isinstance(outcome, BaseException):
        raise PluginError(describe(outcome, source.files)) from outcome
    if not callable(getattr(outcome, "apply", None)):
        raise PluginError(f"{source.path}: has no function `apply(ctx, config)`")
    vars(outcome).setdefault("name", source.name)  # else errors and logs would call it by our module name
    return outcome


def describe(error: BaseException, files: Sequence[object]) -> str:
    """One line for an error of a plugin: the deepest place in its own files, then the message."""
    own = {str(path) for path in files}
    message = " ".join(str(error).split()) or "no message"
    if isinstance(error, SyntaxError) and error.filename in own:
        return f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in own]
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else str(next(iter(files), "plugin"))
    return f"{where}: {type(error).__name__}: {message}"


def _run_module(source: PluginSource) -> ModuleType:
    name = f"{MODULE_PREFIX}{source.name.replace('-', '_')}"
    forget(name)
    spec = importlib.util.spec_from_file_location(
        name,
        source.path,
        loader=_UncachedLoader(name, str(source.path)),
        submodule_search_locations=[str(source.path.parent)] if source.is_package else None,
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{source.path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.dont_write_bytecode = True  # for its submodules: a cache written in the folder would count as a save
    try:
        spec.loader.exec_module(module)
    except BaseException:  # raised again; what was begun is undone first
        forget(name)
        raise
    return module


def forget(name: str) -> None:
    """Drop a module and its submodules, so that the next import runs all of them anew."""
    for loaded in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
        del sys.modules[loaded]


def _post(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:
        return  # the app is gone, and with it whoever waited
