"""Inline Markdown to styled text: emphasis, code, links underlined. No markup of any other kind.

Source: screens spec (answers); design §3 row 17.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from dsh_tui.widgets.palette import Palette

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Env = MutableMapping[str, Any]  # Any: markdown-it's own, link references by label
_SPECIAL = re.compile(r"[\\`*_~\[\]!<&\n\t]")
_OPENING = {"strong_open": Style(bold=True), "em_open": Style(italic=True), "s_open": Style(strike=True)}


class Inline:
    """Turns the source of inline content into lines of styled text."""

    def __init__(self, parser: MarkdownIt, palette: Palette) -> None:
        self._parser = parser
        self._palette = palette

    def lines(self, source: str, env: Env, style: Style) -> list[list[Segment]]:
        """One line, and another for each hard break."""
        if _SPECIAL.search(source) is None:
            return [[Segment(source, style)]]
        tokens: list[Token] = []
        self._parser.inline.parse(source, self._parser, env, tokens)
        return self._styled(tokens, style)

    def _styled(self, tokens: list[Token], base: Style) -> list[list[Segment]]:
        lines: list[list[Segment]] = [[]]
        styles = [base]
        for token in tokens:
            kind = token.type
            if kind in ("text", "text_special"):
                if token.content:
                    lines[-1].append(Segment(token.content.replace("\t", " "), styles[-1]))
            elif kind == "code_inline":
                lines[-1].append(Segment(token.content.replace("\t", " "), styles[-1] + self._palette.code))
            elif kind == "softbreak":
                lines[-1].append(Segment(_BREAK, styles[-1]))
            elif kind == "hardbreak":
                lines.append([])
            elif kind == "link_open":
                styles.append(styles[-1] + self._palette.link)
            elif kind == "image":
                alt = token.content or str(token.attrs.get("src", ""))
                lines[-1].append(Segment(f"[image: {alt}]", styles[-1] + self._palette.dim))
            elif token.nesting == 1:
                styles.append(styles[-1] + _OPENING.get(kind, Style.null()))
            elif token.nesting == -1 and len(styles) > 1:
                styles.pop()
        return [_joined(line) for line in lines]


_BREAK = "\n"


def _joined(line: list[Segment]) -> list[Segment]:
    """Source line ends become spaces, but nothing between wide characters, which need none."""
    out: list[Segment] = []
    for index, segment in enumerate(line):
        if segment.text != _BREAK:
            out.append(segment)
            continue
        before = out[-1].text[-1:] if out else ""
        after = line[index + 1].text[:1] if index + 1 < len(line) else ""
        if not (before and after and cell_len(before) == 2 and cell_len(after) == 2):
            out.append(Segment(" ", segment.style))
    return out
