"""Permissions: the rules in force, every past decision, and what a typed rule would have made of them.

Source: ux spec §3.6, §3.7; design §4, §5.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, Static

from dsh_tui.engine.projection.permission_views import DecisionRow, DryRunView, LedgerView, RuleRow
from dsh_tui.screens.ports import PermissionsPort
from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.decision_list import DecisionList, decision_of, filtered
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.rule_list import RuleList
from dsh_tui.widgets.visible_text import exact_line, one_line

TYPING_DELAY: Final = 0.08
"""Seconds without a key before a rule is tried or the list is filtered."""
LOOKED_FOR: Final = 1_000
"""Among so many rows the highlighted one is found again when more come."""
NO_RULES: Final = "No rules: the mode alone decides. 2 or 3 in a question keeps one, or try one below."


class PermissionsScreen(Screen[None]):
    """Three parts that tab goes through: rules, decisions, and a rule to try."""

    AUTO_FOCUS = "RuleList"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", show=False),
        Binding("tab", "part(1)", "Next part", show=False, priority=True),
        Binding("shift+tab", "part(-1)", "Part before", show=False, priority=True),
        Binding("ctrl+z", "undo", "Undo revoking", show=False, priority=True),
        Binding("down", "into_list", "To the decisions", show=False),
    ]

    def __init__(self, port: PermissionsPort, now_ms: Callable[[], int]) -> None:
        super().__init__()
        self._port, self._now_ms = port, now_ms
        self._ledger = LedgerView()
        self._run: DryRunView | None = None
        self._shown: DryRunView | None = None
        """The dry run whose calls are listed."""
        self._revoked: list[RuleRow] = []
        self._told_why = False
        """Whether the last line says why the highlighted rule can't be read."""
        self._due: Timer | None = None

    def compose(self) -> ComposeResult:
        self._rules = RuleList(id="rules")
        self._decisions = DecisionList(id="decisions")
        self._filter = Input(placeholder="type to filter", id="filter", compact=True, select_on_focus=False)
        self._try = Input(placeholder="allow bash(git log *)", id="try", compact=True, select_on_focus=False)
        self._filter.cursor_blink = self._try.cursor_blink = False
        self._rules.now_ms = self._decisions.now_ms = self._now_ms()
        with Horizontal(id="top"):
            yield Static("Permissions", markup=False, id="title")
            yield Static(id="counts", markup=False)
        yield self._rules
        yield Static(id="none", markup=False)
        with Horizontal(id="trying"):
            yield Static("Try a rule", markup=False, classes="label")
            yield self._try
        yield Static(id="verdict", markup=False)
        with Horizontal(id="filtering"):
            yield Static("Decisions", markup=False, id="listed", classes="label")
            yield self._filter
            yield Static(id="found", markup=False)
        yield self._decisions
        yield Static(id="detail", markup=False)
        yield Static(id="place", markup=False)

    def on_mount(self) -> None:
        self._read_rules()
        self._read_decisions()
        self._hint()

    # Reading

    @work(exclusive=True, group="rules", exit_on_error=False)
    async def _read_rules(self) -> None:
        try:
            rows = list(await self._port.rules())
        except Exception as error:  # noqa: BLE001 - said in one line; the rest of the screen stands
            self._say(str(error), "$error")
            return
        self._rules.show_rules(rows)
        self._rules.display = bool(rows)
        self.query_one("#none", Static).display = not rows
        self.query_one("#none", Static).update(Content.styled(NO_RULES, "$dim"))
        if not rows and self.focused is self._rules:
            self._decisions.focus()
        self._count()

    @work(exclusive=True, group="ledger", exit_on_error=False)
    async def _read_decisions(self) -> None:
        try:
            async for ledger in self._port.decisions():
                self._ledger = ledger
                self._show()
        except Exception as error:  # noqa: BLE001 - as above
            self._say(str(error), "$error")
            return
        self._read_rules()  # their hits are known now
        if self._try.value.strip():
            self._try_rule()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if self._due is not None:
            self._due.stop()
        self._due = self.set_timer(TYPING_DELAY, self._try_rule if event.input is self._try else self._show)

    @work(exclusive=True, group="try", exit_on_error=False)
    async def _try_rule(self) -> None:
        text = self._try.value.strip()
        self._run = await self._port.try_rule(text) if text else None
        self._show()

    # Doing

    def action_leave(self) -> None:
        """Clear what is typed where the cursor is; else go back."""
        typed = self.focused if isinstance(self.focused, Input) else None
        if typed is not None and typed.value:
            typed.clear()
        elif typed is not None:
            self._decisions.focus()
        else:
            self.dismiss(None)

    def action_part(self, by: int) -> None:
        parts = (
            [self._rules, self._try, self._decisions] if self._rules.display else [self._try, self._decisions]
        )
        focused = self._decisions if self.focused is self._filter else self.focused
        at = parts.index(focused) if focused in parts else 0
        parts[(at + by) % len(parts)].focus()

    def action_into_list(self) -> None:
        self._decisions.focus()

    def on_key(self, event: events.Key) -> None:
        """In the list of decisions a letter begins a filter; in that of the rules ``d`` revokes."""
        begins = self._decisions.has_focus and event.is_printable and event.character
        if begins and (event.character != " " or self._filter.value):
            event.stop()
            self._filter.focus()
            if event.character and event.character != "/":
                self._filter.insert_text_at_cursor(event.character)
        elif self._rules.has_focus and event.key in ("d", "delete"):
            event.stop()
            self._revoke()

    @on(RowList.Chosen, "#rules")
    def _try_chosen(self) -> None:
        row = self._rules.row
        if row is not None and not row.unread:
            self._try.value = row.rule
            self._try.focus()

    @on(RowList.Highlighted, "#rules")
    def _tell_why(self) -> None:
        why = self._rules.row.why if self._rules.row is not None else ""
        if why:
            self._say(why, "$warning")
        elif self._told_why:
            self._hint()
        self._told_why = bool(why)

    @work(exclusive=True, group="change", exit_on_error=False)
    async def _revoke(self) -> None:
        row = self._rules.row
        if row is None:
            return
        try:
            await self._port.revoke(row)
        except Exception as error:  # noqa: BLE001 - said in one line; the rule stands
            self._say(f"{row.rule} still holds: {error}", "$error")
            return
        self._revoked.append(row)
        self._say(f"{row.rule} holds no longer · ctrl+z brings it back", "$warning")
        self._read_rules()

    @work(exclusive=True, group="change", exit_on_error=False)
    async def action_undo(self) -> None:
        if not self._revoked:
            return
        row = self._revoked.pop()
        try:
            await self._port.restore(row)
        except Exception as error:  # noqa: BLE001 - said in one line; it can be tried again
            self._revoked.append(row)
            self._say(f"{row.rule} is not back: {error}", "$error")
            return
        self._say(f"{row.rule} holds again", "$ok")
        self._read_rules()

    # Drawing

    @work(exclusive=True, group="show", exit_on_error=False)
    async def _show(self) -> None:
        rows: Sequence[DecisionRow] = self._ledger.rows if self._run is None else self._run.rows
        words = self._filter.value
        shown = await asyncio.to_thread(filtered, rows, words) if words.strip() else rows
        before, same = self._decisions.row, self._shown is self._run
        self._shown = self._run
        at = shown.index(before) if same and before is not None and before in shown[:LOOKED_FOR] else 0
        self._decisions.show(shown, at, still=at > 0)
        self._draw_verdict()
        listed = "Decisions" if self._run is None else "It covers"
        self.query_one("#listed", Static).update(listed)
        count = f"{len(shown):,}" if len(shown) == len(rows) else f"{len(shown):,} of {len(rows):,}"
        self.query_one("#found", Static).update(Content.styled(count, "$dim"))
        self._count()

    def _draw_verdict(self) -> None:
        run = self._run
        if run is None:
            words, style = "what it would have made of all past calls is said here", "$dim"
        elif run.fault:
            words, style = run.fault, "$warning"
        else:
            words, style = run.summary, ""
        self.query_one("#verdict", Static).update(Content.styled(exact_line(words), style))

    def _count(self) -> None:
        rules, calls = len(self._rules.rows), len(self._ledger.rows)
        reading = "" if self._ledger.done else " · reading…"
        words = f"{_number(rules, 'rule')} · {_number(calls, 'decision')}{reading}"
        self.query_one("#counts", Static).update(Content.styled(words, "$dim"))

    @on(RowList.Highlighted, "#decisions")
    def _draw_detail(self) -> None:
        row = self._decisions.row
        detail = self.query_one("#detail", Static)
        if row is None:
            detail.update("")
            return
        title = one_line(row.session_title) or one_line(row.session_id)
        where = f"{datetime.fromtimestamp(row.time / 1000):%Y-%m-%d %H:%M} · {title}"
        detail.update(
            Content.assemble(exact_line(row.call), "\n", exact_line(decision_of(row)), "\n", (where, "$dim"))
        )

    def _hint(self) -> None:
        self._say("tab next part · d revokes a rule · enter tries it · type to filter · esc back", "$dim")

    def _say(self, text: str, style: str) -> None:
        line = spread(Content.styled(exact_line(text), style), Content(""), max(1, self.size.width - 2))
        self.query_one("#place", Static).update(line)


def _number(count: int, of: str) -> str:
    return f"{count:,} {of}" if count == 1 else f"{count:,} {of}s"
