"""What a rule may know of a call: its tool, its arguments and where it runs. No session, no screen.

Source: design §3.15.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dsh_tui.engine.tools.definition import ToolKind


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFacts:
    """One call, as far as rules look at it."""

    tool: str
    kind: ToolKind
    arguments: Mapping[str, object]
    """As the model sent them, parsed; possibly invalid."""
    cwd: Path
    """The session's directory, which is the project of relative patterns."""
    kept: tuple[Path, ...] = ()
    """Real folders of dsh-tui's own, guarded wherever they lie."""
    paths: dict[str, Path] = field(default_factory=dict, compare=False, repr=False)
    """The real files found for this call, by the words of its arguments: once, and the same for all."""
