"""Code in an answer: its language, then its lines behind a rule; long lines wrap, nothing is cut.

Source: screens spec (answers).
"""

from __future__ import annotations

from rich.segment import Segment

from dsh_tui.widgets.code_colours import CodeColours
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row, prefixed, row
from dsh_tui.widgets.visible_text import TAB, drawn
from dsh_tui.widgets.wrap import wrap

COLOURED_PEEKS = 300
"""Lines: in longer code the line being written gets its colours when it is complete, not at each flush."""
_RULE = "│ "


class CodeRows:
    """Rows of one piece of code, line by line."""

    def __init__(self, info: str, width: int, palette: Palette) -> None:
        language = drawn(info).split(maxsplit=1)[0] if info.strip() else ""
        self._colours = CodeColours(language, palette)
        self._width = max(1, width - len(_RULE))
        self._plain = palette.text
        self._lines = 0
        self._rule = Segment(_RULE, palette.rule)
        self.label = [row((_RULE, palette.rule), (language, palette.faint), gutter=2, copied="")] * bool(
            language
        )

    def line(self, text: str) -> list[Row]:
        """The rows of the next line."""
        self._lines += 1
        return self._rows(self._colours.line(_drawn(text)))

    def peek(self, text: str) -> list[Row]:
        """The rows of a line that may still grow."""
        drawn = _drawn(text)
        if self._lines > COLOURED_PEEKS:
            return self._rows([Segment(drawn, self._plain)])
        return self._rows(self._colours.peek(drawn))

    def _rows(self, segments: list[Segment]) -> list[Row]:
        return prefixed(wrap(segments, self._width), self._rule, self._rule, len(_RULE))


def _drawn(text: str) -> str:
    text = drawn(text)
    return text.expandtabs(TAB) if "\t" in text else text


def code_rows(content: str, info: str, width: int, palette: Palette) -> list[Row]:
    """All of a piece of code at once."""
    code = CodeRows(info, width, palette)
    out = list(code.label)
    if content:
        for line in content.removesuffix("\n").split("\n"):
            out.extend(code.line(line))
    return out or code.line("")
