"""Where a session's log lies: ``<root>/--<cwd slug>--/<escaped id>/session.jsonl``.

Escaping of ids is injective and never gives ``.``, ``..`` or a separator, so that no id
reaches outside the root. A session is called what its folder is called, whatever its header says: a log
that somebody copied by hand is a session of its own. Where folders of several projects have one name, each
is called ``dsh-tui:<project>/<folder>``. Source: core spec §4.3; design §3.3.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from dsh_tui.engine.persistence.errors import AmbiguousIdError, UnsafeIdError

LOG_NAME = "session.jsonl"
SCHEME = "dsh-tui:"
"""Before the project, where that belongs to what a session is called."""
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


def id_of(log: Path) -> str:
    """What the folder of a log calls its session: the id that `find_log` looks for there."""
    name = log.parent.name
    session_id = unescape_id(name)
    return session_id if session_id == name or name in _folder_names(session_id) else name


def full_id(log: Path) -> str:
    """What the session of a log is called where there is another one of that name."""
    return f"{SCHEME}{log.parent.parent.name}/{log.parent.name}"


def shown_id(root: Path, log: Path) -> str:
    """What the session of one log is called; see `shown_ids`."""
    try:
        find_log(root, id_of(log))
    except AmbiguousIdError:
        return full_id(log)
    return id_of(log)


def shown_ids(logs: Collection[Path]) -> dict[Path, str]:
    """What each of all the logs below a root is called; `find_log` finds it by that."""
    count = Counter(map(id_of, logs))
    return {log: full_id(log) if count[id_of(log)] > 1 else id_of(log) for log in logs}


def find_log(root: Path, session_id: str) -> Path | None:
    """The log of that id, under whatever project it lies.

    Raises:
        AmbiguousIdError: several projects have one, and the id names none of them.
    """
    try:
        projects = sorted(root.iterdir())
    except OSError:
        return None
    named, slash, folder = session_id.removeprefix(SCHEME).partition("/")
    if slash and session_id.startswith(SCHEME):
        one = [project for project in projects if project.name == named]
        return next(_logs_in(one, [folder] if _is_name(folder) else []), None)
    found = list(_logs_in(projects, _folder_names(session_id)))
    if len(found) > 1:
        names = " or ".join(full_id(log) for log in found)
        raise AmbiguousIdError(f"there are {len(found)} sessions {session_id}; say which: {names}")
    return found[0] if found else None


def _logs_in(projects: Sequence[Path], folders: Iterable[str]) -> Iterator[Path]:
    """Logs in folders of these names, also in those that nobody may look into."""
    for folder in folders:
        for project in projects:
            path = project / folder / LOG_NAME
            try:
                if path.is_file():
                    yield path
            except PermissionError:
                if _is_dir(path.parent):
                    yield path


def _folder_names(session_id: str) -> Iterator[str]:
    """What the folder may be called: the escaped id; by somebody's hand, the id itself."""
    try:
        name = escape_id(session_id)
    except UnsafeIdError:
        return
    yield name
    if name != session_id and _is_name(session_id):
        yield session_id


def _is_name(text: str) -> bool:
    """Whether it is the name of something in a folder, and nothing that leads elsewhere."""
    return text not in ("", ".", "..") and not {"/", "\0"} & set(text)


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
