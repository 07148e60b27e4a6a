"""Where a session's log lies: ``<root>/--<cwd slug>--/<escaped id>/session.jsonl``.

Escaping of ids is injective and never gives ``.``, ``..`` or a separator, so that no id
reaches outside the root. Source: core spec §4.3; design §3.3.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from dsh_tui.engine.persistence.errors import UnsafeIdError

LOG_NAME = "session.jsonl"
_MAX_NAME = 200  # file systems take 255 bytes; siblings of the log need room too
_SAFE_IN_ID = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
_UNSAFE_IN_SLUG = re.compile(r"[^\w.-]+")


def project_dir_name(cwd: str | None) -> str:
    """``--home-dev-project--``. Not injective: the header says which directory it truly was."""
    if cwd is None:
        return "--no-directory--"
    slug = _UNSAFE_IN_SLUG.sub("-", cwd.replace("\\", "/").strip("/").replace("/", "-"))
    encoded = slug.encode("utf-8", "replace")
    if len(encoded) > _MAX_NAME:
        digest = hashlib.sha256(cwd.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        slug = f"{encoded[: _MAX_NAME - 13].decode('utf-8', 'ignore')}-{digest}"
    return f"--{slug}--"


def escape_id(session_id: str) -> str:
    """A directory name that only this id has.

    Raises:
        UnsafeIdError: empty or too long.
    """
    raw = session_id.encode("utf-8", "surrogatepass")
    name = "".join(
        chr(byte) if byte in _SAFE_IN_ID and (at or byte != ord(".")) else f"%{byte:02X}"
        for at, byte in enumerate(raw)
    )
    if not name:
        raise UnsafeIdError("a session id must not be empty")
    if len(name) > _MAX_NAME:
        raise UnsafeIdError(f"session id {session_id[:40]!r}… is too long to name a directory")
    return name


def unescape_id(name: str) -> str:
    """The id behind a directory name; names that are no escaped id are taken as they are."""
    raw = re.sub(
        rb"%([0-9A-F]{2})",
        lambda match: bytes([int(match[1], 16)]),
        name.encode("utf-8", "surrogateescape"),
    )
    return raw.decode("utf-8", "replace")


def log_path(root: Path, cwd: str | None, session_id: str) -> Path:
    """Where the log of a new session goes."""
    return root / project_dir_name(cwd) / escape_id(session_id) / LOG_NAME


def find_log(root: Path, session_id: str) -> Path | None:
    """The log of that id, under whatever project it lies."""
    try:
        name = escape_id(session_id)
        projects = sorted(root.iterdir())
    except (UnsafeIdError, OSError):
        return None
    closed: Path | None = None
    for project in projects:
        path = project / name / LOG_NAME
        try:
            if path.is_file():
                return path
        except PermissionError:
            closed = path if _is_dir(path.parent) else closed
    return closed


def iter_logs(root: Path) -> Iterator[Path]:
    """Every log under the root, also those in folders that nobody may look into."""
    for project in _subdirs(root):
        for session in _subdirs(project):
            path = session / LOG_NAME
            try:
                if path.is_file():
                    yield path
            except PermissionError:
                yield path


def _subdirs(path: Path) -> list[Path]:
    try:
        return [entry for entry in path.iterdir() if _is_dir(entry)]
    except OSError:
        return []


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except PermissionError:
        return False
