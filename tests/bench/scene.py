"""A scene: one thing that is measured in one run of one program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tests.bench.figures import Sample
from tests.bench.program import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much is done to measure."""

    repeats: int = 5
    keys: int = 50
    idle_s: float = 10.0
    turns: int = 200
    tool_steps: int = 50


QUICK = Effort(repeats=1, keys=30, idle_s=5.0, turns=60, tool_steps=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """One run of a scene. ``folder`` is empty and its own."""

    program: Program
    effort: Effort
    number: int
    folder: Path


Scene: TypeAlias = Callable[[Take], Sample]
