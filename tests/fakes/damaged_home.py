"""A home in which many sessions are sound and some are damaged, each in another way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.fakes.log_folder import LogFolder

Lines = list[bytes]


@dataclass(frozen=True, slots=True)
class Damage:
    """One way to be damaged, and what a list says of it."""

    name: str
    status: Literal["ok", "damaged", "foreign-version"]
    note: str
    """A part of what is said; empty where nothing is."""
    lines: Callable[[Lines], Lines] | None = None
    """From the sound log to the damaged one."""
    closed: Literal["", "file", "folder"] = ""
    """What nobody may look into."""


DAMAGES: Sequence[Damage] = (
    Damage("torn", "ok", "", lambda log: [*log[:-1], log[-1][:30]]),
    Damage("bad-middle", "damaged", "line 4", lambda log: [*log[:3], log[3][:40] + b"\n", *log[4:]]),
    Damage("nul-run", "damaged", "NUL", lambda log: [*log[:4], b"\0" * 4096 + b"\n", *log[5:]]),
    Damage("empty", "damaged", "the file is empty", lambda _log: []),
    Damage("header-only", "ok", "", lambda log: log[:1]),
    Damage("glued", "damaged", "line 4", lambda log: [*log[:3], log[3][:-1], *log[4:]]),
    Damage("twice", "damaged", "repeats record", lambda log: [*log[:5], log[4], *log[5:]]),
    Damage("gap", "damaged", "missing before line 4", lambda log: [*log[:3], *log[4:]]),
    Damage("closed-file", "damaged", "Permission denied", closed="file"),
    Damage("closed-folder", "damaged", "Permission denied", closed="folder"),
    Damage(
        "newer",
        "foreign-version",
        "version 7",
        lambda log: [log[0].replace(b'"version":1', b'"version":7'), *log[1:]],
    ),
    Damage(
        "changed-byte",
        "damaged",
        "not as it was written",
        lambda log: [line.replace(b"first answer", b"worst answer") for line in log],
    ),
    Damage("broken-header", "damaged", "header", lambda log: [log[0][:20] + b"\n", *log[1:]]),
)


def damage(logs: LogFolder, *, cwd: str = "/work/app") -> list[Path]:
    """Add one session for each damage, its id being the name of it; their logs."""
    return [_damaged(logs, one, cwd) for one in DAMAGES]


def _damaged(logs: LogFolder, one: Damage, cwd: str) -> Path:
    turns = (("first question", "first answer"), ("second question", "second answer"))
    path = logs.add(one.name, *turns, cwd=cwd)
    if one.lines is not None:
        path.write_bytes(b"".join(one.lines(path.read_bytes().splitlines(keepends=True))))
    if one.closed:
        (path if one.closed == "file" else path.parent).chmod(0o000)
    return path
