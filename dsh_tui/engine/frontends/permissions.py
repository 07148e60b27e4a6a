"""``permissions list|test``: the rules in force here, and what rules make of calls.

Source: design §4.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.approval.decision import combine
from dsh_tui.engine.approval.mode_policy import decide
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.frozen import LosslessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.base.visible import exact_line, visible
from dsh_tui.engine.frontends.speak import complain, say
from dsh_tui.engine.modes.mode import DEFAULT_MODE, Mode
from dsh_tui.engine.permissions.book import Judgement, ScopedRule, facts_of
from dsh_tui.engine.permissions.dry_run import DryRun, dry_run
from dsh_tui.engine.permissions.events import RULES_IGNORED
from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.hits import Hits
from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.ledger import PastCall
from dsh_tui.engine.permissions.past_calls import one_line_of
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.permissions.unread import UnreadRule
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.tools.arguments import parse_arguments
from dsh_tui.engine.tools.decisions import Allow, Ask
from dsh_tui.engine.tools.definition import ToolCall, ToolKind
from dsh_tui.engine.tools.registry import TOOLS

OK, USAGE = 0, 2
T = TypeVar("T")


class InputError(HarnessError):
    """What stdin holds is not what was asked for; the message says what is."""

    code = "PERMISSIONS_INPUT"


@dataclass(frozen=True, slots=True)
class _Decision:
    decision: str
    rule: Rule | None
    why: str

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        return {
            "decision": self.decision,
            "rule": None if self.rule is None else self.rule.text,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class _Listed:
    """A rule as `list` tells it."""

    text: str
    scope: str
    hits: int | None
    unread: UnreadRule | None = None

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        row = {"rule": self.text, "scope": self.scope, "hits": self.hits}
        return row if self.unread is None else {**row, "unread": self.unread.why}

    @property
    def line(self) -> str:
        said = exact_line(self.text)
        if self.unread is not None:
            return f"{self.scope:<8} {'unread':>11}  {said}  ({self.unread.effect_now})"
        times = "1 time" if self.hits == 1 else f"{self.hits:,} times"
        return f"{self.scope:<8} {times:>11}  {said}"


def list_rules(*, as_json: bool) -> int:
    """Print the rules in force in this folder, and how often each one decided."""

    async def listed(here: _Here) -> list[_Listed]:
        hits = Hits.of(await asyncio.to_thread(here.product.permissions.past.calls))
        unread = here.product.permissions.unread(here.session)
        return [
            *(_Listed(one.rule.text, one.scope, None, one.rule) for one in unread),
            *(_Listed(one.rule.text, one.scope, hits.count(one.rule, one.scope)) for one in here.rules),
        ]

    rows = _run(listed)
    if isinstance(rows, int):
        return rows
    if as_json:
        say(dumps([row.to_json() for row in rows]))
        return OK
    if not rows:
        complain("no rules are in force here; the mode alone decides", OK)
    for row in rows:
        say(row.line)
    return OK


def test_rules(texts: Sequence[str], *, as_json: bool) -> int:
    """Print what these rules would have made of all past calls."""

    async def tried(here: _Here) -> DryRun:
        rules = [Rule.typed(text) for text in texts]
        calls = await asyncio.to_thread(here.product.permissions.past.calls)
        return dry_run(rules, calls, here.kind_of)

    run = _run(tried)
    if isinstance(run, int):
        return run
    if as_json:
        say(dumps(_run_json(run)))
        return OK
    say(visible(f"{', '.join(rule.text for rule in run.rules)}: {run.summary}"))
    for call in (*run.allowed_but_refused, *run.denied_but_allowed):
        then = "you refused" if call.was_refused_by_person else "ran"
        say(visible(f"  {then}: {one_line_of(call)}  ({call.session_id})"))
    return OK


def test_calls(content: bytes, *, as_json: bool) -> int:
    """Print what the rules and the mode make of each call that ``content`` holds."""

    async def decided(here: _Here) -> list[_Decision]:
        given = _parsed(content)
        rules = given.get("rules")
        own = None if rules is None else [Rule.typed(text) for text in _texts(rules)]
        return [here.decide(own, tool, raw) for tool, raw in _calls(given)]

    decisions = _run(decided)
    if isinstance(decisions, int):
        return decisions
    if as_json:
        say(dumps({"decisions": [one.to_json() for one in decisions]}))
        return OK
    for one in decisions:
        by = "" if one.rule is None else f"  [{one.rule.text}]"
        say(visible(f"{one.decision:<5}  {one.why}{by}"))
    return OK


@dataclass(frozen=True, slots=True)
class _Here:
    """A product that was started in this folder, and a session in it that nobody knows of."""

    product: Product
    session: Session

    @property
    def rules(self) -> tuple[ScopedRule, ...]:
        return self.product.permissions.rules(self.session)

    def kind_of(self, tool: str) -> ToolKind:
        definition = self.product.engine.root[TOOLS].get(None, tool)
        return "other" if definition is None else definition.kind

    def decide(self, rules: Sequence[Rule] | None, tool: str, raw: str) -> _Decision:
        """The decision of these rules in mode ask, or of those in force in the mode of the settings."""
        mode: Mode = DEFAULT_MODE if rules is not None else self.product.settings.mode
        definition = self.product.engine.root[TOOLS].get(None, tool)
        call = self._call(tool, raw)
        if definition is None:
            arguments = call.args if isinstance(call.args, Mapping) else {}
            facts = CallFacts(tool=tool, kind="other", arguments=arguments, cwd=call.cwd)
            verdict = self._judged(rules, facts).verdict
            if verdict.rule is None or verdict.decision is None:
                return _Decision("ask", None, f"{verdict.why} (there is no tool {tool} here)")
            return _Decision(verdict.decision, verdict.rule, verdict.why)
        kept = (self.product.home.root.resolve(),)
        judgement = self._judged(rules, facts_of(call, definition, kept))
        verdict = judgement.verdict
        by_mode = decide(mode, call, definition, kept)
        final = combine(by_mode, judgement).decision
        if verdict.rule is not None and final is not by_mode:
            return _Decision(_word(final), verdict.rule, verdict.why)
        if isinstance(final, Ask):
            why = final.reason if judgement.unread is not None else f"{verdict.why} {final.reason}"
            return _Decision("ask", None, why)
        return _Decision(
            _word(final), None, f"mode {mode} {'lets it run' if isinstance(final, Allow) else 'refuses it'}"
        )

    def _judged(self, rules: Sequence[Rule] | None, facts: CallFacts) -> Judgement:
        if rules is None:
            return self.product.permissions.judge_facts(self.session, facts)
        return Judgement(judge(rules, facts))

    def _call(self, tool: str, raw: str) -> ToolCall:
        return ToolCall(
            agent=cast("Agent", None),  # modes and rules look at arguments and folder only
            session=self.session,
            turn=1,
            step=1,
            call_id="c1",
            name=tool,
            arguments=raw,
            args=parse_arguments(raw),
            signal=CancelSignal(),
            cwd=Path(self.session.cwd or "."),
        )


def _run(ask: Callable[[_Here], Awaitable[T]]) -> T | int:
    """What ``ask`` gives, or the exit status of what went wrong."""

    async def run() -> T:
        product = await Product.start(StartOptions(cwd=Path.cwd(), environ=os.environ))
        try:
            root = product.engine.root
            root.on(RULES_IGNORED, lambda why: complain(why, OK) and None, everywhere=True)
            return await ask(_Here(product, root[SESSIONS].prepare(meta={"cwd": str(Path.cwd())})))
        finally:
            await product.dispose()

    answer, sys.stdout = sys.stdout, sys.stderr  # what plugins print must not mix with the report
    try:
        return asyncio.run(run())
    except HarnessError as error:
        return complain(error.message, USAGE)
    finally:
        sys.stdout = answer


def _parsed(content: bytes) -> Mapping[str, Any]:  # Any: JSON
    try:
        given = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"stdin is not JSON: {error}") from error
    if not isinstance(given, dict) or not isinstance(given.get("calls"), list):
        raise InputError('stdin must hold an object with "calls", a list, and perhaps "rules"')
    return given


def _texts(rules: object) -> list[str]:
    if not isinstance(rules, list) or not all(isinstance(text, str) for text in rules):
        raise InputError('"rules" must be a list of texts such as "allow bash(git log *)"')
    return rules


def _calls(given: Mapping[str, Any]) -> list[tuple[str, str]]:  # Any: JSON
    return [_tool_and_arguments(at, call) for at, call in enumerate(given["calls"])]


def _tool_and_arguments(at: int, call: object) -> tuple[str, str]:
    if not isinstance(call, dict) or not isinstance(call.get("tool"), str):
        raise InputError(f'call {at} must be an object with "tool" and "arguments"')
    arguments = call.get("arguments", {})
    if isinstance(arguments, str):
        return call["tool"], arguments
    if not isinstance(arguments, dict):
        raise InputError(f'"arguments" of call {at} must be an object')
    try:
        return call["tool"], dumps(arguments)
    except (LosslessError, ValueError, TypeError) as error:
        raise InputError(f'"arguments" of call {at}: {error}') from error


def _word(decision: object) -> str:
    return "allow" if isinstance(decision, Allow) else "ask" if isinstance(decision, Ask) else "deny"


def _run_json(run: DryRun) -> dict[str, Any]:  # Any: JSON
    return {
        "rules": [rule.text for rule in run.rules],
        "calls": run.total,
        "allowed": len(run.allowed),
        "asked": len(run.asked),
        "denied": len(run.denied),
        "allowedButRefused": [_call_json(call) for call in run.allowed_but_refused],
        "deniedButAllowed": [_call_json(call) for call in run.denied_but_allowed],
    }


def _call_json(call: PastCall) -> dict[str, Any]:  # Any: JSON
    return {
        "sessionId": call.session_id,
        "callId": call.call_id,
        "tool": call.tool,
        "arguments": call.arguments,
    }
