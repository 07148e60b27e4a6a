"""The request inspector: what the model saw at any step, what changed, and what that did to the cache.

It shows the request as it was built from the log, with the bytes that the provider got.
Source: ux spec §3.1, §3.2; design §5 (Request).
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from dsh_tui.engine.projection.request_diff import request_changes
from dsh_tui.engine.projection.request_views import RequestView, StepRow, verdict
from dsh_tui.engine.projection.requests import RequestBook
from dsh_tui.screens.ports import HistoryPort
from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.layout import clock, tokens
from dsh_tui.widgets.request_parts_list import RequestPartsList
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.step_list import StepList, with_turns
from dsh_tui.widgets.visible_text import one_line

_TONES = {"ok": "$ok", "warning": "$warning", "info": "$dim"}
_GLYPHS = {"ok": "✓", "warning": "▼", "info": "◇"}
_LONG = "↑ ↓ step · → parts · enter opens · d difference · y copy part · Y copy request · esc back"
_SHORT = "↑ ↓ step · → parts · enter opens · d diff · y/Y copy · esc back"
WIDE = 100
LOOK_DELAY = 0.03
"""Seconds for which a step must stay highlighted before its request is made: a held key does not wait."""


class RequestScreen(Screen[None]):
    """Steps at the left, the parts of the highlighted one's request at the right."""

    AUTO_FOCUS = "StepList"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back", show=False),
        Binding("tab", "switch", "Steps or parts", show=False, priority=True),
        Binding("right,l", "parts", "Parts", show=False),
        Binding("left,h", "steps", "Steps", show=False),
        Binding("d", "difference", "Difference to the step before", show=False),
        Binding("Y,shift+y", "copy_all", "Copy the request", show=False),
        Binding("left_square_bracket", "step(-1)", "Step before", show=False),
        Binding("right_square_bracket", "step(1)", "Next step", show=False),
    ]

    def __init__(self, history: HistoryPort, title: str, *, at: int | None = None) -> None:
        """``at`` is a seq: the step that was open then, or sent last before it, is shown first."""
        super().__init__()
        self._history, self._title, self._at = history, title, at
        self._book: RequestBook | None = None
        self._view: RequestView | None = None
        self._before: RequestView | None = None
        self._differs = False

    def compose(self) -> ComposeResult:
        self._steps = StepList(id="steps")
        self._parts = RequestPartsList(id="parts")
        with Horizontal(id="top"):
            yield Static("Request", markup=False, id="title")
            yield Static(one_line(self._title), markup=False, id="session")
            yield Static(id="counts", markup=False)
        with Horizontal(id="body"):
            yield self._steps
            with Vertical(id="request"):
                yield Static(id="head", markup=False)
                yield self._parts
        yield Static(id="place", markup=False)

    def on_mount(self) -> None:
        self._say("reading the log…", "$dim")
        self._read()

    # Reading

    @work(exclusive=True, group="read", exit_on_error=False)
    async def _read(self) -> None:
        try:
            self._book = await self._history.requests()
        except Exception as error:  # noqa: BLE001 - a log may hold anything; the person reads it here
            self._say(str(error), "$error")
            return
        rows = self._book.rows
        if not rows:
            self._say("This log holds no request of ours yet. Send a prompt, then look again", "$dim")
            return
        chosen = len(rows) - 1
        if self._at is not None:
            chosen = max((row.index for row in rows if row.seq <= self._at), default=0)
        lines = with_turns(rows)
        self._steps.show(lines, lines.index(rows[chosen]))
        self._count(rows)
        self._hint()

    @on(RowList.Highlighted, "#steps")
    def _highlighted(self) -> None:
        row = self._steps.row
        if isinstance(row, StepRow) and self._book is not None:
            self._build(self._book, row.index)

    @work(exclusive=True, group="build", exit_on_error=False)
    async def _build(self, book: RequestBook, index: int) -> None:
        await asyncio.sleep(LOOK_DELAY)
        try:
            view = await asyncio.to_thread(book.view, index)
            before = await asyncio.to_thread(book.view, index - 1) if self._differs and index else None
        except Exception as error:  # noqa: BLE001 - as above
            self._say(str(error), "$error")
            return
        self._view, self._before = view, before
        self._draw()

    # Doing

    def action_leave(self) -> None:
        if self._parts.has_focus:
            self._steps.focus()
        else:
            self.dismiss(None)

    def action_switch(self) -> None:
        (self._steps if self._parts.has_focus else self._parts).focus()

    def action_parts(self) -> None:
        self._parts.focus()

    def action_steps(self) -> None:
        self._steps.focus()

    def action_step(self, by: int) -> None:
        self._steps.action_move(by)

    def action_difference(self) -> None:
        self._differs = not self._differs
        self._highlighted()

    def action_copy_all(self) -> None:
        if self._book is not None and self._view is not None:
            from dsh_tui.engine.base.lossless import dumps

            self._copy(dumps(self._book.body(self._view.row.index)), "the request, as JSON")

    @on(RequestPartsList.CopyAsked)
    def _copy_part(self, event: RequestPartsList.CopyAsked) -> None:
        self._copy(event.part.text, event.part.label)

    def _copy(self, text: str, what: str) -> None:
        from dsh_tui.app import DshApp

        assert isinstance(self.app, DshApp)  # this screen lives in no other app
        self.app.copy(text)
        self._say(f"Copied: {one_line(what)}, {tokens(len(text))} characters", "$ok")

    @on(RowList.Chosen, "#parts")
    def _open_part(self) -> None:
        self._parts.toggle()

    @on(RowList.Chosen, "#steps")
    def _go_to_parts(self) -> None:
        self._parts.focus()

    # Drawing

    def _draw(self) -> None:
        view = self._view
        if view is None:
            return
        changes = request_changes(self._before, view) if self._differs else None
        self._parts.show_parts(view.parts, changes)
        self.query_one("#head", Static).update(self._head(view))
        self._hint()

    def _head(self, view: RequestView) -> Content:
        row = view.row
        name = Content.assemble(
            (f"Turn {row.turn} step {row.step}", "bold"),
            (f"   {one_line(row.model)} {one_line(row.effort)}".rstrip(), ""),
            (f"   {clock(row.time)}", "$dim"),
        )
        if row.attempts > 1:
            name = Content.assemble(name, (f"   sent {row.attempts} times", "$warning"))
        messages = sum(part.kind == "message" for part in view.parts)
        sizes = f"{messages} messages · {view.body_bytes:,} bytes · ≈{tokens(view.tokens)} tokens"
        if row.miss is not None:
            hit = "cache not counted" if row.hit is None else f"hit {row.hit:,} · miss {row.miss:,}"
            written = f" ({row.written:,} written)" if row.written else ""
            sizes += f" · {hit}{written} · out {row.output or 0:,}"
        if row.cost.words:
            sizes += f" · {row.cost.words}"
        tone, words = verdict(view)
        what = "Difference to the step before" if self._differs else "All parts"
        return Content("\n").join(
            [
                name,
                Content.styled(sizes, "$dim"),
                Content.assemble((f"{_GLYPHS[tone]} ", _TONES[tone]), (words, _TONES[tone])),
                Content.styled(what, "bold"),
            ]
        )

    def _count(self, rows: tuple[StepRow, ...]) -> None:
        drops = sum(row.dropped for row in rows)
        sent = sum((row.hit or 0) + (row.miss or 0) for row in rows)
        hit = sum(row.hit or 0 for row in rows)
        cached = f" · {100 * hit / sent:.0f} % cached" if sent else ""
        lost = f" · {drops} drop{'' if drops == 1 else 's'}" if drops else ""
        self.query_one("#counts", Static).update(Content.styled(f"{len(rows):,} steps{cached}{lost}", "$dim"))

    def _hint(self) -> None:
        self._say(_LONG if self.size.width >= WIDE else _SHORT, "$dim")

    def on_resize(self) -> None:
        if self._view is not None:
            self._hint()

    def _say(self, text: str, style: str) -> None:
        line = spread(Content.styled(one_line(text), style), Content(""), max(1, self.size.width - 2))
        self.query_one("#place", Static).update(line)
