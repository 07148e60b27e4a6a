"""Pastes as one piece of text: nothing inside a bracketed paste can act as a key.

Textual's parser takes an escape byte inside a paste for the start of a key sequence and hands on what
follows as keys; a pasted text could so press Ctrl+G, or answer a question. Here a paste is held until
its end mark and reaches the parser without control characters.
Source: UX spec §2 D; design §3.17.
"""

from __future__ import annotations

from typing import Final

from dsh_tui.widgets.paste import clean

START: Final = "\x1b[200~"
END: Final = "\x1b[201~"


class PasteGuard:
    """A filter of terminal input. Marks may be split over reads at any place."""

    def __init__(self) -> None:
        self._before = ""
        """Outside a paste: the last characters, which may begin a start mark."""
        self._paste: str | None = None

    def feed(self, text: str) -> str:
        """What may go on to the parser."""
        passed: list[str] = []
        while text:
            text = self._outside(text, passed) if self._paste is None else self._inside(text, passed)
        return "".join(passed)

    def _outside(self, text: str, passed: list[str]) -> str:
        """Pass all up to and with a start mark; return the rest."""
        seen = self._before + text
        at = seen.find(START)
        if at < 0:
            self._before = seen[-(len(START) - 1) :]
            passed.append(text)
            return ""
        end = at + len(START) - len(self._before)
        self._before, self._paste = "", ""
        passed.append(text[:end])
        return text[end:]

    def _inside(self, text: str, passed: list[str]) -> str:
        """Hold all up to the end mark, then pass it cleaned; return the rest."""
        assert self._paste is not None
        searched = max(0, len(self._paste) - len(END))
        held = self._paste + text
        at = held.find(END, searched)
        if at < 0:
            self._paste = held
            return ""
        self._paste = None
        passed += (clean(held[:at]), END)
        return held[at + len(END) :]
