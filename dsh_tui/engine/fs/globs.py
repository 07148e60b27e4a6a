"""Globs as ripgrep reads them, for machines without it: ``*  ?  [a-z]  {a,b}  **``.

A pattern without a slash matches a name at any depth; with one, the path from the searched
directory. Matching takes time in proportion to the text, whatever the pattern: all ways through it
are followed at once. Source: capabilities B3 (pure-Python fallback).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from dsh_tui.engine.fs.search import SearchError

LONGEST: Final = 10_000
"""Characters of a pattern."""
MOST_KNOWN: Final = 5_000
"""Steps that a glob remembers."""

_States = frozenset[int]


@dataclass(slots=True)
class _Step:
    """One instruction: take a character, or go on in several places at once."""

    takes: Callable[[str], bool] | None = None
    to: list[int] = field(default_factory=list)


class Glob:
    """A compiled pattern."""

    def __init__(self, pattern: str) -> None:
        """Compile it.

        Raises:
            SearchError: brackets or braces don't match, or it is very long.
        """
        if len(pattern) > LONGEST:
            raise SearchError(f"The glob is not valid: it has more than {LONGEST:,} characters.")
        anchored = "/" in pattern.rstrip("/")
        self._pattern = pattern
        self._steps: list[_Step] = []
        if not anchored:
            self._folders()
        self._compile(pattern.lstrip("/"))
        self._known: dict[tuple[_States, str], _States] = {}
        self._start = self._reach([0])

    def matches(self, text: str) -> bool:
        """True if it means the whole of ``text``."""
        states = self._start
        for char in text:
            key = (states, char)
            if (following := self._known.get(key)) is None:
                if len(self._known) > MOST_KNOWN:
                    self._known.clear()
                following = self._known[key] = self._after(states, char)
            if not following:
                return False
            states = following
        return len(self._steps) in states

    def _after(self, states: _States, char: str) -> _States:
        taken = (state for state in states if state < len(self._steps))
        return self._reach(
            state + 1 for state in taken if (takes := self._steps[state].takes) is not None and takes(char)
        )

    def _reach(self, states: Iterable[int]) -> _States:
        """All states where a character is awaited, or the end, from these on."""
        waiting, seen = list(states), set[int]()
        while waiting:
            state = waiting.pop()
            if state in seen:
                continue
            seen.add(state)
            if state < len(self._steps) and self._steps[state].takes is None:
                waiting.extend(self._steps[state].to)
        return frozenset(s for s in seen if s == len(self._steps) or self._steps[s].takes is not None)

    # Putting steps together

    def _take(self, takes: Callable[[str], bool]) -> None:
        self._steps.append(_Step(takes))

    def _any_number(self, takes: Callable[[str], bool]) -> None:
        here = len(self._steps)
        self._steps.append(_Step(to=[here + 1, here + 3]))
        self._take(takes)
        self._steps.append(_Step(to=[here]))

    def _folders(self) -> None:
        """``**/``: any number of folders, or none."""
        fork = _Step(to=[len(self._steps) + 1])
        self._steps.append(fork)
        self._any_number(_anything)
        self._take(_just("/"))
        fork.to.append(len(self._steps))

    def _compile(self, pattern: str) -> None:
        open_braces: list[tuple[_Step, list[_Step]]] = []
        at = 0
        while at < len(pattern):
            char = pattern[at]
            if pattern.startswith("**/", at):
                self._folders()
                at += 3
                continue
            if pattern.startswith("**", at):
                self._any_number(_anything)
                at += 2
                continue
            if char == "[":
                at = self._bracket(pattern, at)
                continue
            if char == "\\" and at + 1 < len(pattern):
                at += 1
                self._take(_just(pattern[at]))
            elif char == "{":
                open_braces.append((self._fork(), []))
            elif char in ",}" and open_braces:
                self._alternative(open_braces, last=char == "}")
            elif char == "*":
                self._any_number(_no_slash)
            else:
                self._take(_no_slash if char == "?" else _just(char))
            at += 1
        if open_braces:
            raise SearchError(f"The glob {self._pattern!r} is not valid: a {{ is not closed.")

    def _fork(self) -> _Step:
        fork = _Step(to=[len(self._steps) + 1])
        self._steps.append(fork)
        return fork

    def _alternative(self, open_braces: list[tuple[_Step, list[_Step]]], *, last: bool) -> None:
        """One alternative of the innermost braces ends here."""
        fork, ends = open_braces[-1]
        ends.append(_Step())
        self._steps.append(ends[-1])
        if not last:
            fork.to.append(len(self._steps))
            return
        open_braces.pop()
        for end in ends:
            end.to.append(len(self._steps))

    def _bracket(self, pattern: str, start: int) -> int:
        end = pattern.find("]", start + 2)
        if end < 0:
            raise SearchError(f"The glob {self._pattern!r} is not valid: a [ is not closed.")
        inside = pattern[start + 1 : end]
        negated = inside[0] in "!^"
        plain = re.sub(r"[\\\[&~|]", r"\\\g<0>", inside[1:] if negated else inside)
        try:
            one = re.compile(f"[{'^' * negated}{plain}]")
        except re.error as error:
            raise SearchError(f"The glob {self._pattern!r} is not valid: {error}.") from error
        self._take(lambda char: char != "/" and one.match(char) is not None)
        return end + 1


def _anything(_char: str) -> bool:
    return True


def _no_slash(char: str) -> bool:
    return char != "/"


def _just(wanted: str) -> Callable[[str], bool]:
    return wanted.__eq__
