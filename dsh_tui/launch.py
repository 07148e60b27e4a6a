"""What the command line asked for, as one frozen value that the app and the front ends read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_CUT: Final = re.compile(r"(.+)@([0-9]{1,15})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """A session, and the event up to which a fork of it goes; None for all of it."""

    session_id: str
    seq: int | None = None

    @classmethod
    def parse(cls, text: str) -> ForkPoint:
        """``ID`` or ``ID@SEQ``; an id may hold an @ of its own."""
        cut = _CUT.fullmatch(text)
        return cls(text) if cut is None else cls(cut[1], int(cut[2]))


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions:
    """Options of the app. At most one of ``resume``, ``continue_last`` and ``fork`` is set."""

    cwd: Path
    continue_last: bool = False
    resume: str | None = None
    """A session id, or an empty string for the session browser."""
    fork: ForkPoint | None = None
    model: str | None = None
    effort: str | None = None
    mode: str | None = None
    demo: bool = False
    replay: Path | None = None
    """A log to play instead of opening a session."""
    speed: float = 1.0
    """How many times faster than it was recorded."""
    invariants: bool = False
    """Whether the engine checks its own rules all along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecOptions:
    """Options of one ``exec`` run."""

    cwd: Path
    cwd_given: bool
    """Whether ``-C`` was written; a resumed session otherwise keeps its own directory."""
    prompt: str
    resume: str | None = None
    output: str = "text"
    model: str | None = None
    effort: str | None = None
    mode: str | None = None
    invariants: bool = False
