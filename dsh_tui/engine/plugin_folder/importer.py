"""Runs a plugin's file as a module of its own name, in a thread, with a limit.

What runs are the bytes of the `PluginSource`, its own modules too: nothing is read a second time, so
what was digested is what runs. No ``.pyc`` is read or written: a save within the same second counts,
and nothing appears in the folder that would count as a save.
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
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.plugin_folder.source import PluginSource

IMPORT_LIMIT_S = 10.0


class PluginError(HarnessError):
    """A plugin can't be used. One line: file, line where known, and what is wrong."""

    code = "PLUGIN_BROKEN"


class _ReadLoader(importlib.machinery.SourceFileLoader):
    """Compiles one file of a plugin from what was read of it."""

    def __init__(self, fullname: str, path: Path, source: PluginSource) -> None:
        super().__init__(fullname, str(path))
        self._source = source

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self._source.contents[Path(path)], path)


class _OwnModules(MetaPathFinder):
    """Finds the modules of packages in what was read of them."""

    def __init__(self) -> None:
        self.packages: dict[str, PluginSource] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        package, _, below = fullname.partition(".")
        source = self.packages.get(package)
        if source is None or not below:
            return None
        place = source.path.parent.joinpath(*below.split("."))
        for file in (place / "__init__.py", place.parent / f"{place.name}.py"):
            if file in source.contents:
                return _spec(fullname, file, source)
        if source.is_sealed:
            raise ModuleNotFoundError(f"No module named {fullname!r} in what was trusted", name=fullname)
        return None


_own_modules = _OwnModules()


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
    name = source.module
    forget(name)
    spec = _spec(name, source.path, source)
    if spec is None or spec.loader is None:
        raise ImportError(f"{source.path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    if source.is_package:
        _own_modules.packages[name] = source
        if _own_modules not in sys.meta_path:
            sys.meta_path.insert(0, _own_modules)
    sys.modules[name] = module
    sys.dont_write_bytecode = True  # for its submodules: a cache written in the folder would count as a save
    try:
        spec.loader.exec_module(module)
    except BaseException:  # raised again; what was begun is undone first
        forget(name)
        raise
    return module


def _spec(fullname: str, file: Path, source: PluginSource) -> ModuleSpec | None:
    return importlib.util.spec_from_file_location(
        fullname,
        file,
        loader=_ReadLoader(fullname, file, source),
        submodule_search_locations=[str(file.parent)] if file.name == "__init__.py" else None,
    )


def forget(name: str) -> None:
    """Drop a module and its submodules, so that the next import runs all of them anew."""
    _own_modules.packages.pop(name, None)
    for loaded in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
        del sys.modules[loaded]


def _post(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:
        return  # the app is gone, and with it whoever waited
