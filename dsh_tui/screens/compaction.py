"""The question before a compaction by hand: what it does, what it costs, and a yes."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from dsh_tui.engine.projection.compaction_views import CompactionForecast, ShorteningForecast
from dsh_tui.engine.projection.compactions import amount
from dsh_tui.widgets.visible_text import one_line

_MEANS = (
    "The model writes the summary and no longer sees what it stands for; nothing is deleted, and this "
    "transcript stays as it is."
)


class CompactionQuestion(ModalScreen[bool]):
    """Closes with True when a person pressed enter on what they read."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "begin", "Summarise", show=False),
        Binding("escape", "leave", "Keep the history", show=False),
    ]

    def __init__(self, forecast: CompactionForecast, keep: str) -> None:
        super().__init__()
        self._forecast, self._keep = forecast, keep

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content("Summarise the early history")
            dialog.border_subtitle = Content("enter summarises · esc leaves it as it is")
            yield Static("\n".join(_lines(self._forecast, self._keep)), markup=False, classes="explanation")

    def action_begin(self) -> None:
        self.dismiss(True)

    def action_leave(self) -> None:
        self.dismiss(False)


def _lines(forecast: CompactionForecast, keep: str) -> list[str]:
    kept = f"{forecast.kept_messages} message{'' if forecast.kept_messages == 1 else 's'}"
    gone = f"{forecast.messages} messages (~{amount(forecast.tokens)} tokens)"
    cost = f" ({forecast.cost.words})" if forecast.cost.words else ""
    lines = [
        f"Would summarise {gone} and keep {kept} (~{amount(forecast.kept_tokens)}).",
        *([_shortening(forecast.shortened)] if forecast.shortened is not None else []),
        f"The next request sends ~{amount(forecast.uncached)} tokens uncached{cost}.",
        _MEANS,
    ]
    return [*lines, f"Kept in mind above all: {one_line(keep)}"] if keep else lines


def _shortening(first: ShorteningForecast) -> str:
    results = "1 long tool result is" if first.results == 1 else f"{first.results} long tool results are"
    gain = f"~{amount(first.before)} → ~{amount(first.after)} tokens"
    return (
        f"The window is nearly full, so {results} shortened first ({gain}); the request for the summary "
        f"sends ~{amount(first.uncached)} uncached."
    )
