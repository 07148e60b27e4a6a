"""Halves of characters: providers escape an emoji as two ``\\uXXXX`` and may cut between them.

A Python string can hold such a half, UTF-8 and strict JSON readers can't: a half that enters the
log unjoined makes every later request of the session invalid.
"""

from __future__ import annotations

import re

_ANY = re.compile("[\ud800-\udfff]")
_FIRST_HALVES = ("\ud800", "\udbff")
REPLACEMENT = "\ufffd"


def mend(text: str) -> str:
    """The text with halves joined and those without a partner replaced by U+FFFD."""
    if text.isascii() or _ANY.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class SurrogateSeam:
    """Joins halves across the deltas of one stream: a first half waits for the next delta."""

    __slots__ = ("_half",)

    def __init__(self) -> None:
        self._half = ""

    def join(self, text: str) -> str:
        """The part of the text so far that is whole. May be empty."""
        if not self._half and text.isascii():
            return text
        text = self._half + text
        self._half = ""
        if _FIRST_HALVES[0] <= text[-1:] <= _FIRST_HALVES[1]:
            self._half, text = text[-1], text[:-1]
        return mend(text)

    def close(self) -> str:
        """What is left of a half whose partner never came."""
        half, self._half = self._half, ""
        return REPLACEMENT if half else ""
