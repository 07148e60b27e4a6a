"""The session's title: the newest ``session/title``, else the first words of the first prompt.

Source: core spec §10; design §4 (the title is the first words).
"""

from __future__ import annotations

from collections.abc import Callable

from dsh_tui.engine.projection.content import plain_text
from dsh_tui.engine.session.event import Event

_LONGEST = 60


class TitleFold:
    """What to call the session. A title that a person gave is not replaced by the model's."""

    __slots__ = ("_first_words", "_given", "_source", "routes")

    def __init__(self) -> None:
        self._given = self._source = self._first_words = ""
        self.routes: dict[str, Callable[[Event], None]] = {
            "session/title": self.apply,
            "user/message": self.apply,
        }

    @property
    def title(self) -> str:
        """The title now; empty before anything was said."""
        return self._given or self._first_words

    def apply(self, event: Event) -> None:
        """Fold one event in: a title or a prompt."""
        if event.type == "session/title":
            source = str(event.data.get("source", ""))
            if self._source != "user" or source == "user":
                self._given, self._source = str(event.data.get("title", "")).strip(), source
        elif (
            event.type == "user/message"
            and not self._first_words
            and (event.data.get("source") or {}).get("kind", "user") == "user"
        ):
            self._first_words = _first_words(plain_text(event.data["content"])[: 4 * _LONGEST])


def _first_words(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _LONGEST:
        return line
    cut = line[:_LONGEST]
    return f"{cut.rsplit(' ', 1)[0] if ' ' in cut[_LONGEST // 2 :] else cut}…"
