"""What the trust screen shows: everything of a project that would take effect, each with its content.

Texts are as they are in the files; whoever draws them shows what hides. Source: design §3.14.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

TrustAnswer: TypeAlias = Literal["trust", "later", "never", "revoke", "leave"]
"""``never``: not to be asked about just this content again; ``revoke``: nothing is trusted any more;
``leave``: there was nothing to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustEntry:
    """One thing that takes effect when it is trusted, or does already."""

    kind: Literal["plugin", "rules", "instructions"]
    path: str
    """Relative to the project."""
    size: int
    state: Literal["new", "changed", "trusted"]
    text: str
    note: str = ""
    """What of it has no effect, trusted or not."""
    hidden: int = 0
    """Characters at the end that ``text`` leaves out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustQuestion:
    """What is asked about one project. An answer is about exactly this content."""

    id: str
    project: str
    entries: tuple[TrustEntry, ...] = ()
    never: tuple[tuple[str, str], ...] = ()
    """Path and reason of what lies there and never takes effect."""

    @property
    def pending(self) -> int:
        """How many entries have no effect yet."""
        return sum(entry.state != "trusted" for entry in self.entries)

    @property
    def answers(self) -> tuple[TrustAnswer, ...]:
        """Those that make sense."""
        asking: tuple[TrustAnswer, ...] = ("trust", "later", "never") if self.pending else ("leave",)
        return asking if self.pending == len(self.entries) else (*asking, "revoke")
