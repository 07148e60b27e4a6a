"""Help: every key and command, made from the action table."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from dsh_tui.actions import ACTIONS, Action, keys_of

WIDE = 100


def help_lines(width: int) -> Content:
    """All groups; columns for keys, slash command, label and explanation."""
    lines: list[Content] = []
    group = ""
    for action in ACTIONS:
        if action.group != group:
            group = action.group
            lines += [Content("")] * bool(lines) + [Content.styled(group, "bold")]
        lines += _lines(action, width)
    return Content("\n").join(lines)


def _lines(action: Action, width: int) -> list[Content]:
    keys = ", ".join(keys_of(action))
    slash = f"/{action.slash}" if action.slash else ""
    name = Content.assemble((f"  {keys:<26} ", "$accent"), (f"{slash:<15} ", "$accent"), action.label)
    if not action.help:
        return [name]
    if width >= WIDE:
        room = width - name.cell_length - 3
        return [
            Content.assemble(name, "   ", (action.help, "$dim")).truncate(
                name.cell_length + 3 + room, ellipsis=True
            )
        ]
    return [name, Content.styled(f"{'':<28} {action.help}", "$dim").truncate(width, ellipsis=True)]


class HelpScreen(Screen[None]):
    """Keys and commands. Esc, q, ? or F1 goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1,question_mark", "leave", "Back", show=False),
        Binding("down,j", "line(1)", "Down", show=False),
        Binding("up,k", "line(-1)", "Up", show=False),
        Binding("g", "edge(-1)", "Top", show=False),
        Binding("G", "edge(1)", "End", show=False),
    ]

    def compose(self) -> ComposeResult:
        yield Static("Keys and commands", markup=False, id="title")
        with VerticalScroll(id="body"):
            yield Static(id="table", markup=False)
        yield Static(
            "Terminals differ: where shift+enter does not arrive, ctrl+j does · esc goes back",
            id="place",
            markup=False,
        )

    def on_mount(self) -> None:
        self.query_one("#body").focus()

    def on_resize(self) -> None:
        self.query_one("#table", Static).update(help_lines(max(20, self.size.width - 6)))

    def action_line(self, by: int) -> None:
        self.query_one("#body", VerticalScroll).scroll_relative(y=by, animate=False)

    def action_edge(self, direction: int) -> None:
        body = self.query_one("#body", VerticalScroll)
        (body.scroll_home if direction < 0 else body.scroll_end)(animate=False)

    def action_leave(self) -> None:
        self.dismiss(None)
