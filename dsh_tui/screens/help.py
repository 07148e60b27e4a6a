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
KEYS_ROOM = 31
SLASH_ROOM = 15
LABEL_ROOM = 29


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
    """One line, or two where the explanation does not fit beside the label."""
    keys = f"  {', '.join(keys_of(action)):<{KEYS_ROOM}}"
    slash = f"/{action.slash}" if action.slash else ""
    if width < WIDE:
        line = Content.assemble((keys, "$accent"), action.label, (f"  {slash}" if slash else "", "$accent"))
        note = Content.styled(" " * len(keys) + action.help, "$dim")
        lines = [line, note] if action.help else [line]
        return [one.truncate(width, ellipsis=True) for one in lines]
    name = Content.assemble(
        (keys, "$accent"), (f"{slash:<{SLASH_ROOM}}", "$accent"), f"{action.label:<{LABEL_ROOM}}"
    )
    if name.cell_length + len(action.help) <= width:
        return [Content.assemble(name, (action.help, "$dim"))]
    return [name, Content.styled(" " * (len(keys) + SLASH_ROOM) + action.help, "$dim")]


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
            "esc back · where shift+enter does not arrive, ctrl+j does",
            id="place",
            markup=False,
        )

    def on_mount(self) -> None:
        self.query_one("#body").focus()

    def on_resize(self) -> None:
        self.query_one("#table", Static).update(help_lines(max(20, self.size.width - 5)))

    def action_line(self, by: int) -> None:
        self.query_one("#body", VerticalScroll).scroll_relative(y=by, animate=False)

    def action_edge(self, direction: int) -> None:
        body = self.query_one("#body", VerticalScroll)
        (body.scroll_home if direction < 0 else body.scroll_end)(animate=False)

    def action_leave(self) -> None:
        self.dismiss(None)
