"""The command palette: every action that can be done from it, made from the action table."""

from __future__ import annotations

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from dsh_tui.actions import ACTIONS, Action, keys_of
from dsh_tui.screens.chat_actions import ChatActions

_FIRST = ("Session", "View")
OFFERED = tuple(
    action
    for action in sorted(ACTIONS, key=lambda action: action.group not in _FIRST)
    if action.place == "app" and action.offered
)


def _line(action: Action, label: Content) -> Content:
    """One line: what it does on the left, how else to reach it on the right of that."""
    ways = [*keys_of(action), *([f"/{action.slash}"] if action.slash else [])]
    return Content.assemble(label.pad_right(max(2, 36 - label.cell_length)), ("  ".join(ways), "$dim"))


class ActionCommands(Provider):
    """Offers the actions; the words of the group and all names of the command match too."""

    async def discover(self) -> Hits:
        screen = self.screen
        if isinstance(screen, ChatActions):
            for action in OFFERED:
                shown = _line(action, Content(action.label))
                yield DiscoveryHit(shown, partial(screen.perform, action), action.label)

    async def search(self, query: str) -> Hits:
        screen = self.screen
        if not isinstance(screen, ChatActions):
            return
        matcher = self.matcher(query)
        for action in OFFERED:
            names = " ".join((action.group, action.slash, *action.aliases))
            score = max(matcher.match(action.label), matcher.match(names) * 0.8)
            if score > 0:
                shown = _line(action, matcher.highlight(action.label))
                yield Hit(score, shown, partial(screen.perform, action), action.label)
