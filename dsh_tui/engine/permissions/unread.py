"""A rule that stands somewhere and can't be read: a newer version wrote it, or somebody broke it.

It allows nothing. If it denies or asks, or may, nobody here can tell about which calls: those that it
could mean ask, in every mode, until it is mended or revoked. Source: design §3.15.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.permissions.rule import COMMAND_TOOL, EFFECTS, PATH_ARGUMENTS

_TOOL: Final = re.compile(r"([a-z]+)(?:\(|$)")


@dataclass(frozen=True, slots=True)
class UnreadRule:
    """One rule, or all that a broken file may hold."""

    text: str
    """As it stands there; of a file, which one."""
    why: str
    """What is wrong with it, in one line."""
    is_strict: bool = True
    """Whether it denies or asks, as far as can be told."""
    tool: str | None = None
    """The only tool that it can be about; None: any."""

    @classmethod
    def of(cls, text: str, why: str) -> UnreadRule:
        """The rule as it was written, with its effect in front."""
        effect, _, body = text.strip().partition(" ")
        named = _TOOL.match(body) if effect in EFFECTS else None
        tool = named[1] if named is not None and named[1] in (COMMAND_TOOL, *PATH_ARGUMENTS) else None
        return cls(text, why, effect != "allow", tool)

    def may_mean(self, tool: str) -> bool:
        """Whether it may deny or ask about a call of this tool."""
        return self.is_strict and self.tool in (None, tool)

    @property
    def effect_now(self) -> str:
        """What it comes to, in a clause."""
        if not self.is_strict:
            return "it allows nothing"
        return f"every call {'' if self.tool is None else f'of {self.tool} '}asks"
