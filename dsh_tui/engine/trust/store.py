"""trust.json: which content of which project was trusted, or is not to be asked about again.

Fails safe: a file that can't be read, is damaged or is somebody else's trusts nothing, and is put
aside, never overwritten, when something new is kept. A file and not settings: a program writes it.
Source: design §3.2, §3.14.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.base.file_lock import take_lock
from dsh_tui.engine.base.private_folder import keep_private, make_missing
from dsh_tui.engine.base.regular_file import UnreadableError, opened_regular, read_bounded
from dsh_tui.engine.trust.errors import TrustError

VERSION: Final = 1
LOCK_S: Final = 5.0
_LARGEST: Final = 16_777_216
_PRIVATE: Final = 0o600

Pins = Mapping[str, str]
"""Digest by the key of an entry."""


@dataclass(frozen=True, slots=True)
class ProjectTrust:
    """What was answered for one project."""

    trusted: Pins = field(default_factory=lambda: MappingProxyType({}))
    declined: Pins = field(default_factory=lambda: MappingProxyType({}))


NOTHING: Final = ProjectTrust()


@dataclass(frozen=True, slots=True)
class _Content:
    """The file as it was read once."""

    signature: tuple[int, ...] | None
    projects: Mapping[str, ProjectTrust]
    fault: str = ""


class TrustStore:
    """The file, read again whenever it has changed. All calls block, and may come from any thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock_s = LOCK_S
        """Longest that another process is waited for."""
        self._content = _Content(None, {})

    @property
    def fault(self) -> str:
        """Why nothing in the file counts; empty when it does."""
        return self._look().fault

    @property
    def trusted(self) -> tuple[str, ...]:
        """The projects of which something is."""
        return tuple(project for project, one in self._look().projects.items() if one.trusted)

    def of(self, project: Path) -> ProjectTrust:
        """What was answered for exactly this directory."""
        return self._look().projects.get(str(project), NOTHING)

    def signature(self) -> object:
        """Another one whenever the file is another."""
        return _signature(self.path)

    def update(self, project: Path, edit: Callable[[ProjectTrust], ProjectTrust]) -> None:
        """Change one project's record, apart from all other processes.

        Raises:
            TrustError: it could not be kept; nothing changed.
        """
        try:
            make_missing(self.path.parent)
            with self._locked():
                content = self._read_anew()
                changed = edit(content.projects.get(str(project), NOTHING))
                projects = {**content.projects, str(project): changed}
                if changed == NOTHING:
                    del projects[str(project)]
                if content.fault:
                    self._put_aside()
                write_atomic(self.path, _encode(projects), mode=_PRIVATE)
                self._read_anew()
        except OSError as error:
            raise TrustError(f"{self.path}: can't be written: {error.strerror or error}") from error

    def _look(self) -> _Content:
        content = self._content
        return content if content.signature == _signature(self.path) else self._read_anew()

    def _read_anew(self) -> _Content:
        signature = _signature(self.path)
        try:
            content = _Content(signature, _decode(_read(self.path)))
        except FileNotFoundError:
            content = _Content(signature, {})
        except (UnreadableError, ValueError) as error:
            why = error.why if isinstance(error, UnreadableError) else str(error).partition("\n")[0]
            fault = f"{self.path}: {why}; no project is trusted, and what is trusted next begins a new file"
            content = _Content(signature, {}, fault)
        self._content = content
        return content

    def _put_aside(self) -> None:
        aside = self.path.with_name(f"{self.path.name}.broken-{time.strftime('%Y%m%d-%H%M%S')}")
        with contextlib.suppress(FileNotFoundError):
            self.path.rename(aside)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        lock = self.path.with_name(f"{self.path.name}.lock")
        fd = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, _PRIVATE)
        try:
            if not take_lock(fd, self.lock_s):
                raise TrustError(f"{lock}: another dsh-tui holds it; try again when it is done")
            yield
        finally:
            os.close(fd)


def _read(path: Path) -> bytes:
    """The bytes; a laxer file is tightened first, somebody else's is refused."""
    with opened_regular(path, follow=False) as fd:
        if os.fstat(fd).st_uid != os.getuid():
            raise UnreadableError("belongs to another user", "give it to yourself, or remove it")
        keep_private(fd)
        return read_bounded(fd, _LARGEST)


def _encode(projects: Mapping[str, ProjectTrust]) -> bytes:
    rows = {
        project: {"trusted": dict(one.trusted), "declined": dict(one.declined)}
        for project, one in sorted(projects.items())
    }
    return json.dumps({"version": VERSION, "projects": rows}, indent=1).encode("ascii") + b"\n"


def _decode(content: bytes) -> dict[str, ProjectTrust]:
    try:
        root = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("is damaged") from None
    if (
        not isinstance(root, dict)
        or root.get("version") != VERSION
        or not isinstance(root.get("projects"), dict)
    ):
        raise ValueError("is not of this version")
    found: dict[str, ProjectTrust] = {}
    for project, row in root["projects"].items():
        if not isinstance(row, dict):
            raise ValueError("is damaged")  # noqa: TRY004  # one class for all that is wrong with it
        found[project] = ProjectTrust(_pins(row.get("trusted")), _pins(row.get("declined")))
    return found


def _pins(value: object) -> Pins:
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise ValueError("is damaged")
    return MappingProxyType(value)


def _signature(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
