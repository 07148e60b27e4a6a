"""Reads one word of a command line: quotes removed, expansions seen but not made.

Exactly what bash does, or `NotUnderstood`. Commands inside substitutions are left to whoever
reads lists. Source: Bash Reference Manual, Quoting and Shell Expansions.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from typing import Final

from dsh_tui.engine.permissions.command_line import NotUnderstood, Word

META: Final = frozenset(" \t\n;&|()<>")
"""Characters that end a word when they are not quoted."""

_PLAIN = re.compile(r"[A-Za-z0-9_/@%+:=^!#\]}-]+")
_JOINABLE = re.compile(r"[A-Za-z0-9_./:,@%+-]")
"""What stays what it is when something of its kind comes next to it."""
_QUOTED = re.compile(r'[^"\\$`]+')
_PARAMETER = re.compile(
    r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]"
    r"|\{#?[A-Za-z_][A-Za-z0-9_]*\}|\{[0-9@*#?$!-]\}"
    r"|\{[A-Za-z_][A-Za-z0-9_]*(?::?[-+]|##?|%%?)[A-Za-z0-9_./*-]*\})"
)
_ARITHMETIC = re.compile(r"\$\(\([0-9 +*/%-]+\)\)")
"""Numbers only: a name could hold an expression, and an expression can hold a command."""
_ANSI_C = re.compile(r"\\(?:([abeEfnrtv\\'\"?])|x([0-9A-Fa-f]{1,2})|([0-7]{1,3}))|([^\\'])")
_ANSI_C_NAMED: Final = {
    **dict(zip("abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v", strict=True)),
    **{char: char for char in "\\'\"?"},
}


class WordReader(ABC):
    """A place in a text, and the words from there on."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    @abstractmethod
    def read_list(self, end: str) -> None:
        """Read commands up to and over ``end``."""

    @abstractmethod
    def read_backquoted(self, start: int, end: int) -> None:
        """Read the commands of this part of the text."""

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def blanks(self) -> None:
        while True:
            if self.peek() in (" ", "\t"):
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self._continuation()
            else:
                return

    def substitutes_process(self) -> bool:
        """True if ``<(`` or ``>(`` is here."""
        return self.text.startswith(("<(", ">("), self.at)

    def word(self) -> Word:
        """The word that begins here; an empty one if none does."""
        start, value = self.at, _Value()
        if self.peek() == "#":
            raise NotUnderstood("a comment in the place of a word")
        while char := self.peek():
            if (plain := _PLAIN.match(self.text, self.at)) is not None:
                value.add(plain[0])
                self.at = plain.end()
            elif char in META:
                if not self.substitutes_process():
                    break
                if self.at != start:
                    raise NotUnderstood("a process substitution inside a word")
                self.at += 2
                self.read_list(")")
                value.unknown()
            elif char in "\\'\"$`":
                self._quoted(char, value)
            else:
                self._unquoted(char, start, value)
        return value.word()

    def _quoted(self, char: str, value: _Value) -> None:
        """What a quote, a backslash or an expansion begins, outside other quotes."""
        if char == "\\":
            following = self.text[self.at + 1 : self.at + 2]
            if not following:
                raise NotUnderstood("a backslash at the end")
            if following == "\n":
                self._continuation()
            else:
                value.add(following)
                self.at += 2
        elif char == "'":
            end = self.text.find("'", self.at + 1)
            if end < 0:
                raise NotUnderstood("a quote that is not closed")
            value.add(self.text[self.at + 1 : end])
            self.at = end + 1
        elif char == '"':
            self._double_quoted(value)
        elif self.text.startswith("$'", self.at):
            self._ansi_c(value)
        else:
            self._expansion(value, quoted=False)

    def _continuation(self) -> None:
        """Steps over a backslash and a newline, which bash takes out before it looks for words."""
        before, behind = self.text[: self.at][-1:], self.text[self.at + 2 : self.at + 3]
        apart = before in ("", " ", "\t", "\n") or behind in ("", " ", "\t")
        if not apart and not (_JOINABLE.match(before) and _JOINABLE.match(behind)):
            raise NotUnderstood("a line that is continued inside an operator or an expansion")
        self.at += 2

    def _unquoted(self, char: str, start: int, value: _Value) -> None:
        """A character that may mean more than itself."""
        before = self.text[start : self.at][-1:]
        following = self.text[self.at + 1 : self.at + 2]
        is_test = char == "[" and not before and (not following or following in META)
        if (char in "*?[" and not is_test) or (char == "~" and before in ("", "=", ":")):
            value.unknown()
        elif char == "{":
            value.brace()
        elif char == "," or self.text.startswith("..", self.at):
            value.in_braces()
        elif not char.isascii() and (char.isspace() or unicodedata.category(char)[0] in "CZ"):
            raise NotUnderstood("an unusual blank or invisible character outside quotes")
        value.add(char)
        self.at += 1

    def _double_quoted(self, value: _Value) -> None:
        self.at += 1
        while (char := self.peek()) != '"':
            if not char:
                raise NotUnderstood("a quote that is not closed")
            if char == "\\":
                following = self.text[self.at + 1 : self.at + 2]
                if following == "\n" and self.text[self.at - 1] == "$":
                    raise NotUnderstood("a line that is continued inside an expansion")
                escaped = "" if following == "\n" else following
                value.add(escaped if following in '\n$`"\\' else char + following)
                self.at += 2
            elif char in "$`":
                self._expansion(value, quoted=True)
            else:
                plain = _QUOTED.match(self.text, self.at)
                assert plain is not None
                value.add(plain[0])
                self.at = plain.end()
        self.at += 1

    def _ansi_c(self, value: _Value) -> None:
        self.at += 2
        while self.peek() != "'":
            piece = _ANSI_C.match(self.text, self.at)
            if piece is None:
                raise NotUnderstood("an escape in $'…'")
            named, hexadecimal, octal, plain = piece.groups()
            if named or plain:
                value.add(_ANSI_C_NAMED[named] if named else plain)
            else:
                code = int(hexadecimal, 16) if hexadecimal else int(octal, 8)
                if not 0 < code < 0x80:  # 0 ends the string, the others depend on the locale
                    raise NotUnderstood("an escape in $'…'")
                value.add(chr(code))
            self.at = piece.end()
        self.at += 1

    def _expansion(self, value: _Value, *, quoted: bool) -> None:
        """What a ``$`` or a backquote begins; a ``$`` can also be just that."""
        if self.peek() == "`":
            end = self.text.find("`", self.at + 1)
            inside = self.text[self.at + 1 : end]
            if end < 0 or "\\" in inside or (quoted and '"' in inside):
                raise NotUnderstood("backquotes that hold further quotes")
            self.read_backquoted(self.at + 1, end)
            self.at = end + 1
            value.unknown(is_one=quoted)
            return
        for pattern in (_PARAMETER, _ARITHMETIC):
            if (match := pattern.match(self.text, self.at)) is not None:
                self.at = match.end()
                value.unknown(is_one=quoted and "@" not in match[0])
                return
        following = self.text[self.at + 1 : self.at + 2]
        if following == "(" and not self.text.startswith("$((", self.at):
            self.at += 2
            self.read_list(")")
            value.unknown(is_one=quoted)
        elif following in ("(", "{", "[") or (following in ("'", '"') and not quoted):
            raise NotUnderstood(f"an expansion (${following})")
        else:
            value.add("$")
            self.at += 1


class _Value:
    """A word while it is read."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0
        self._known: int | None = None
        self._is_one = True
        self._brace: int | None = None

    def add(self, text: str) -> None:
        self._parts.append(text)
        self._size += len(text)

    def unknown(self, at: int | None = None, *, is_one: bool = False) -> None:
        """From here on (or from ``at``) it is not known what the word becomes."""
        self._is_one &= is_one
        at = self._size if at is None else at
        self._known = at if self._known is None else min(self._known, at)

    def brace(self) -> None:
        if self._brace is None:
            self._brace = self._size

    def in_braces(self) -> None:
        """A comma or two dots: after a brace they make several words."""
        if self._brace is not None:
            self.unknown(self._brace)

    def word(self) -> Word:
        text = "".join(self._parts)
        return (
            Word(text)
            if self._known is None
            else Word(text[: self._known], literal=False, is_one=self._is_one)
        )
