"""The list of sessions: grouped by project or flat, ten thousand at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar, Final, Literal, TypeAlias

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive

from dsh_tui.engine.base.real_folder import real_folder
from dsh_tui.engine.projection.views import SessionHit, SessionHits, SessionRow
from dsh_tui.widgets.columns import cut, spread
from dsh_tui.widgets.row_list import ARROWS, RowList
from dsh_tui.widgets.visible_text import one_line

Scope = Literal["here", "projects", "time"]
SCOPES: Final[dict[Scope, str]] = {
    "here": "this project",
    "projects": "all by project",
    "time": "all by time",
}

SessionLine: TypeAlias = SessionRow | SessionHit | str
"""A session, what was said in the one above it, or a heading."""
DEEPEST: Final = 6
"""Forks of forks are indented so far."""
GAP: Final = "  "
WIDE: Final = 58
"""Cells of a line from which it shows more than title, age and state."""
TITLE_ROOM: Final = 28
"""Cells that a title has before anything else is shown."""

_MARKS: Final = {
    "ok": ("○", "$dim", ""),
    "damaged": ("▲", "$warning", "damaged"),
    "busy": ("●", "$accent", "in use"),
    "foreign-version": ("◇", "$dim", "read-only"),
}
_ACTIVE: Final = {"running": ("$accent", "running"), "waiting": ("$waiting", "waiting")}
_SPEAKERS: Final = {"title": "#", "user": "▌", "model": "│", "call": "→"}


def age(then_ms: int, now_ms: int) -> str:
    """``now``, ``5 min``, ``2 h``, ``yesterday``, ``Nov 12``, ``2024-03-01``: local time."""
    seconds = max(0, now_ms - then_ms) // 1_000
    if seconds < 60:
        return "now"
    if seconds < 3_600:
        return f"{seconds // 60} min"
    try:
        then, now = datetime.fromtimestamp(then_ms / 1_000), datetime.fromtimestamp(now_ms / 1_000)
    except (ValueError, OverflowError, OSError):
        return "long ago"
    if then.date() == now.date():
        return f"{seconds // 3_600} h"
    if then.date() == now.date() - timedelta(days=1):
        return "yesterday"
    return f"{then:%b} {then.day}" if then.year == now.year else f"{then:%Y-%m-%d}"


def named(row: SessionRow) -> str:
    """Its title, else its id: what can still be told of a log whose words can't be read."""
    return one_line(row.title) or f"untitled {one_line(row.id)}"


def arranged(rows: Sequence[SessionRow], scope: Scope, cwd: str) -> list[SessionLine]:
    """Newest first; by project with a heading before each, forks below what they were forked from."""
    newest = sorted(rows, key=lambda row: -row.updated_at)
    if scope == "time":
        return list(newest)
    if scope == "here":
        here = real_folder(cwd)
        return [*forks_below(row for row in newest if real_folder(row.cwd) == here)]
    projects: dict[str, list[SessionRow]] = {}
    for row in newest:
        projects.setdefault(real_folder(row.cwd), []).append(row)
    lines: list[SessionLine] = []
    for group in projects.values():
        lines += (group[0].project or group[0].cwd, *forks_below(group))
    return lines


def forks_below(rows: Iterable[SessionRow]) -> list[SessionRow]:
    """Each session followed by its forks; a tree stands where the newest of it would."""
    listed = {row.id: row for row in rows}
    children: dict[str, list[SessionRow]] = {}
    for row in listed.values():
        if row.parent in listed:
            children.setdefault(row.parent or "", []).append(row)
    if not children:
        return list(listed.values())
    ordered: dict[str, SessionRow] = {}
    for row in listed.values():
        waiting = [_root_of(row, listed)]
        while waiting:
            one = waiting.pop()
            if one.id not in ordered:
                ordered[one.id] = one
                waiting.extend(reversed(children.get(one.id, ())))
    return list(ordered.values())


def _root_of(row: SessionRow, listed: Mapping[str, SessionRow]) -> SessionRow:
    seen = {row.id}
    while row.parent in listed and row.parent not in seen:
        row = listed[row.parent or ""]
        seen.add(row.id)
    return row


def depths(lines: Iterable[SessionLine]) -> dict[str, int]:
    """How deep each fork stands below a session that is listed before it."""
    deep: dict[str, int] = {}
    for line in lines:
        if isinstance(line, SessionRow):
            deep[line.id] = deep[line.parent] + 1 if line.parent in deep else 0
    return deep


