"""The model picker: one list to filter, and the effort of the highlighted one."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from dsh_tui.engine.projection.views import ModelRow
from dsh_tui.screens.ports import ChatPort
from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.fuzzy import best
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.status_bar import amount
from dsh_tui.widgets.visible_text import one_line

MOST_ROWS = 10
LOOK_DELAY = 0.05
"""Seconds for which a choice must stay before its cost is worked out: a held key does not wait."""


class ModelList(RowList[ModelRow], can_focus=False):
    """Models with provider and context window; the current one is marked."""

    DEFAULT_CSS = "ModelList { height: auto; max-height: 10; background: $raised; }"

    def draw(self, row: ModelRow, width: int) -> Content:
        mark = ("● ", "$accent") if row.current else ("  ", "")
        window = f"{amount(row.context_window)} context" if row.context_window else ""
        left = Content.assemble(mark, one_line(row.model), ("  " + one_line(row.provider), "$dim"))
        return spread(left, Content.styled(window, "$dim"), width)


class ModelsScreen(ModalScreen[None]):
    """Type filters, ↑ ↓ choose the model, ← → the effort, Enter takes both."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", show=False),
        Binding("up", "move(-1)", "Up", show=False, priority=True),
        Binding("down", "move(1)", "Down", show=False, priority=True),
        Binding("left", "effort(-1)", "Less effort", show=False, priority=True),
        Binding("right", "effort(1)", "More effort", show=False, priority=True),
    ]

    def __init__(self, port: ChatPort) -> None:
        super().__init__()
        self._port = port
        self._all = {f"{row.provider}/{row.model}": row for row in port.models()}
        status = port.view.status
        self._now = status.provider, status.model, status.effort
        self._effort = status.effort

    def compose(self) -> ComposeResult:
        self._filter = Input(placeholder="Type to filter, or any model id", id="entry", compact=True)
        self._filter.cursor_blink = False
        self._list = ModelList(id="models")
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content("Model and effort")
            dialog.border_subtitle = Content("↑ ↓ model · ← → effort · enter takes · esc closes")
            yield self._filter
            yield self._list
            yield Static(id="effort", markup=False)
            yield Static(id="forecast", markup=False)

    def on_mount(self) -> None:
        self._show("")

    @on(Input.Changed)
    def _filtered(self, event: Input.Changed) -> None:
        self._show(event.value.strip())

    @on(RowList.Highlighted)
    def _highlighted(self) -> None:
        self._draw_effort()

    @on(Input.Submitted)
    @on(RowList.Chosen)
    def _take(self) -> None:
        row, typed = self._list.row, self._filter.value.strip()
        if row is not None:
            self._port.select_model(
                row.provider, row.model, self._effort if self._effort in row.efforts else ""
            )
        elif typed:
            self._port.select_model(*self._named(typed))
        else:
            return
        self.dismiss(None)

    def _named(self, typed: str) -> tuple[str, str, str]:
        provider, _, model = typed.rpartition("/")
        return provider or self._port.view.status.provider, model, ""

    def action_move(self, by: int) -> None:
        self._list.action_move(by)

    def action_effort(self, by: int) -> None:
        row = self._list.row
        if row is None or not row.efforts:
            return
        at = row.efforts.index(self._effort) if self._effort in row.efforts else -1
        self._effort = row.efforts[max(0, min(at + by, len(row.efforts) - 1))]
        self._draw_effort()

    def action_leave(self) -> None:
        self.dismiss(None)

    def _show(self, words: str) -> None:
        rows = [self._all[name] for name in best(words, self._all, 200)]
        current = next((n for n, row in enumerate(rows) if row.current), 0)
        self._list.styles.height = max(1, min(len(rows), MOST_ROWS))
        self._list.show(rows, 0 if words else current)
        self._draw_effort()

    def _draw_effort(self) -> None:
        row = self._list.row
        if row is None:
            typed = self._filter.value.strip()
            note = f"Enter uses “{typed}” as it is" if typed else "No models known yet"
            self.query_one("#effort", Static).update(Content.styled(note, "$dim"))
            self._forecast(self._named(typed) if typed else self._now)
            return
        if self._effort not in row.efforts:
            self._effort = row.default_effort
        parts = [
            Content.styled(
                f" {one_line(effort)} ", "bold $background on $accent" if effort == self._effort else "$dim"
            )
            for effort in row.efforts
        ]
        line = Content(" ").join(parts) if parts else Content.styled("no levels", "$dim")
        self.query_one("#effort", Static).update(Content.assemble(("effort  ", "$dim"), line))
        self._forecast((row.provider, row.model, self._effort if row.efforts else ""))

    @work(exclusive=True, group="forecast", exit_on_error=False)
    async def _forecast(self, chosen: tuple[str, str, str]) -> None:
        """What the choice would cost the next request."""
        line = self.query_one("#forecast", Static)
        if chosen == self._now:
            line.update("")
            return
        await asyncio.sleep(LOOK_DELAY)
        view = await self._port.history.forecast_model(self._now, chosen)
        line.update(Content.styled(view.words, "$warning" if view.why else "$dim") if view else "")
