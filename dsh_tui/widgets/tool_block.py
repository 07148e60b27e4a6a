"""A tool card: one line until opened or failed. View to rows, pure.

Verb, object, result, time. A failure opens itself to its last lines; a running call shows the newest one.
Source: screens spec (tool cards).
"""

from __future__ import annotations

import json
import re
from typing import Final

from rich.style import Style

from dsh_tui.engine.base.visible import exact
from dsh_tui.engine.projection.views import CallState, ToolView
from dsh_tui.widgets import diff_block
from dsh_tui.widgets.layout import (
    DURATION,
    OUTPUT_EDGE,
    TEXT_EDGE,
    WIDE_ENOUGH,
    duration,
    lines,
    margin,
    ruled,
    with_meta,
)
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.prose import plain_rows
from dsh_tui.widgets.row import Row, row
from dsh_tui.widgets.terminal_text import terminal_rows
from dsh_tui.widgets.visible_text import exact_line, one_line

VERB: Final = 8
"""Cells of the verb column."""
FAILED_LINES: Final = 6
_STATUS: Final = re.compile(r"\n*\[exit code: \d+\]\s*\Z")
OPEN_LINES: Final = 1000
"""Rows of an opened output; copying gives all of it."""

_GLYPHS: Final[dict[CallState, str]] = {
    "streaming": "●",
    "queued": "○",
    "running": "●",
    "waiting": "◇",
    "ok": "✓",
    "failed": "✗",
    "denied": "✗",
    "cancelled": "○",
}
_WORDS: Final[dict[CallState, str]] = {
    "streaming": "writing…",
    "queued": "queued",
    "running": "running…",
    "waiting": "waiting for you",
    "denied": "denied",
    "cancelled": "cancelled",
}


def render(view: ToolView, width: int, palette: Palette, *, folded: bool) -> list[Row]:
    """The card's rows."""
    rows = [_head(view, width, palette)]
    room = max(1, width - OUTPUT_EDGE - 3)
    if view.feedback:
        rows += ruled(plain_rows(f"You said: {view.feedback}", room, palette.text), palette)
    if not folded:
        rows += ruled(_opened(view, room, palette), palette)
    elif view.state == "failed":
        rows += ruled(_tail(view, room, palette), palette)
    elif view.state == "running" and view.output:
        last = view.output.rstrip().rpartition("\n")[2]
        rows += ruled(terminal_rows(last, room, palette.dim)[:1], palette)
    return rows


def _head(view: ToolView, width: int, palette: Palette) -> Row:
    colour = _colour(view.state, palette)
    glyph = "±" if view.state == "ok" and view.diff is not None else _GLYPHS[view.state]
    verb = one_line(view.verb or view.name)
    left = [
        margin(TEXT_EDGE),
        (f"{glyph} ", colour),
        (verb.ljust(VERB - 1) + " ", palette.dim if view.state == "ok" else palette.text),
        (exact_line(view.subject), palette.text),
    ]
    told = one_line(_told(view))
    meta = [(told, colour if view.state != "ok" else palette.dim)]
    took = duration(view.duration_ms) if view.duration_ms is not None and not view.cut else ""
    if width >= WIDE_ENOUGH:
        meta.append((took.rjust(DURATION), palette.faint))
    elif not told:
        meta = [(took, palette.faint)]
    return with_meta(left, meta, width, TEXT_EDGE)


def _told(view: ToolView) -> str:
    """What came of it, in words; why it was refused comes after that it was."""
    if view.state == "failed" and _repeated_below(view):
        return ""
    word = None if view.cut else _WORDS.get(view.state)
    parts = (word, view.summary) if view.state in ("denied", "cancelled") else (view.summary, word)
    return " · ".join(filter(None, parts))


def _repeated_below(view: ToolView) -> bool:
    """Whether the summary is the first line of an output that is short enough to stand under the head."""
    whole = view.output.count("\n") < FAILED_LINES
    first = one_line(view.output.strip().removeprefix("Error: "))
    return whole and bool(view.summary) and first.startswith(view.summary.rstrip("…"))


def _colour(state: CallState, palette: Palette) -> Style:
    if state in ("failed", "denied"):
        return palette.error
    colours = {
        "ok": palette.ok,
        "waiting": palette.waiting,
        "cancelled": palette.warning,
        "queued": palette.dim,
    }
    return colours.get(state, palette.accent)


def _tail(view: ToolView, width: int, palette: Palette) -> list[Row]:
    """The part of a failure that matters: its end, but for the status that the head has."""
    output = _STATUS.sub("", view.output) if view.summary.startswith("exit ") else view.output
    rows = terminal_rows(output, width, palette.text) if output.strip() else []
    cut = len(rows) - FAILED_LINES
    if cut <= 1:
        return rows
    return [_more(cut, "earlier", palette, "ctrl+o opens all"), *rows[-FAILED_LINES:]]


def _more(cut: int, which: str, palette: Palette, how: str) -> Row:
    return row((lines(cut, which), palette.dim), (f"   {how}", palette.faint), copied="")


def _opened(view: ToolView, width: int, palette: Palette) -> list[Row]:
    rows = _arguments(view, width, palette)
    if view.diff is not None:
        rows += diff_block.render(view.diff, width, palette)
    elif view.output:
        output = terminal_rows(view.output, width, palette.text)
        rows += output[:OPEN_LINES]
        if len(output) > OPEN_LINES:
            rows.append(_more(len(output) - OPEN_LINES, "more", palette, "y copies all"))
    if not rows:
        rows = [row(("no output", palette.faint), copied="")]
    return rows


def _arguments(view: ToolView, width: int, palette: Palette) -> list[Row]:
    """What was asked, where the head can't say all of it."""
    try:
        given = json.loads(view.arguments) if view.arguments else {}
    except ValueError:
        return plain_rows(exact(view.arguments), width, palette.dim)
    if view.name == "bash" and isinstance(given, dict) and isinstance(given.get("command"), str):
        return plain_rows(f"$ {exact(given['command'])}", width, palette.dim)
    if view.verb != view.name:
        return []
    return plain_rows(exact(json.dumps(given, ensure_ascii=False, indent=2)), width, palette.dim)
