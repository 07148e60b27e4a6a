"""What counts as a plugin in a folder, and when it has changed.

A plugin is a ``name.py`` file or a folder with an ``__init__.py``. What editors leave behind
while they save is never one. A change is a change of content: times and sizes can lie. The files
are read once: what is digested is what runs.
Source: design §3.20.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from dsh_tui.engine.base.regular_file import UnreadableError, read_regular
from dsh_tui.engine.trust.layout import PLUGIN_NAME

MODULE_PREFIX = "dsh_tui_plugin_"
LARGEST: Final = 8_388_608
"""Bytes of one file."""


@dataclass(frozen=True, slots=True)
class PluginSource:
    """One plugin as it was read. ``digest`` covers all of its Python files."""

    name: str
    path: Path
    """The file to run: ``name.py`` or ``name/__init__.py``."""
    contents: Mapping[Path, bytes] = field(repr=False)
    digest: str
    realm: str = ""
    """Sets its module apart from one of the same name in another folder."""
    is_sealed: bool = False
    """Whether none of its own modules may come from anywhere but `contents`."""

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(self.contents)

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def module(self) -> str:
        """The name that it is imported by."""
        return f"{MODULE_PREFIX}{self.name.replace('-', '_')}{self.realm}"


class UnreadPlugin(NamedTuple):
    """Something called like a plugin, and why it can't be read, in one line."""

    path: Path
    why: str


class FoundPlugins(NamedTuple):
    """What one look at a folder gave, by name."""

    sources: dict[str, PluginSource]
    unread: dict[str, UnreadPlugin]


def find_plugins(folder: Path) -> FoundPlugins:
    """The plugins in ``folder``; none when it doesn't exist."""
    found = FoundPlugins({}, {})
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return found
    for entry in entries:
        name = entry.stem if entry.suffix == ".py" else entry.name
        if not PLUGIN_NAME.fullmatch(name):
            continue
        path = entry
        try:
            if os.path.lexists(entry / "__init__.py"):
                path = entry / "__init__.py"
                contents = {file: _content(file) for file in _python_files(entry)}
            elif entry.suffix == ".py":
                contents = {entry: _content(entry)}
            else:
                continue
        except FileNotFoundError:
            continue  # it vanished while we looked; the next look decides
        except UnreadableError as error:
            found.unread[name] = UnreadPlugin(path, error.message)
        else:
            found.sources[name] = PluginSource(name, path, contents, _digest(contents))
    return found


def _content(path: Path) -> bytes:
    try:
        return read_regular(path, LARGEST)
    except UnreadableError as error:
        raise UnreadableError(f"{path}: {error.why}", error.cure) from error


def _python_files(folder: Path) -> tuple[Path, ...]:
    files = (path for path in folder.rglob("*.py") if PLUGIN_NAME.fullmatch(path.stem))
    return tuple(sorted(path for path in files if "__pycache__" not in path.parts))


def _digest(contents: Mapping[Path, bytes]) -> str:
    digest = hashlib.sha256()
    for path, content in contents.items():
        digest.update(str(path).encode("utf-8", "surrogateescape") + b"\0" + content + b"\0")
    return digest.hexdigest()
