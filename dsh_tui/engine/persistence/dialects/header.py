"""Headers of the original's logs, as headers of ours that hold the same facts.

Source: upstream format §3.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any

from dsh_tui.engine.base.clock import is_time
from dsh_tui.engine.persistence.errors import FormatUnsupportedError
from dsh_tui.engine.persistence.jsonl.format import parse_object
from dsh_tui.engine.session.header import FORMAT, SessionHeader, new_header

NEWEST = 4
"""The newest version whose logs are read here."""
_TEXTS = ("parentSession", "origin", "agentPreset")


def decode_header(line: str, path: Path) -> tuple[int, SessionHeader]:
    """Version and header.

    Raises:
        FormatUnsupportedError: a newer version, or a log of another program.
        ValueError: no header.
    """
    fields, end = parse_object(line)
    if line[end:].strip():
        raise ValueError("more than one record on the line")
    if fields.get("format") == FORMAT:
        raise FormatUnsupportedError(f"{path}: a dsh-tui log lies in the home of DeepSeek Harness", path=path)
    version = fields.get("version")
    if fields.get("type") != "session" or type(version) is not int:
        raise ValueError("the first line is no session header")
    if version > NEWEST:
        raise newer_version(path, version)
    session_id, created = fields.get("id"), fields.get("createdAt")
    if type(session_id) is not str or not session_id or type(created) is not int or not is_time(created):
        raise ValueError("the header lacks id or createdAt")
    meta: dict[str, Any] = {name: fields[name] for name in _TEXTS if _is_text(fields.get(name))}  # Any: JSON
    cwd = fields.get("cwd")
    if isinstance(cwd, str) and cwd and PurePath(cwd).is_absolute():
        meta["cwd"] = cwd
    for name in ("seedLength", "delegationDepth"):
        if type(fields.get(name)) is int and fields[name] >= 0:
            meta[name] = fields[name]
    return version, new_header(session_id, created, meta)


def newer_version(path: Path, version: int) -> FormatUnsupportedError:
    """The error for a log that a newer program wrote."""
    return FormatUnsupportedError(
        f"{path}: written in log version {version} of DeepSeek Harness; dsh-tui reads up to {NEWEST}",
        path=path,
    )


def _is_text(value: Any) -> bool:  # Any: JSON
    return type(value) is str and value != ""
