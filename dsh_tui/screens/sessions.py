"""The session browser: all sessions, filtered as one types, read before they are opened."""

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
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, Static

from dsh_tui.engine.projection.views import BlockView, SessionRow, ToolView
from dsh_tui.screens.ports import ChatPort
from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.session_list import SCOPES, Scope, SessionList, arranged, filtered
from dsh_tui.widgets.transcript import Transcript
from dsh_tui.widgets.visible_text import one_line

PREVIEW_DELAY: Final = 0.12
"""Seconds for which a row must stay highlighted before its log is read."""


def head_of(row: SessionRow, blocks: Sequence[BlockView]) -> Content:
    """Title, numbers and what is wrong with it, if anything."""
    calls = sum(isinstance(block, ToolView) for block in blocks)
    facts = f"{row.turns} turns · {calls} tool calls · {one_line(row.project)}"
    lines = [Content.styled(one_line(row.title) or "untitled", "bold"), Content.styled(facts, "$dim")]
    if row.note:
        lines.append(Content.styled(one_line(row.note), "$warning"))
    return Content("\n").join(lines)


class SessionsScreen(Screen[None]):
    """Enter opens, n begins a new one, Tab changes what is listed, typing filters, Esc goes back."""

    AUTO_FOCUS = "SessionList"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual has no ClassVar
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", show=False),
        Binding("tab", "scope", "What is listed", show=False, priority=True),
        Binding("up", "move(-1)", "Up", show=False, priority=True),
        Binding("down", "move(1)", "Down", show=False, priority=True),
        Binding("slash", "filter", "Filter", show=False),
        Binding("n,ctrl+n", "new", "New session", show=False),
        Binding("f,ctrl+f", "fork", "Fork", show=False),
    ]

    def __init__(self, port: ChatPort, cwd: Path, now_ms: Callable[[], int], *, current: str = "") -> None:
        super().__init__()
        self._port, self._cwd, self._now_ms, self._current = port, cwd, now_ms, current
        self._all: Sequence[SessionRow] = ()
        self._scope: Scope = "here"
        self._loading = True
        self._previews = 0
        self._due: Timer | None = None

    def compose(self) -> ComposeResult:
        self._filter = Input(placeholder="type to filter", id="filter", compact=True)
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
        self._show()
        # No worker: it lasts as long as the screen, and there are those who wait for workers to end.
        self._watching = asyncio.get_running_loop().create_task(self._watch())

    def on_unmount(self) -> None:
        self._watching.cancel()

    def on_key(self, event: events.Key) -> None:
        """A letter while the list has the focus begins a filter."""
        begins = event.is_printable and event.key not in ("n", "f", "slash", "space")
        if self._list.has_focus and begins and event.character:
            event.stop()
            self._filter.focus()
            self._filter.insert_text_at_cursor(event.character)

    @on(Input.Changed)
    def _filtered(self) -> None:
        self._show()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self._list.action_choose()

    @on(RowList.Chosen)
    def _chosen(self) -> None:
        if isinstance(row := self._list.row, SessionRow):
            self._open(self._port.open_session(row.id))

    @on(RowList.Highlighted)
    def _highlighted(self) -> None:
        if self._due is not None:
            self._due.stop()
        self._due = self.set_timer(PREVIEW_DELAY, self._preview)

    def action_move(self, by: int) -> None:
        self._list.action_move(by)

    def action_filter(self) -> None:
        self._filter.focus()

    def action_scope(self) -> None:
        order = list(SCOPES)
        self._scope = order[(order.index(self._scope) + 1) % len(order)]
        self._show()

    def action_new(self) -> None:
        self._open(self._port.new_session())

    def action_fork(self) -> None:
        if isinstance(row := self._list.row, SessionRow):
            self._open(self._port.fork_session(row.id))

    def action_leave(self) -> None:
        if self._filter.value:
            self._filter.value = ""
            self._list.focus()
        else:
            self.dismiss(None)

    async def _watch(self) -> None:
        try:
            async for rows in self._port.library.watch():
                self._take(rows)
        except Exception as error:  # noqa: BLE001 - the disk may say anything; the person reads it here
            self._say(str(error), "$error")

    def _take(self, rows: Sequence[SessionRow]) -> None:
        self._all = rows
        if self._loading and not any(row.cwd == str(self._cwd) for row in rows):
            self._scope = "projects"
        self._loading = False
        self._show()

    @work(exclusive=True, group="preview", exit_on_error=False)
    async def _preview(self) -> None:
        row = self._list.row
        head, blocks = Content(""), list[BlockView]()
        if isinstance(row, SessionRow):
            try:
                blocks = list(await self._port.library.preview(row.id))
                head = head_of(row, blocks)
            except Exception as error:  # noqa: BLE001 - a broken log must not end the browser
                head = Content.styled(one_line(str(error)), "$error")
        self.query_one("#preview-head", Static).update(head)
        self._previews += 1
        self._preview_text.show(blocks, 0, self._previews)

    @work(exclusive=True, group="open", exit_on_error=False)
    async def _open(self, opening: Coroutine[object, object, None]) -> None:
        self._say("opening…", "$dim")
        try:
            await opening
        except Exception as error:  # noqa: BLE001 - said in one line, the browser stays
            self._say(str(error), "$error")
        else:
            self.dismiss(None)

    def _show(self) -> None:
        found = filtered(self._all, self._filter.value)
        rows = arranged(found, self._scope, str(self._cwd))
        self._list.flat = self._scope == "time"
        self._list.show(rows)
        listed = sum(not isinstance(row, str) for row in rows)
        scopes = [
            Content.styled(word, "bold $accent" if scope == self._scope else "$dim")
            for scope, word in SCOPES.items()
        ]
        count = "reading…" if self._loading else f"{listed:,} of {len(self._all):,}"
        wide = self.size.width >= 100
        parts = [
            *(scopes if wide else [Content.styled(SCOPES[self._scope], "bold $accent")]),
            Content.styled(count, "$dim"),
        ]
        self.query_one("#counts", Static).update(Content(" · ").join(parts))
        if not self._loading and not listed:
            self._say("No session matches. Esc clears the filter, tab lists all projects", "$warning")
        else:
            self._say("enter opens · n new · f fork · tab what is listed · / filters · esc back", "$dim")

    def _say(self, text: str, style: str) -> None:
        left = Content.styled(one_line(text), style)
        self.query_one("#place", Static).update(spread(left, Content(""), max(1, self.size.width - 2)))
