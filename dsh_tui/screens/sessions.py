"""The session browser: all sessions, filtered and searched as one types, read before they are opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from dsh_tui.actions import bindings
from dsh_tui.engine.base.real_folder import real_folder
from dsh_tui.engine.projection.views import BlockView, SessionHit, SessionHits, SessionRow, ToolView
from dsh_tui.screens.ports import ChatPort
from dsh_tui.screens.session_actions import SessionActions
from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.session_list import SCOPES, Scope, SessionList, named, with_hits
from dsh_tui.widgets.session_shelf import SessionShelf
from dsh_tui.widgets.transcript import Transcript
from dsh_tui.widgets.visible_text import one_line

PREVIEW_DELAY: Final = 0.12
"""Seconds for which a row must stay highlighted before its log is read."""
SETTLING: Final = 1.0
"""Seconds in which a list that was not up to date may still put newer sessions on top under the highlight."""
SEARCH_DELAY: Final = 0.015
"""Seconds without a key before what was said is searched too."""
PATIENCE: Final = 0.05
"""Seconds in which titles are listed together with what was said, if that is found by then."""


def head_of(row: SessionRow, blocks: Sequence[BlockView]) -> Content:
    """Title, numbers and what is wrong with it, if anything."""
    calls = sum(isinstance(block, ToolView) for block in blocks)
    facts = f"{_count(row.turns, 'turn')} · {_count(calls, 'tool call')} · {one_line(row.project)}"
    lines = [Content.styled(named(row), "bold"), Content.styled(facts, "$dim")]
    if row.note:
        lines.append(Content.styled(one_line(row.note), "$warning"))
    return Content("\n").join(lines)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


class SessionsScreen(SessionActions):
    """Every letter filters; what else can be done has keys of its own, see the table of actions."""

    AUTO_FOCUS = "SessionList"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual has no ClassVar
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(place="browser"),
        Binding("delete", "browser_delete", "Delete", show=False),
        Binding("up", "move(-1)", "Up", show=False, priority=True),
        Binding("down", "move(1)", "Down", show=False, priority=True),
    ]

    def __init__(self, port: ChatPort, cwd: Path, now_ms: Callable[[], int], *, current: str = "") -> None:
        super().__init__(port, cwd)
        self._now_ms, self._current = now_ms, current
        self._all = SessionShelf((), str(cwd))
        self._hits = SessionHits()
        self._scope: Scope = "here"
        self._loading = True
        self._begun = False
        """Whether the filter is being typed and has not got the focus yet."""
        self._failure = ""
        """Why no more rows come."""
        self._told = self._mounted_once = False
        self._previews = 0
        self._preview_due: Timer | None = None
        self._just_opened = True
        """While what was known at first is brought up to date: the newest on top is highlighted."""
        self._search_due: Timer | None = None
        self._owed = False
        """Whether a key has not changed the list yet."""

    def compose(self) -> ComposeResult:
        # No worker: it lasts as long as the screen, and there are those who wait for workers to end.
        # Begun here and not in `on_mount`: rows are read while widgets are made.
        self._watching = asyncio.get_running_loop().create_task(self._watch())
        self._filter = Input(placeholder="type to filter", id="filter", compact=True, select_on_focus=False)
        self._filter.cursor_blink = False
        self._list = SessionList(id="list")
        self._preview_text = Transcript(id="preview-text")
        self._preview_text.can_focus = False
        self._list.now_ms, self._list.current = self._now_ms(), self._current
        with Horizontal(id="top"):
            yield Static("Sessions", markup=False, id="title")
            yield Static("/", markup=False, id="slash")
            yield self._filter
            yield Static(id="counts", markup=False)
        with Horizontal(id="body"):
            yield self._list
            with Vertical(id="preview"):
                yield Static(id="preview-head", markup=False)
                yield self._preview_text
        yield Static(id="place", markup=False)

    def on_mount(self) -> None:
        self._mounted_once = True
        self._show()
        self.set_timer(SETTLING, self._settled)

    def _settled(self) -> None:
        self._just_opened = False

    def on_unmount(self) -> None:
        self._watching.cancel()

    @property
    def row(self) -> SessionRow | None:
        self._catch_up()
        row = self._list.row
        return row if isinstance(row, SessionRow) else None

    # Finding

    def on_key(self, event: events.Key) -> None:
        """A letter while the list has the focus begins a filter; more may come before the focus moves."""
        letter = event.character if event.is_printable and self._list.has_focus else None
        if letter and (self._begun or letter not in "/ "):
            event.stop()
            event.prevent_default()
            self._begun = True
            self._filter.focus()
            self._filter.insert_text_at_cursor(letter)

    def on_descendant_focus(self) -> None:
        self._begun = False

    @on(Input.Changed)
    def _filtered(self) -> None:
        self._told = False
        if self._search_due is not None:
            self._search_due.stop()
        if self._filter.value.strip():  # what was found before stays until the next is: lists that blink tire
            self._catch_up()  # keys come quicker than answers
            self._owed = True
            self._search_due = self.set_timer(SEARCH_DELAY, self._search)
        else:
            self._hits = SessionHits()
            self._show()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_browser_open()

    @work(exclusive=True, group="search", exit_on_error=False)
    async def _search(self) -> None:
        words = self._filter.value
        here = str(self._cwd) if self._scope == "here" else None
        searching = asyncio.ensure_future(self._port.library.search(words, here))
        try:
            if not (await asyncio.wait({searching}, timeout=PATIENCE))[0]:
                self._catch_up()
            found = await searching
        except Exception as error:  # noqa: BLE001 - said in one line; titles are filtered all the same
            found = SessionHits()
            self.tell(str(error), "$warning")
        finally:
            searching.cancel()
        if self._filter.value == words:  # otherwise the next search is on its way
            self._hits = found
            self._show(still=not self._owed)

    def action_browser_filter(self) -> None:
        self._filter.focus()

    def action_browser_scope(self) -> None:
        order = list(SCOPES)
        self._scope = order[(order.index(self._scope) + 1) % len(order)]
        self._filtered()

    async def _watch(self) -> None:
        try:
            async for rows in self._port.library.watch():
                self._take(rows)
        except Exception as error:  # noqa: BLE001 - the disk may say anything; the person reads it here
            self._failure, self._loading = str(error) or type(error).__name__, False
            if self._mounted_once:
                self._show(still=True)

    def _take(self, rows: Sequence[SessionRow]) -> None:
        first, self._all = self._loading, SessionShelf(rows, str(self._cwd))
        self._loading = False
        here = real_folder(str(self._cwd))
        if first and not any(real_folder(row.cwd) == here for row in rows):
            self._scope = "projects"
        if self._mounted_once:
            self._show(still=not (first or self._owed or (self._just_opened and self._at_the_top)))

    @property
    def _at_the_top(self) -> bool:
        """Whether the first session is highlighted, as nobody has chosen yet."""
        return self.row is next((line for line in self._list.rows if isinstance(line, SessionRow)), None)

    # Moving and opening

    @on(RowList.Chosen)
    def _chosen(self) -> None:
        if self.row is not None:
            self.open(self._port.open_session(self.row.id))

    @on(RowList.Highlighted)
    def _highlighted(self) -> None:
        if self._preview_due is not None:
            self._preview_due.stop()
        self._preview_due = self.set_timer(PREVIEW_DELAY, self._preview)
        self._hint()

    def action_browser_open(self) -> None:
        self._catch_up()
        self._list.action_choose()

    def action_move(self, by: int) -> None:
        self._told = False
        self._catch_up()
        self._list.action_move(by)
        self._hint()

    def action_browser_leave(self) -> None:
        if self._filter.value:
            self._filter.value = ""
            self._list.focus()
        else:
            self.dismiss(None)

    @work(exclusive=True, group="open", exit_on_error=False)
    async def open(self, opening: Coroutine[object, object, None]) -> None:
        self.tell("opening…", "$dim")
        try:
            await opening
        except Exception as error:  # noqa: BLE001 - said in one line, the browser stays
            row = self.row
            self.tell((row.note if row is not None else "") or str(error), "$error")
        else:
            self.dismiss(None)

    @work(exclusive=True, group="preview", exit_on_error=False)
    async def _preview(self) -> None:
        row, hit = self.row, self._hit
        head, blocks = Content(""), list[BlockView]()
        if row is not None:
            try:
                blocks = list(await self._port.library.preview(row.id))
                head = head_of(row, blocks)
            except Exception as error:  # noqa: BLE001 - a broken log must not end the browser
                why = one_line(row.note or str(error))
                head = Content.assemble((named(row), "bold"), "\n", (why, "$warning"))
        self.query_one("#preview-head", Static).update(head)
        self._previews += 1
        self._preview_text.show(blocks, 0, self._previews)
        if hit is not None:
            places = [at for at, block in enumerate(blocks) if block.seq <= hit.seq]
            if places:
                self._preview_text.go_to(places[-1])

    @property
    def _hit(self) -> SessionHit | None:
        """What was said in the highlighted session, if that is why it is listed."""
        below = self._list.highlighted + 1
        line = self._list.rows[below] if below < len(self._list.rows) else None
        return line if isinstance(line, SessionHit) else None

    # Showing

    def _catch_up(self) -> None:
        """List what the filter says, where that waits: nobody acts on a list of earlier words."""
        if self._owed:
            self._show()

    def _show(self, *, still: bool = False) -> None:
        """List what is found; ``still`` leaves the highlight on its session and that where it is."""
        self._owed = False
        lines = self._all.lines(self._filter.value, self._scope)
        listed = sum(isinstance(line, SessionRow) for line in lines)
        if self._hits.hits:
            lines = with_hits(lines, self._hits, self._all.by_id)
        self._list.flat = self._scope == "time"
        before = self.row if still else None
        if before is None:
            self._list.show(lines)
        elif (place := self._place_of(before, lines)) is not None:
            self._list.show(lines, place, still=True)
        else:
            self._list.show(lines, self._list.highlighted)
        self._count(listed, found=bool(lines))
        self._hint()

    def _place_of(self, row: SessionRow, lines: Sequence[object]) -> int | None:
        """Where a session is now; the place that is nearest to where it was, if it is there twice."""
        places = [at for at, line in enumerate(lines) if isinstance(line, SessionRow) and line.id == row.id]
        return min(places, key=lambda at: abs(at - self._list.highlighted), default=None)

    def _count(self, listed: int, *, found: bool) -> None:
        scopes = [
            Content.styled(word, "bold $accent" if scope == self._scope else "$dim")
            for scope, word in SCOPES.items()
        ]
        if self._loading:
            count = "reading…"
        elif self._filter.value.strip():
            count = f"titles: {listed:,} of {len(self._all.rows):,}"
        else:
            count = f"{listed:,} of {len(self._all.rows):,}"
        parts = [
            *(scopes if self.size.width >= 100 else [Content.styled(SCOPES[self._scope], "bold $accent")]),
            Content.styled(count, "$dim"),
        ]
        self.query_one("#counts", Static).update(Content(" · ").join(parts))
        self._found = found

    def _hint(self) -> None:
        """What can be done, unless something was just said."""
        if self._told:
            return
        if self._failure:
            self._say(f"The list is not kept up to date: {self._failure}", "$error")
        elif not self._loading and not self._found:
            if self._all.rows:
                self._say("No session matches. Esc clears the filter, tab lists all projects", "$warning")
            else:
                self._say("No sessions yet. ctrl+n begins one", "$dim")
        elif self.row is not None and self.row.note and not self.has_class("-wide"):
            self._say(self.trouble(self.row), "$warning")  # there is no preview that would say it
        else:
            self._say(self.hints(self.size.width, typing=self._filter.has_focus), "$dim")

    def tell(self, text: str, style: str) -> None:
        self._told = True
        self._say(text, style)

    def _say(self, text: str, style: str) -> None:
        left = Content.styled(one_line(text), style)
        self.query_one("#place", Static).update(spread(left, Content(""), max(1, self.size.width - 2)))
