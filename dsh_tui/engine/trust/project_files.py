"""Looks for what a project brings: ``.dsh/plugins``, the rules in ``.dsh/settings.yaml``, instructions.

Bounded in every direction, since nobody knows the project yet: what is too much, too large, no regular
file, or leads outside is named in the manifest and left out. Source: design §3.14.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from dsh_tui.engine.trust.layout import (
    FOLDER,
    INSTRUCTIONS,
    PLUGIN_NAME,
    PLUGINS,
    SETTINGS,
    directories_of_instructions,
)
from dsh_tui.engine.trust.manifest import Entry, EntryFile, LeftOut, Manifest
from dsh_tui.engine.trust.project_settings import rules_note
from dsh_tui.engine.trust.reading import UnreadableError, read_inside

MOST_PLUGINS: Final = 100
MOST_FILES: Final = 200
"""Of one package."""
MOST_NAMES: Final = 2_000
"""In one directory."""
LARGEST_CODE: Final = 1_048_576
"""Bytes of one file of a plugin."""
LARGEST_PACKAGE: Final = 8_388_608
LARGEST_TOGETHER: Final = 33_554_432
"""Bytes that are kept of one project: a small archive can unpack to more than fits into memory."""
LARGEST_SETTINGS: Final = 65_536
LARGEST_INSTRUCTIONS: Final = 1_048_576
_DEEPEST: Final = 8
_UNSUPPORTED: Final = ("hooks", "mcp", "skills")


def read_manifest(project: Path, *, own_home: Path | None = None) -> Manifest:
    """What ``project`` brings now. A ``.dsh`` that is the user's own home brings nothing. Blocks."""
    root = Path(os.path.realpath(project))
    entries: list[Entry] = []
    left_out: list[LeftOut] = []
    folder = root / FOLDER
    room = LARGEST_TOGETHER
    is_own = own_home is not None and os.path.realpath(folder) == os.path.realpath(own_home)
    parts = [(".", _instructions(root))]
    if not is_own and _is_there(folder):
        parts = [(PLUGINS, _plugins(root)), (SETTINGS, _rules(root)), *parts, (FOLDER, _unsupported(folder))]
    for where, part in parts:
        try:
            for one in part:
                if isinstance(one, LeftOut):
                    left_out.append(one)
                elif one.size > room:
                    left_out.append(LeftOut(one.path, f"is more than {_mib(LARGEST_TOGETHER)} with the rest"))
                else:
                    room -= one.size
                    entries.append(one)
        except UnreadableError as error:
            left_out.append(LeftOut(where, error.message))
        except OSError as error:  # a folder that may be listed but not looked into
            left_out.append(LeftOut(where, f"can't be read: {error.strerror or error}"))
    return Manifest(root, tuple(entries), tuple(left_out))


def files_signature(root: Path) -> frozenset[tuple[str, int, int, int, int]]:
    """Names, sizes and times of all that `read_manifest` reads; equal as long as nothing was written."""
    paths = [directory / name for directory in _directories(root) for name in INSTRUCTIONS]
    waiting = [(root / FOLDER, 0)]
    while waiting and len(paths) < MOST_NAMES:
        folder, depth = waiting.pop()
        paths.append(folder)
        with contextlib.suppress(UnreadableError, OSError):
            for path in _names(folder):
                paths.append(path)
                is_code = depth > 0 or path.name == Path(PLUGINS).name
                if is_code and depth <= _DEEPEST and path.is_dir() and not path.is_symlink():
                    waiting.append((path, depth + 1))
    found: set[tuple[str, int, int, int, int]] = set()
    for path in paths:
        with contextlib.suppress(OSError, ValueError):
            one = path.stat()
            found.add((str(path), one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns))
    return frozenset(found)


def _plugins(root: Path) -> Iterator[Entry | LeftOut]:
    folder = root / PLUGINS
    if not _is_there(folder):
        return
    if not Path(os.path.realpath(folder)).is_relative_to(root):
        yield LeftOut(PLUGINS, f"leads out of the project, to {os.path.realpath(folder)}")
        return
    count = 0
    for path in _names(folder):
        stem = path.stem if path.suffix == ".py" else path.name
        if not PLUGIN_NAME.fullmatch(stem):
            if path.suffix == ".py" and not path.name.startswith("."):
                yield LeftOut(f"{PLUGINS}/{path.name}", "its name is no plugin's")
            continue
        if path.suffix != ".py" and not path.is_dir():
            continue
        if path.suffix != ".py" and not _is_there(path / "__init__.py"):
            continue
        count += 1
        if count > MOST_PLUGINS:
            yield LeftOut(PLUGINS, f"holds more than {MOST_PLUGINS} plugins; the rest is not looked at")
            return
        yield _plugin(path, root)


