"""The agent's plan: the newest ``todo/write`` is the whole of it.

Source: core spec §3.
"""

from __future__ import annotations

from collections.abc import Callable

from dsh_tui.engine.projection.views import TodoView
from dsh_tui.engine.session.event import Event


class TodosFold:
    """The plan as it stands."""

    __slots__ = ("routes", "todos")

    def __init__(self) -> None:
        self.todos: tuple[TodoView, ...] = ()
        self.routes: dict[str, Callable[[Event], None]] = {"todo/write": self.apply}

    def apply(self, event: Event) -> None:
        """Fold one event in."""
        if event.type == "todo/write":
            self.todos = tuple(
                TodoView(str(row.get("content", "")), row.get("status", "pending"))
                for row in event.data["todos"]
            )
