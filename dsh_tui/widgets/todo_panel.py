"""The agent's plan: one line that says where it is, or all of it."""

from __future__ import annotations

from typing import Final

from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from dsh_tui.engine.projection.views import TodoView
from dsh_tui.widgets.columns import cut, spread
from dsh_tui.widgets.visible_text import one_line

_MARKS: Final = {
    "completed": ("✓", "$ok", "$dim"),
    "in_progress": ("▸", "$accent", ""),
    "pending": ("·", "$dim", "$dim"),
}
MOST_ROWS: Final = 10


class TodoPanel(Widget, can_focus=False):
    """Folded: done of all, and the one in progress. Hidden without a plan, and when nothing of it is left."""

    DEFAULT_CSS = """
    TodoPanel { display: none; height: auto; max-height: 40vh; padding: 0 2; &.-planned { display: block; } }
    """

    todos: reactive[tuple[TodoView, ...]] = reactive((), layout=True)
    unfolded: reactive[bool] = reactive(False, layout=True)
    resting: reactive[bool] = reactive(False)
    """Whether nothing runs: a plan that is done gives its row back then, until it is unfolded."""

    def watch_todos(self) -> None:
        self._show_or_hide()

    def watch_unfolded(self) -> None:
        self._show_or_hide()

    def watch_resting(self) -> None:
        self._show_or_hide()

    def _show_or_hide(self) -> None:
        left = any(todo.status != "completed" for todo in self.todos)
        self.set_class(bool(self.todos) and (left or self.unfolded or not self.resting), "-planned")

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return min(len(self.todos), MOST_ROWS) + 1 if self.unfolded else 1

    def render(self) -> RenderResult:
        width = self.content_size.width
        lines = [self._summary(width)]
        if self.unfolded:
            lines += [self._line(todo, width) for todo in self._shown()]
        return Content("\n").join(lines)

    def _summary(self, width: int) -> Content:
        done = sum(todo.status == "completed" for todo in self.todos)
        now = next((todo.content for todo in self.todos if todo.status == "in_progress"), "")
        left = Content.assemble((f"Plan {done}/{len(self.todos)}", "bold"), ("   ", ""))
        if not self.unfolded and now:
            left = Content.assemble(left, ("▸ ", "$accent"), one_line(now))
        hidden = len(self.todos) - MOST_ROWS
        note = f"{hidden} more · " if self.unfolded and hidden > 0 else ""
        return spread(
            left, Content.styled(f"{note}ctrl+t {'folds' if self.unfolded else 'opens'}", "$dim"), width
        )

    def _shown(self) -> tuple[TodoView, ...]:
        """A window of the plan around what is in progress."""
        at = next((n for n, todo in enumerate(self.todos) if todo.status != "completed"), 0)
        start = max(0, min(at - 2, len(self.todos) - MOST_ROWS))
        return self.todos[start : start + MOST_ROWS]

    def _line(self, todo: TodoView, width: int) -> Content:
        glyph, mark, style = _MARKS[todo.status]
        return Content.assemble((f"  {glyph} ", mark), (cut(one_line(todo.content), width - 4), style))
