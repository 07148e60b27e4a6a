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
KEYS_ROOM = 24
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
    """One line; more where keys do not fit into their column, or the explanation not behind the rest."""
    keys = f"  {', '.join(keys_of(action))}"
    slash = f"/{action.slash}" if action.slash else ""
    if width >= WIDE:
        left = KEYS_ROOM + SLASH_ROOM
        rest = Content.assemble((f"{slash:<{SLASH_ROOM}}", "$accent"), f"{action.label:<{LABEL_ROOM}}")
    else:
        left = KEYS_ROOM
        rest = Content.assemble(action.label, (f"  {slash}" if slash else "", "$accent"))
    lines = []
    if len(keys) >= KEYS_ROOM:
        lines.append(Content.styled(keys, "$accent"))
        keys = ""
    line = Content.assemble((f"{keys:<{KEYS_ROOM}}", "$accent"), rest)
    if action.help and line.cell_length + 2 + len(action.help) <= width:
        space = "" if width >= WIDE else "  "
        return [*lines, Content.assemble(line, space, (action.help, "$dim"))]
    lines.append(line)
    if action.help:
        wrapped = Content.styled(action.help, "$dim").wrap(max(1, width - left))
        lines += [Content.assemble(" " * left, row) for row in wrapped]
    return [one.truncate(width, ellipsis=True) for one in lines]


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