def with_hits(
    lines: Sequence[SessionLine], found: SessionHits, rows: Mapping[str, SessionRow]
) -> list[SessionLine]:
    """The same lines, then the sessions in which it was said, each with the place."""
    listed = {line.id for line in lines if isinstance(line, SessionRow)}
    said: list[SessionLine] = []
    for hit in found.hits:
        row = rows.get(hit.session_id)
        if row is not None and not (hit.speaker == "title" and row.id in listed):
            said += (row, hit)
    if not said:
        return list(lines)
    shown = len(said) // 2
    if found.total > len(found.hits):
        return [*lines, f"Said in {found.total:,} sessions, the newest {shown} are", *said]
    return [*lines, f"Said in {shown:,} session{'s' if shown > 1 else ''}", *said]


class SessionList(RowList[SessionLine], inherit_bindings=False):
    """One session a line: state, title, turns, age, what is special. Headings are strings.

    No letter moves the highlight here: all of them filter.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *ARROWS,
        Binding("enter", "choose", "Choose", show=False),
    ]

    now_ms: reactive[int] = reactive(0)
    current: reactive[str] = reactive("")
    flat: reactive[bool] = reactive(False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._depths: dict[str, int] = {}

    def show(self, rows: Sequence[SessionLine], highlighted: int = 0, *, still: bool = False) -> None:
        self._depths = {} if self.flat else depths(rows)
        super().show(rows, highlighted, still=still)

    def choosable(self, row: SessionLine) -> bool:
        return isinstance(row, SessionRow)

    def draw(self, row: SessionLine, width: int) -> Content:
        if isinstance(row, str):
            return Content.styled(cut(one_line(row), width), "bold")
        if isinstance(row, SessionHit):
            return _snippet(row, width)
        glyph, style, word = _MARKS[row.status]
        if row.source == "dsh":
            word = word or "read-only"
        if row.id == self.current:
            glyph, style, word = "●", "$ok", word or "open here"
        if row.activity:
            glyph, style, word = "●", *_ACTIVE[row.activity]
        title = named(row)
        depth = min(self._depths.get(row.id, 0), DEEPEST)
        left = Content.assemble(
            ("  " * depth, ""), ("└ " if depth else "  ", "$dim"), (f"{glyph} ", style), title
        )
        plain = row.status == "ok" and not row.activity
        word = word or ("fork" if row.parent and not depth else "")
        always = [
            Content.styled(age(row.updated_at, self.now_ms).rjust(10), "$dim"),
            Content.styled(f"{word:<9}", "$dim" if plain else style),
        ]
        room = width - TITLE_ROOM if width >= WIDE else 0
        return spread(left, Content(GAP).join([*self._extras(row, room, always), *always]), width)

    def _extras(self, row: SessionRow, room: int, always: Sequence[Content]) -> list[Content]:
        """What else fits into ``room`` cells, in the order of the line; a title gives way to none of it."""
        turns = f"{row.turns} turn{'s' if row.turns != 1 else ''}"
        project = Content.styled(cut(one_line(row.project), 18).rjust(18), "$dim") if self.flat else None
        origin = Content.styled("dsh", "$dim") if row.source == "dsh" else None
        count = Content.styled(turns.rjust(10), "$dim")
        fitting: list[Content] = []
        for extra in filter(None, (origin, count, project)):
            if sum(part.cell_length + len(GAP) for part in (*always, *fitting, extra)) <= room:
                fitting.append(extra)
        return [extra for extra in (project, origin, count) if extra is not None and extra in fitting]


def _snippet(hit: SessionHit, width: int) -> Content:
    """The place where it was said, what was searched for in bold."""
    pieces: list[Content] = []
    at = 0
    for start, end in hit.marks:
        pieces.append(Content.styled(one_line(hit.text[at:start]), "$dim"))
        pieces.append(Content.styled(one_line(hit.text[start:end]), "bold $accent"))
        at = end
    pieces.append(Content.styled(one_line(hit.text[at:]), "$dim"))
    who = Content.styled(f"      {_SPEAKERS[hit.speaker]} ", "$dim")
    return spread(Content("").join([who, *pieces]), Content(""), width)
