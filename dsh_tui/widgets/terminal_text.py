"""Tool output to rows: colours translated, everything else of a terminal's language left out.

Carriage returns overwrite, backspaces rub out, as on a terminal; other control characters show.
Source: design §3 row 17; ECMA-48 (SGR).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from dsh_tui.widgets.row import Row
from dsh_tui.widgets.visible_text import SEQUENCE, TAB, drawn
from dsh_tui.widgets.wrap import wrap

_CONTROL = re.compile("[\x08\x0d\x1b\x80-\x9f]")
_SGR = re.compile(r"(?:\x1b\[|\x9b)([\d;:]*)m\Z")
_RUBBED_OUT = re.compile("[^\x08]\x08")
_ATTRIBUTES = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_ENDS = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",), 29: ("strike",)}


def terminal_rows(text: str, width: int, style: Style) -> list[Row]:
    """All lines of some output; colours carry over line ends as they do on a terminal."""
    out: list[Row] = []
    for spans in terminal_lines(text, style):
        out.extend(wrap(spans, width))
    return out


def terminal_lines(text: str, style: Style) -> Iterator[list[Segment]]:
    """Styled pieces of each line."""
    codes = ""
    for line in text.replace("\r\n", "\n").rstrip("\n").split("\n"):
        if _CONTROL.search(line) is None:
            yield [Segment(drawn(line).expandtabs(TAB), _styled(codes, style))]
            continue
        spans: list[Segment] = []
        if "\r" in line:
            line = line.rstrip("\r").rpartition("\r")[2]
        while "\x08" in line:
            line, count = _RUBBED_OUT.subn("", line)
            if not count:
                line = line.replace("\x08", "")
        at = 0
        for match in SEQUENCE.finditer(line):
            if match.start() > at:
                spans.append(Segment(drawn(line[at : match.start()]).expandtabs(TAB), _styled(codes, style)))
            at = match.end()
            colour = _SGR.match(match.group())
            if colour:
                codes = _merge(codes, colour[1])
        if at < len(line) or not spans:
            spans.append(Segment(drawn(line[at:]).expandtabs(TAB), _styled(codes, style)))
        yield spans


def _merge(codes: str, new: str) -> str:
    """The codes in force after ``new``; a reset forgets what was before it."""
    parts = [part or "0" for part in new.replace(":", ";").split(";")] if new else ["0"]
    if "0" in parts and parts[0] in ("0", "00"):
        codes, parts = "", parts[1:]
    joined = ";".join([codes, *parts] if codes else parts)
    return joined[-200:].partition(";")[2] if len(joined) > 200 else joined  # a hostile log


@lru_cache(256)
def _styled(codes: str, style: Style) -> Style:
    if not codes:
        return style
    numbers = [int(part) for part in codes.split(";") if part.isdigit() and len(part) < 4]
    attributes: dict[str, bool] = {}
    color: Color | None = None
    ground: Color | None = None
    at = 0
    while at < len(numbers):
        code = numbers[at]
        at += 1
        if code == 0:
            attributes, color, ground = {}, None, None
        elif code in _ATTRIBUTES:
            attributes[_ATTRIBUTES[code]] = True
        elif code in _ENDS:
            for name in _ENDS[code]:
                attributes.pop(name, None)
        elif code in (38, 48):
            chosen, at = _extended(numbers, at)
            color, ground = (chosen, ground) if code == 38 else (color, chosen)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            color = Color.from_ansi(code - 30 if code < 90 else code - 82)
        elif 40 <= code <= 47 or 100 <= code <= 107:
            ground = Color.from_ansi(code - 40 if code < 100 else code - 92)
        elif code == 39:
            color = None
        elif code == 49:
            ground = None
    return style + Style(color=color, bgcolor=ground, **attributes)  # type: ignore[arg-type]  # names are ours


def _extended(numbers: list[int], at: int) -> tuple[Color | None, int]:
    """The colour of ``38;5;n`` and ``38;2;r;g;b`` after their first number."""
    if numbers[at : at + 1] == [5] and at + 1 < len(numbers):
        return Color.from_ansi(min(255, numbers[at + 1])), at + 2
    if numbers[at : at + 1] == [2] and at + 3 < len(numbers):
        red, green, blue = (min(255, each) for each in numbers[at + 1 : at + 4])
        return Color.from_rgb(red, green, blue), at + 4
    return None, len(numbers)
