"""The session header: who a log is, outside the log, frozen for good.

``seedLength`` is explicit: a resumed session is seeded with its whole log but keeps the
value it was forked with. Source: core spec §3 (header).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Literal, NotRequired, TypedDict, cast

from dsh_tui.engine.base.frozen import LosslessError, freeze
from dsh_tui.engine.session.errors import InvalidHeaderError
from dsh_tui.engine.session.shapes import COUNT, NAME, TIME, shape

FORMAT: Literal["dsh-tui"] = "dsh-tui"
VERSION = 1


class SessionHeader(TypedDict):
    """First line of a log file. ``createdAt`` is epoch milliseconds, ``cwd`` absolute."""

    format: Literal["dsh-tui"]
    version: int
    id: str
    createdAt: int
    cwd: NotRequired[str]
    parentSession: NotRequired[str]
    seedLength: NotRequired[int]
    origin: NotRequired[str]
    delegationDepth: int
    agentPreset: NotRequired[str]


_ORDER = ("cwd", "parentSession", "seedLength", "origin", "delegationDepth", "agentPreset")
_shape = shape(
    {"format": NAME, "version": COUNT, "id": NAME, "createdAt": TIME, "delegationDepth": COUNT},
    {"cwd": NAME, "parentSession": NAME, "seedLength": COUNT, "origin": NAME, "agentPreset": NAME},
)


def new_header(session_id: str, created_at: int, meta: Mapping[str, Any]) -> SessionHeader:  # Any: JSON
    """A header from what the creator said. ``meta`` may be a whole header: its ``createdAt`` wins.

    Raises:
        InvalidHeaderError: a field is wrong or unknown.
    """
    unknown = set(meta) - set(_ORDER) - {"format", "version", "id", "createdAt"}
    if unknown:
        raise InvalidHeaderError(f"session {session_id}: unknown header field {min(unknown)!r}")
    fields: dict[str, Any] = {  # Any: JSON
        "format": FORMAT,
        "version": VERSION,
        "id": session_id,
        "createdAt": meta.get("createdAt", created_at),
        "delegationDepth": 0,
    }
    fields.update({name: meta[name] for name in _ORDER if meta.get(name) is not None})
    return check_header(fields)


def check_header(value: Mapping[str, Any]) -> SessionHeader:  # Any: JSON from a file or a creator
    """The header, frozen.

    Raises:
        InvalidHeaderError: a field is missing or wrong. Foreign formats and versions are the reader's
            to tell apart first.
    """
    try:
        header = freeze(dict(value), path="header")
    except LosslessError as error:
        raise InvalidHeaderError(error.message) from error
    problem = _shape(header)
    if problem is None and "cwd" in header and not PurePath(header["cwd"]).is_absolute():
        problem = "cwd must be an absolute path"
    if problem is not None:
        raise InvalidHeaderError(f"session header: {problem}")
    return cast("SessionHeader", header)
