"""Where the original keeps its sessions: ``$DSH_HOME/sessions/--<project>--/<id>/session[.vN].jsonl[.zstd]``.

A directory may hold one session in several versions, because a newer program converts beside the older
file; the highest version counts. Nothing here creates or opens anything.
Source: upstream format §1, §7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_LOG = re.compile(r"session(?:\.v(\d{1,9}))?\.jsonl(\.zstd)?")
_PLAIN = re.compile(r"[A-Za-z0-9._-]")
_ESCAPED = re.compile(r"~([0-9A-F]{4})")


def original_sessions(environ: Mapping[str, str]) -> Path:
    """The folder of sessions that this environment names; it need not be there."""
    named = environ.get("DSH_HOME", "").strip()
    root = Path(named).expanduser().absolute() if named else Path.home() / ".dsh"
    return root / "sessions"


def escape_id(session_id: str) -> str:
    """The name of a session's directory; empty for an id that has none."""
    if session_id in (".", ".."):
        return session_id.replace(".", "~002E")
    units = session_id.encode("utf-16-be", "surrogatepass")
    chars = (chr(units[at] << 8 | units[at + 1]) for at in range(0, len(units), 2))
    return "".join(char if _PLAIN.match(char) else f"~{ord(char):04X}" for char in chars)


def unescape_id(name: str) -> str:
    """The id behind a directory name."""
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), name)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def log_in(directory: Path) -> Path | None:
    """The log of the highest version in a session's directory."""
    best: tuple[int, bool, Path] | None = None
    try:
        for entry in directory.iterdir():
            match = _LOG.fullmatch(entry.name)
            if match is None or not entry.is_file():
                continue
            found = (int(match[1] or 0), match[2] is not None, entry)
            if best is None or found[:2] > best[:2]:
                best = found
    except OSError:
        return None
    return None if best is None else best[2]


def named_version(path: Path) -> int:
    """The version that a log's name tells."""
    match = _LOG.fullmatch(path.name)
    return int(match[1] or 0) if match else 0


def is_compressed(path: Path) -> bool:
    """Whether the log is a row of zstd frames."""
    return path.name.endswith(".zstd")


def iter_logs(root: Path) -> Iterator[Path]:
    """Every session's log; what cannot be read is passed over."""
    for project in _subdirs(root):
        for session in _subdirs(project):
            if (path := log_in(session)) is not None:
                yield path


def find_logs(root: Path, session_id: str) -> list[Path]:
    """The logs of that id, under whatever project they lie: by the escaped name, or the id as it stands."""
    names = {escape_id(session_id), "" if {"/", "\0"} & set(session_id) else session_id}
    folders = [project / name for project in _subdirs(root) for name in sorted(names - {"", ".", ".."})]
    return [log for folder in folders if len(folder.name) <= 255 and (log := log_in(folder)) is not None]


def _subdirs(path: Path) -> list[Path]:
    try:
        return sorted(entry for entry in path.iterdir() if entry.is_dir())
    except OSError:
        return []
