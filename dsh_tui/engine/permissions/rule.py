"""A permission rule: what to make of which calls, written as ``allow bash(git log *)``.

A pattern belongs to a tool that has a language for it: leading words for ``bash``, a path glob
for file tools. A text that would mean something else than it seems to is an error, never a guess.
Source: design §3.15 and §4 (``permissions test``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from dsh_tui.engine.base.errors import HarnessError

Effect: TypeAlias = Literal["allow", "ask", "deny"]
EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)
EFFECTS_BY_RANK: Final[tuple[Effect, ...]] = ("deny", "ask", "allow")
"""The first one that speaks of a call decides."""
COMMAND_TOOL: Final = "bash"
PATH_ARGUMENTS: Final = {
    "read": "file_path",
    "write": "file_path",
    "edit": "file_path",
    "glob": "path",
    "grep": "path",
}
"""The tools whose pattern is a path, and the argument that holds it."""

_BODY = re.compile(r"(?P<tool>[A-Za-z_][A-Za-z0-9_.:/-]*)(?:\((?P<pattern>.*)\))?", re.DOTALL)


class RuleError(HarnessError):
    """A text is not a rule; the message says in one line what is wrong with it and what to write."""

    code = "PERMISSION_RULE"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. Its text reads back as the same rule."""

    effect: Effect
    tool: str
    pattern: str | None
    """None: every call of the tool."""

    @property
    def text(self) -> str:
        """The whole rule, as `parse` reads it."""
        return f"{self.effect} {self.body}"

    @property
    def body(self) -> str:
        """The rule without its effect, as `of` reads it."""
        return self.tool if self.pattern is None else f"{self.tool}({self.pattern})"

    @classmethod
    def parse(cls, text: str) -> Rule:
        """The rule that ``text`` writes out.

        Raises:
            RuleError: it is none.
        """
        effect, _, body = text.strip().partition(" ")
        for known in EFFECTS:
            if effect == known:
                return cls.of(known, body)
        raise RuleError(f"{text!r} is no rule: it begins with none of {', '.join(EFFECTS)}.")

    @classmethod
    def typed(cls, text: str) -> Rule:
        """The rule as people type it: without an effect it allows. Raises as `parse` does."""
        named = text.split(maxsplit=1)[:1]
        return cls.parse(text) if named and named[0] in EFFECTS else cls.of("allow", text)

    @classmethod
    def of(cls, effect: Effect, body: str) -> Rule:
        """The rule with a body such as ``bash(git log *)`` or ``edit``.

        Raises:
            RuleError: the body is none.
        """
        match = _BODY.fullmatch(body.strip())
        if match is None:
            raise RuleError(f"{body!r} is no rule: write `tool` or `tool(pattern)`.")
        tool, pattern = match["tool"], match["pattern"]
        if pattern is not None:
            _check_pattern(tool, pattern)
        return cls(effect, tool, pattern)


def _check_pattern(tool: str, pattern: str) -> None:
    shown = repr(f"{tool}({pattern})")
    try:
        if tool == COMMAND_TOOL:
            from dsh_tui.engine.permissions.command_pattern import read_pattern  # see `judge`

            read_pattern(pattern)
        elif tool in PATH_ARGUMENTS:
            from dsh_tui.engine.permissions.path_pattern import read_path_pattern  # see `judge`

            read_path_pattern(pattern)
        else:
            raise RuleError(
                f"{shown} is no rule: {tool} takes no pattern. Write `{tool}` for every call of it."
            )
    except ValueError as error:
        hint = f" Write `{tool}` for every call of it." if pattern.strip(" *") == "" else ""
        raise RuleError(f"{shown} is no rule: {error}.{hint}") from error