def _plugin(path: Path, root: Path) -> Entry | LeftOut:
    name = f"{PLUGINS}/{path.name}"
    files = [path] if path.suffix == ".py" else []
    try:
        if not files:
            files = _code_below(path, root)
        contents = tuple(_contents(files, root))
    except UnreadableError as error:
        return LeftOut(name, error.message)
    except FileNotFoundError:
        return LeftOut(name, "vanished while it was read")
    return Entry("plugin", name, contents)


def _contents(files: Sequence[Path], root: Path) -> Iterator[EntryFile]:
    room = LARGEST_PACKAGE
    for file in files:
        content = read_inside(file, root, LARGEST_CODE)
        room -= len(content)
        if room < 0:
            raise UnreadableError(f"has more than {_mib(LARGEST_PACKAGE)} of code")
        yield EntryFile(str(file.relative_to(root)), content)


def _code_below(package: Path, root: Path) -> list[Path]:
    """All Python files of a package by path. A directory that is a link is none of its own.

    Names that no import statement can say are passed over, so no path in a digest's list has a line end.
    """
    found: list[Path] = []
    waiting = [(package, 0)]
    while waiting:
        folder, depth = waiting.pop()
        if not Path(os.path.realpath(folder)).is_relative_to(root):
            raise UnreadableError(f"leads out of the project, to {os.path.realpath(folder)}")
        for path in _names(folder):
            if path.suffix == ".py" and PLUGIN_NAME.fullmatch(path.stem):
                found.append(path)
            elif not PLUGIN_NAME.fullmatch(path.name) or path.name == "__pycache__":
                continue
            elif path.is_dir() and not path.is_symlink():
                if depth == _DEEPEST:
                    raise UnreadableError(f"is nested deeper than {_DEEPEST} folders")
                waiting.append((path, depth + 1))
        if len(found) > MOST_FILES:
            raise UnreadableError(f"has more than {MOST_FILES} files")
    return sorted(found)


def _rules(root: Path) -> Iterator[Entry | LeftOut]:
    try:
        content = read_inside(root / SETTINGS, root, LARGEST_SETTINGS)
        has_rules, note = rules_note(content)
    except FileNotFoundError:
        return
    except UnreadableError as error:
        yield LeftOut(SETTINGS, error.message)
        return
    if has_rules:
        yield Entry("rules", SETTINGS, (EntryFile(SETTINGS, content),), note)
    elif note:
        yield LeftOut(SETTINGS, note)


def _instructions(root: Path) -> Iterator[Entry | LeftOut]:
    directories = _directories(root)
    for directory in directories:
        siblings: set[bytes] = set()
        for name in INSTRUCTIONS:
            path = os.path.relpath(directory / name, root)
            try:
                content = read_inside(directory / name, directories[0], LARGEST_INSTRUCTIONS)
            except FileNotFoundError:
                continue
            except UnreadableError as error:
                yield LeftOut(path, error.message)
                continue
            if content.strip() and content not in siblings:
                siblings.add(content)
                yield Entry("instructions", path, (EntryFile(path, content),))


def _directories(root: Path) -> tuple[Path, ...]:
    try:
        return directories_of_instructions(root)
    except OSError:  # one above may not be looked into
        return (root,)


def _unsupported(folder: Path) -> Iterator[LeftOut]:
    for path in _names(folder):
        kind = path.stem.lower()
        if kind in _UNSUPPORTED:
            yield LeftOut(
                f"{FOLDER}/{path.name}", f"{kind} are not supported yet; nothing loads them", is_fault=False
            )


def _names(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MOST_NAMES + 1)]
    except OSError as error:
        raise UnreadableError(f"can't be read: {error.strerror}") from error
    if len(names) > MOST_NAMES:
        raise UnreadableError(f"{folder.name} holds more than {MOST_NAMES:,} names")
    return [folder / name for name in sorted(names)]


def _is_there(path: Path) -> bool:
    try:
        return stat.S_IFMT(path.stat().st_mode) != 0
    except (OSError, ValueError):
        return False


def _mib(size: int) -> str:
    return f"{size // 1_048_576} MiB"
