"""What counts as a plugin in a folder, and when it has changed.

A plugin is a ``name.py`` file or a folder with an ``__init__.py``. What editors leave behind
while they save is never one. A change is a change of content: times and sizes can lie.
Source: design §3.20.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

PLUGIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class PluginSource:
    """One plugin on disk. ``digest`` covers all of its Python files."""

    name: str
    path: Path
    """The file to run: ``name.py`` or ``name/__init__.py``."""
    files: tuple[Path, ...]
    digest: str

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"


def find_plugins(folder: Path) -> dict[str, PluginSource]:
    """The plugins in ``folder`` by name; none when it doesn't exist. Unreadable entries are skipped."""
    found: dict[str, PluginSource] = {}
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return found
    for entry in entries:
        name = entry.stem if entry.suffix == ".py" else entry.name
        if not PLUGIN_NAME.fullmatch(name):
            continue
        if entry.suffix == ".py" and entry.is_file():
            path: Path = entry
            files: tuple[Path, ...] = (entry,)
        elif entry.is_dir() and (entry / "__init__.py").is_file():
            path, files = entry / "__init__.py", _python_files(entry)
        else:
            continue
        digest = _digest(files)
        if digest is not None:  # None: it vanished while we looked; the next look decides
            found[name] = PluginSource(name, path, files, digest)
    return found


def _python_files(folder: Path) -> tuple[Path, ...]:
    files = (path for path in folder.rglob("*.py") if PLUGIN_NAME.fullmatch(path.stem))
    return tuple(sorted(path for path in files if "__pycache__" not in path.parts))


def _digest(files: tuple[Path, ...]) -> str | None:
    digest = hashlib.sha256()
    try:
        for path in files:
            digest.update(str(path).encode("utf-8", "surrogateescape") + b"\0" + path.read_bytes() + b"\0")
    except OSError:
        return None
    return digest.hexdigest()
