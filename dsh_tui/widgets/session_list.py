"""The list of sessions: grouped by project or flat, ten thousand at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal

from textual.content import Content
from textual.reactive import reactive

from dsh_tui.engine.projection.views import SessionRow
from dsh_tui.widgets.columns import cut, spread
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.visible_text import one_line

Scope = Literal["here", "projects", "time"]
SCOPES: Final[dict[Scope, str]] = {
    "here": "this project",
    "projects": "all by project",
    "time": "all by time",
}

_MARKS: Final = {
    "ok": ("○", "$dim", ""),
    "damaged": ("▲", "$warning", "damaged"),
    "busy": ("●", "$accent", "in use"),
    "foreign-version": ("◇", "$dim", "read-only"),
}
_DAY: Final = 86_400_000


def age(then_ms: int, now_ms: int) -> str:
    """``now``, ``5 min``, ``2 h``, ``yesterday``, ``Nov 12``, ``2024-03-01``: local time."""
    seconds = max(0, now_ms - then_ms) // 1_000
    if seconds < 60:
        return "now"
    if seconds < 3_600:
        return f"{seconds // 60} min"
    then, now = datetime.fromtimestamp(then_ms / 1_000), datetime.fromtimestamp(now_ms / 1_000)
    if then.date() == now.date():
        return f"{seconds // 3_600} h"
    if then.date() == now.date() - timedelta(days=1):
        return "yesterday"
    return f"{then:%b} {then.day}" if then.year == now.year else f"{then:%Y-%m-%d}"


def filtered(rows: Iterable[SessionRow], words: str) -> list[SessionRow]:
    """Rows whose title, project or id holds all words."""
    wanted = words.lower().split()
    if not wanted:
        return list(rows)
    return [
        row for row in rows if all(word in f"{row.title}\n{row.project}\n{row.id}".lower() for word in wanted)
    ]


def arranged(rows: Sequence[SessionRow], scope: Scope, cwd: str) -> list[SessionRow | str]:
    """Rows newest first, with a heading before each project unless they are of one or by time."""
    newest = sorted(rows, key=lambda row: -row.updated_at)
    if scope == "here":
        return [row for row in newest if row.cwd == cwd]
    if scope == "time":
        return list(newest)
    projects: dict[str, list[SessionRow | str]] = {}
    for row in newest:
        projects.setdefault(row.cwd, [row.project or row.cwd]).append(row)
    return [line for group in projects.values() for line in group]


class SessionList(RowList[SessionRow | str]):
    """One session a line: state, title, turns, age, what is special. Headings are strings."""

    now_ms: reactive[int] = reactive(0)
    current: reactive[str] = reactive("")
    flat: reactive[bool] = reactive(False)

    def choosable(self, row: SessionRow | str) -> bool:
        return not isinstance(row, str)

    def draw(self, row: SessionRow | str, width: int) -> Content:
        if isinstance(row, str):
            return Content.styled(cut(one_line(row), width), "bold")
        glyph, style, word = _MARKS[row.status]
        if row.source == "dsh":
            word = word or "read-only"
        if row.id == self.current:
            glyph, style, word = "●", "$ok", word or "open here"
        title = one_line(row.title) or f"untitled {row.id[:8]}"
        left = Content.assemble((f"  {glyph} ", style), ("└ " if row.parent else "", "$dim"), title)
        wide = width >= 58
        parts: list[Content] = []
        if wide and self.flat:
            parts.append(Content.styled(cut(one_line(row.project), 18).rjust(18), "$dim"))
        if wide and row.source == "dsh":
            parts.append(Content.styled("dsh", "$dim"))
        if wide:
            parts.append(Content.styled(f"{row.turns} turn{'s' if row.turns != 1 else ''}".rjust(10), "$dim"))
        parts.append(Content.styled(age(row.updated_at, self.now_ms).rjust(10), "$dim"))
        parts.append(Content.styled(f"{word:<9}", style if row.status != "ok" else "$dim"))
        return spread(left, Content("  ").join(parts), width)
