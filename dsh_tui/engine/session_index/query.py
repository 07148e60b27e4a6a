"""What a person typed as a question to the index, and what to show of an answer.

Source: design §3.7.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.projection.views import SessionHit
from dsh_tui.engine.session_index.texts import Speaker, short_token, storable

_TITLE: Final[Speaker] = "title"
_TERM: Final = re.compile(r'"([^"]*)"?|([^\s"]+)')
BEFORE: Final = 40
AROUND: Final = 160
"""Characters of a snippet, and how many of them may stand before what was found."""


@dataclass(frozen=True, slots=True)
class Query:
    """Words and phrases, all of which must occur."""

    terms: tuple[str, ...]

    @classmethod
    def parse(cls, words: str) -> Query:
        """Blanks part words; ``"a phrase"`` is one. An unfinished phrase counts as it stands."""
        found = (" ".join((phrase or word).split()) for phrase, word in _TERM.findall(words))
        return cls(tuple(dict.fromkeys(storable(term) for term in found if term)))

    @property
    def match(self) -> str:
        """As FTS5 wants it. Words shorter than three characters are looked for as whole words."""
        return " AND ".join(_asked(term) for term in self.terms)


def _asked(term: str) -> str:
    if len(term) < 3:
        return f"short : {_quoted(short_token(term))}"
    return f"text : {_quoted(term)}"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def snippet(session_id: str, terms: Sequence[str], text: str, parts: str) -> SessionHit:
    """The first place where a term occurs outside the title, else in it; terms are marked."""
    passages: list[tuple[int, int, Speaker]] = json.loads(parts)
    starts = [offset for offset, _, _ in passages]
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow in lower case; then the places would be wrong
        lower = text
    body = starts[1] if len(passages) > 1 and passages[0][2] == "title" else 0
    at = _first(lower, terms, body)
    if at < 0:
        at = max(0, _first(lower, terms, 0))
    passage = max(0, bisect_right(starts, at) - 1)
    seq, speaker = passages[passage][1:] if passages else (0, _TITLE)
    begin = starts[passage] if passages else 0
    end = starts[passage + 1] - 1 if passage + 1 < len(starts) else len(text)
    low = max(begin, at - BEFORE)
    shown = " ".join(text[low : min(end, low + AROUND)].split())
    if low > begin:
        shown = f"…{shown}"
    if low + AROUND < end:
        shown = f"{shown}…"
    return SessionHit(session_id=session_id, seq=seq, speaker=speaker, text=shown, marks=_marks(shown, terms))


def _first(lower: str, terms: Sequence[str], start: int) -> int:
    """Where the longest term occurs that does; -1 if none."""
    for term in sorted(terms, key=len, reverse=True):
        at = lower.find(term.lower(), start)
        if at >= 0:
            return at
    return -1


def _marks(shown: str, terms: Sequence[str]) -> tuple[tuple[int, int], ...]:
    pattern = "|".join(re.escape(term) for term in sorted(terms, key=len, reverse=True))
    return tuple(match.span() for match in re.finditer(pattern, shown, re.IGNORECASE))
