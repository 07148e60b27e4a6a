"""Syntax colours, line by line: a lexer that stops at each line's end and goes on from there.

A streamed block of code costs the same as one that is whole, and looks the same. What that takes
from Pygments is its tables; its own loop can't be paused. Constructs that its tables match in one
piece over several lines (``/* … */``) are followed here.
Source: design §6 (one fenced block of 5,000 lines).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.segment import Segment
from rich.style import Style

from dsh_tui.widgets.palette import Palette

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]  # ships no types

LONGEST_LINE = 2000
"""Characters; longer lines (minified code) stay plain."""
_DEEPEST = 64
_BLOCK_COMMENTS = frozenset(
    (
        "c",
        "cpp",
        "csharp",
        "css",
        "dart",
        "go",
        "java",
        "javascript",
        "js",
        "jsx",
        "kotlin",
        "less",
        "php",
        "rust",
        "scala",
        "scss",
        "sql",
        "swift",
        "ts",
        "tsx",
        "typescript",
    )
)
Piece = tuple[Any, str]  # Any: a Pygments token type


class CodeColours:
    """Colours the lines of one piece of code, in order."""

    def __init__(self, language: str, palette: Palette) -> None:
        self._styles = _Styles(palette)
        self._lexer = _lexer(language)
        self._tables: dict[str, list[Any]] | None = _tables(self._lexer)
        self._stack = ["root"]
        self._comments = language.lower() in _BLOCK_COMMENTS
        self._in_comment = False

    def line(self, text: str) -> list[Segment]:
        """The next line, without its line feed."""
        if self._lexer is None or not text or len(text) > LONGEST_LINE:
            return [Segment(text, self._styles.plain)]
        if self._in_comment:
            end = text.find("*/")
            if end < 0:
                return [Segment(text, self._styles.comment)]
            self._in_comment = False
            return [Segment(text[: end + 2], self._styles.comment), *self._coloured(text[end + 2 :])]
        if self._comments and (start := _unclosed_comment(text)) >= 0:
            self._in_comment = True
            return [*self._coloured(text[:start]), Segment(text[start:], self._styles.comment)]
        return self._coloured(text)

    def peek(self, text: str) -> list[Segment]:
        """A line that is not complete yet; changes nothing."""
        stack, in_comment = list(self._stack), self._in_comment
        segments = self.line(text)
        self._stack, self._in_comment = stack, in_comment
        return segments

    def _coloured(self, text: str) -> list[Segment]:
        if not text:
            return []
        assert self._lexer is not None
        if self._tables is None:
            pieces: Iterable[Piece] = [
                (kind, value) for _, kind, value in self._lexer.get_tokens_unprocessed(text)
            ]
        else:
            pieces = self._pieces(text + "\n", self._tables)
        return self._styles.segments(pieces)

    def _pieces(self, text: str, tables: dict[str, list[Any]]) -> list[Piece]:
        from pygments.token import Text, _TokenType  # type: ignore[import-untyped]  # ships no types

        out: list[Piece] = []
        stack, at, length = self._stack, 0, len(text)
        rules = tables[stack[-1]]
        while at < length:
            for match_at, action, target in rules:
                match = match_at(text, at)
                if match is None:
                    continue
                if action is not None:
                    if type(action) is _TokenType:
                        out.append((action, match.group()))
                    else:
                        out.extend([(kind, value) for _, kind, value in action(self._lexer, match)])
                at = match.end()
                if target is not None:
                    _enter(stack, target)
                    rules = tables[stack[-1]]
                break
            else:
                if text[at] == "\n":
                    stack[:] = ["root"]
                out.append((Text, text[at]))
                at += 1
                rules = tables[stack[-1]]
        return out


class _Styles:
    """Few colours, by the families of token types."""

    def __init__(self, palette: Palette) -> None:
        self.plain = palette.text
        self.comment = palette.comment
        self._by_name = {
            "Token.Comment": palette.comment,
            "Token.Keyword": palette.accent,
            "Token.Operator.Word": palette.accent,
            "Token.Name.Tag": palette.accent,
            "Token.Name.Function": palette.name,
            "Token.Name.Class": palette.name,
            "Token.Name.Decorator": palette.waiting,
            "Token.Name.Attribute": palette.waiting,
            "Token.Literal.String": palette.ok,
            "Token.Literal.Number": palette.warning,
            "Token.Generic.Deleted": palette.error,
            "Token.Generic.Inserted": palette.ok,
            "Token.Generic.Heading": palette.strong,
        }
        self._known: dict[Any, Style] = {}

    def segments(self, pieces: Iterable[Piece]) -> list[Segment]:
        """Pieces of one style joined, line feeds left out."""
        out: list[Segment] = []
        text, style = "", self.plain
        for kind, value in pieces:
            own = self._known.get(kind)
            if own is None:
                own = self._known[kind] = self._find(kind)
            if own is style or value.isspace():
                text += value
                continue
            if text:
                out.append(Segment(text, style))
            text, style = value, own
        text = text.rstrip("\n")
        if text:
            out.append(Segment(text, style))
        return out

    def _find(self, kind: Any) -> Style:  # Any: a Pygments token type
        while kind is not None:
            style = self._by_name.get(str(kind))
            if style is not None:
                return style
            kind = kind.parent
        return self.plain


def _enter(stack: list[str], target: Any) -> None:  # Any: Pygments' ways to name a state
    if isinstance(target, tuple):
        for state in target:
            _enter(stack, state)
    elif isinstance(target, int):
        del stack[max(1, len(stack) + target) :]
    elif target == "#pop":
        del stack[max(1, len(stack) - 1) :]
    elif target == "#push":
        stack.append(stack[-1])
    else:
        stack.append(target)
    if len(stack) > _DEEPEST:
        del stack[1:-_DEEPEST]


def language_of(path: str) -> str:
    """The language that a file's name speaks for, or empty."""
    from pygments.lexers import find_lexer_class_for_filename  # type: ignore[import-untyped]  # ships no types

    found = find_lexer_class_for_filename(path.rpartition("/")[2])
    return str(found.aliases[0]) if found is not None and found.aliases else ""


def _lexer(language: str) -> Lexer | None:
    if not language:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]  # ships no types

    try:
        lexer: Lexer = get_lexer_by_name(language, ensurenl=False, stripnl=False)
    except ClassNotFound:
        return None
    return lexer


def _tables(lexer: Lexer | None) -> dict[str, list[Any]] | None:
    """The rules by state of a lexer that is driven by rules alone."""
    from pygments.lexer import ExtendedRegexLexer, RegexLexer

    if not isinstance(lexer, RegexLexer) or isinstance(lexer, ExtendedRegexLexer):
        return None
    tables: dict[str, list[Any]] = lexer._tokens  # noqa: SLF001  # no public way to pause it
    return tables


def _unclosed_comment(text: str) -> int:
    start = text.rfind("/*")
    if start < 0 or "*/" in text[start:] or "//" in text[:start]:
        return -1
    before = text[:start]
    quoted = any(before.count(quote) % 2 for quote in "\"'`")
    return -1 if quoted else start
