"""Facts that stand for themselves: plans, titles and modes say only what they may.

Source: core spec §9 (todo, title, presets), §10.
"""

from __future__ import annotations

from typing import ClassVar

from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.modes.mode import MODES_KNOWN
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session_title.title import MOST_BYTES, clean_title


class TodoCheck(LogCheck):
    """Items are trimmed, not empty, and unique; their status the event type itself checks."""

    owner: ClassVar[str] = "todo"
    tags = frozenset({"todo/write"})

    def check(self, event: Event) -> None:
        contents = [todo["content"] for todo in event.data["todos"]]
        self.require(all(text == text.strip() for text in contents), "an item is not trimmed")
        self.require(len(set(contents)) == len(contents), "an item stands there twice")

    def advance(self, event: Event) -> None:
        """Every plan stands for itself."""


class TitleCheck(LogCheck):
    """One printable line; the fallback is short, comes once, and never takes another title's place."""

    owner: ClassVar[str] = "title"
    tags = frozenset({"session/title"})

    def __init__(self) -> None:
        self._titled = False

    def check(self, event: Event) -> None:
        title, fallback = event.data["title"], event.data["source"] == "fallback"
        self.require(title != "" and clean_title(title) == title, "a title is one line of printable text")
        self.require(not (fallback and self._titled), "a fallback replaces a title")
        self.require(not fallback or len(title.encode()) <= MOST_BYTES, "a fallback is too long")

    def advance(self, event: Event) -> None:
        self._titled = True


class ModeCheck(LogCheck):
    """A mode is one that is known."""

    owner: ClassVar[str] = "presets"
    tags = frozenset({"permission/mode"})

    def check(self, event: Event) -> None:
        self.require(event.data["mode"] in MODES_KNOWN, f"{event.data['mode']!r} is no mode")

    def advance(self, event: Event) -> None:
        """Any mode may follow any other."""
