"""A rule before it is kept: its text, calls that it would have matched, how long it holds. Pure.

Source: design §3 row 15; UX spec §4 (a rule is offered only when its whole effect is shown).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.segment import Segment

from dsh_tui.engine.projection.views import AnswerIntent, ProposalView
from dsh_tui.widgets.approval_answers import Answer, Name
from dsh_tui.widgets.card_rows import text_rows
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row, fit, prefixed
from dsh_tui.widgets.visible_text import exact_line

WANTED: Final = {"session": ("session",), "always": ("project", "user")}
"""Scopes by the name of the answer that asks for a rule."""
_LABEL: Final = 7
"""Cells of the left column."""
_BACK: Final = Answer("back", ("esc",), ("Back", "Back", "Back"))
_LABELS: Final[dict[str, tuple[str, str, str]]] = {
    "session": ("Allow, and keep it for this session", "Keep it for this session", "This session"),
    "project": ("Allow, and keep it in this project", "Keep in this project", "This project"),
    "user": ("Allow, and keep it in all your projects", "Keep in all projects", "All projects"),
}
_NAMES: Final[tuple[Name, ...]] = ("keep", "keep_wider")


@dataclass(frozen=True, slots=True)
class RulePreview:
    """What is asked about a rule: for one of ``wanted`` scopes; None while the rule is looked for."""

    wanted: tuple[str, ...]
    call: str
    """The call that is allowed with it, in one line."""
    proposal: ProposalView | None = None

    @property
    def title(self) -> str:
        if self.proposal is not None and not self.scopes:
            return "No rule can be offered"
        return (
            "Keep a rule for this session?"
            if self.wanted == WANTED["session"]
            else "Always allow such calls?"
        )

    @property
    def scopes(self) -> list[tuple[str, str]]:
        """Those of the wanted scopes that are offered, with until when a rule holds there."""
        proposal = self.proposal
        if proposal is None or proposal.why_not or not proposal.rules:
            return []
        return [(scope, until) for scope, until in proposal.scopes if scope in self.wanted]

    @property
    def answers(self) -> tuple[Answer, ...]:
        """One for each scope, and the way back."""
        keeps = (
            Answer(name, (str(number),), _LABELS[scope])
            for number, (name, (scope, _)) in enumerate(zip(_NAMES, self.scopes, strict=False), 1)
        )
        return (*keeps, _BACK)

    def intent(self, name: Name) -> AnswerIntent | None:
        """The answer that keeps the rules that are shown."""
        chosen = dict(zip(_NAMES, self.scopes, strict=False)).get(name)
        if chosen is None or self.proposal is None:
            return None
        return AnswerIntent(allowed=True, rules=self.proposal.rules, scope=chosen[0])

    def rows(self, width: int, palette: Palette) -> list[Row]:
        """The whole of it."""
        proposal = self.proposal
        if proposal is None:
            return text_rows("Looking for the rule and the calls it would have matched…", width, palette)
        if not self.scopes:
            why = proposal.why_not or "Rules like this one can't be kept here."
            return text_rows(why, width, palette, look=palette.warning)
        room = width - _LABEL
        out = _labelled("Call", [text_rows(fit(exact_line(self.call), room), room, palette)], palette)
        out += _labelled(
            "Rule", [text_rows(rule, room, palette, look=palette.strong) for rule in proposal.rules], palette
        )
        if proposal.past:
            past = [text_rows(call, room, palette) for call in proposal.past]
        else:
            past = [text_rows("no earlier call would have matched", room, palette, look=palette.dim)]
        out += _labelled("Past", past, palette)
        told = [until for _, until in self.scopes]
        if len(told) > 1:
            told = [f"{number} {until}" for number, until in enumerate(told, 1)]
        return out + _labelled("Holds", [text_rows(line, room, palette) for line in told], palette)


def _labelled(label: str, texts: Sequence[list[Row]], palette: Palette) -> list[Row]:
    rows = [row for text in texts for row in text]
    first, rest = Segment(label.ljust(_LABEL), palette.dim), Segment(" " * _LABEL, palette.dim)
    return prefixed(rows, first, rest, _LABEL)
