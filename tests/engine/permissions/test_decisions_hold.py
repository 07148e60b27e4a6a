"""Whatever rules stand wherever, in whatever mode: a call runs exactly when it may."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_tui.engine.approval.requests import Answer, ApprovalRequest
from dsh_tui.engine.approval.service import APPROVAL
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.modes.mode import Mode
from dsh_tui.engine.permissions.rule import Rule
from tests.fakes.permission_bench import open_rules_bench, rules

COMMANDS = {"ls -la": "ls *", "git log -3": "git log *", "git push origin": "git push *"}
RULES = st.lists(
    st.builds(
        "{} bash({})".format, st.sampled_from(["allow", "ask", "deny"]), st.sampled_from([*COMMANDS.values()])
    ),
    max_size=4,
)
MODES: st.SearchStrategy[Mode] = st.sampled_from(["ask", "edits", "plan", "full"])


def expected(command: str, held: list[Rule], mode: Mode) -> str:
    """``run``, ``refused`` or ``asked``, said as plainly as it can be."""
    effects = {rule.effect for rule in held if rule.pattern == COMMANDS[command]}
    if "deny" in effects:
        return "refused"
    if mode == "plan":
        return "refused"
    if "ask" in effects:
        return "asked"
    return "run" if mode == "full" or "allow" in effects else "asked"


async def decided(user: list[str], session: list[str], mode: Mode, yes: set[str]) -> None:
    async with open_rules_bench(*user, mode=mode) as it:
        asked: list[str] = []

        async def answer(request: ApprovalRequest, _signal: CancelSignal) -> Answer:
            asked.append(request.call.args["command"])
            return Answer("allowed-once" if asked[-1] in yes else "rejected")

        await it.leave()
        it.bench.root[APPROVAL].answer_with(it.bench.root, answer)
        it.bench.open_step()
        await it.book.add(it.bench.session, rules(*session), "session")
        await it.run(*COMMANDS)
        held = [*rules(*user), *rules(*session)]
        ways = {command: expected(command, held, mode) for command in COMMANDS}
        assert asked == [command for command, way in ways.items() if way == "asked"]
        assert it.ran == [c for c, way in ways.items() if way == "run" or (way == "asked" and c in yes)]
        for event in it.data("permission/decided"):
            assert event["rule"] in {rule.text for rule in held}


@settings(max_examples=40, deadline=None)
@given(RULES, RULES, MODES, st.sets(st.sampled_from([*COMMANDS])))
def test_a_call_runs_exactly_when_it_may(
    user: list[str], session: list[str], mode: Mode, yes: set[str]
) -> None:
    asyncio.run(decided(user, session, mode, yes))
