"""What each mode lets run, and where the mode of a session is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dsh_tui.engine.approval import plugin as approval_plugin
from dsh_tui.engine.approval.mode_policy import decide
from dsh_tui.engine.approval.plugin import ApprovalConfig
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.kernel import Next
from dsh_tui.engine.modes.mode import Mode
from dsh_tui.engine.modes.modes import MODES, Modes, UnknownModeError
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.tools.decisions import Allow, Ask, Deny, PreDecision
from dsh_tui.engine.tools.definition import AnyTool, ToolCall
from dsh_tui.engine.tools.events import PRE_EXECUTE
from tests.fakes.sample_tools import EchoArgs, echo
from tests.fakes.tool_bench import ToolBench, open_tool_bench, text


class PathArgs(EchoArgs):
    file_path: str = ""


def inside(args: Any, call: ToolCall) -> bool:
    return bool((call.cwd / args.file_path).is_relative_to(call.cwd))


def tool(kind: str, **changes: Any) -> AnyTool:
    fields = {"changes": kind not in ("read", "search"), "inside_workspace": inside, "parameters": PathArgs}
    return echo(kind, kind=kind, **{**fields, **changes})


READ, EDIT = tool("read"), tool("edit")
BASH = tool("execute", inside_workspace=None)
CONFINED = tool("execute", inside_workspace=None, confined=True)
CONFINED_EDIT = tool("edit", confined=True)
BASH_OUTPUT = tool("execute", inside_workspace=None, changes=False)
TODO = tool("other", inside_workspace=None, changes=False)
FETCH = tool("fetch", inside_workspace=None, changes=False)
FORGETFUL_READ = tool("read", inside_workspace=None)
BROKEN_READ = tool("read", inside_workspace=lambda _args, _call: 1 / 0)

IN, OUT, HOOK = "src/a.py", "/etc/passwd", ".git/hooks/pre-commit"

TABLE: list[tuple[AnyTool, str, dict[Mode, type[PreDecision]]]] = [
    (READ, IN, {"ask": Allow, "edits": Allow, "plan": Allow, "sandbox": Allow, "full": Allow}),
    (READ, OUT, {"ask": Ask, "edits": Ask, "plan": Ask, "sandbox": Ask, "full": Allow}),
    (FORGETFUL_READ, IN, {"ask": Ask, "edits": Ask, "plan": Ask, "sandbox": Ask, "full": Allow}),
    (BROKEN_READ, IN, {"ask": Ask, "edits": Ask, "plan": Ask, "sandbox": Ask, "full": Allow}),
    (EDIT, IN, {"ask": Ask, "edits": Allow, "plan": Deny, "sandbox": Ask, "full": Allow}),
    (EDIT, OUT, {"ask": Ask, "edits": Ask, "plan": Deny, "sandbox": Ask, "full": Allow}),
    (EDIT, HOOK, {"ask": Ask, "edits": Ask, "plan": Deny, "sandbox": Ask, "full": Allow}),
    (BASH, IN, {"ask": Ask, "edits": Ask, "plan": Deny, "sandbox": Ask, "full": Allow}),
    (BASH_OUTPUT, IN, {"ask": Allow, "edits": Allow, "plan": Allow, "sandbox": Allow, "full": Allow}),
    (TODO, IN, {"ask": Allow, "edits": Allow, "plan": Allow, "sandbox": Allow, "full": Allow}),
    (FETCH, IN, {"ask": Ask, "edits": Ask, "plan": Ask, "sandbox": Ask, "full": Allow}),
    (CONFINED, IN, {"ask": Ask, "edits": Ask, "plan": Deny, "sandbox": Allow, "full": Allow}),
    (CONFINED_EDIT, OUT, {"ask": Ask, "edits": Ask, "plan": Deny, "sandbox": Allow, "full": Allow}),
]


def call_of(bench: ToolBench, path: str) -> ToolCall:
    arguments = {"file_path": path}
    return ToolCall(
        agent=bench.agent,
        session=bench.session,
        turn=1,
        step=1,
        call_id="c1",
        name="x",
        arguments=dumps(arguments),
        args=freeze(arguments),
        signal=bench.signal,
        cwd=Path("/work"),
    )


@pytest.fixture
async def bench() -> AsyncIterator[ToolBench]:
    async with open_tool_bench((approval_plugin, None)) as bench:
        for definition in (READ, EDIT, BASH):
            bench.tools.register(bench.root, definition)
        yield bench


@pytest.fixture
def modes(bench: ToolBench) -> Modes:
    return bench.root[MODES]


@pytest.mark.parametrize(
    ("definition", "path", "mode", "decision"),
    [
        (definition, path, mode, decision)
        for definition, path, decisions in TABLE
        for mode, decision in decisions.items()
    ],
)
async def test_each_mode_runs_asks_or_refuses_as_its_table_says(
    bench: ToolBench, definition: AnyTool, path: str, mode: Mode, decision: type[PreDecision]
) -> None:
    assert type(decide(mode, call_of(bench, path), definition)) is decision


async def test_the_programs_own_home_asks_in_mode_edits_also_inside_the_workspace(bench: ToolBench) -> None:
    home = Path("/work/deep/home")
    for path, decision in (("deep/home/settings.yaml", Ask), ("deep/homely.py", Allow)):
        assert type(decide("edits", call_of(bench, path), EDIT, [home])) is decision


async def test_the_reason_for_asking_is_one_sentence_about_the_call(bench: ToolBench) -> None:
    reasons = {
        (definition.name, path): decide("ask", call_of(bench, path), definition)
        for definition, path in ((BASH, IN), (EDIT, IN), (EDIT, OUT), (EDIT, HOOK), (READ, OUT), (FETCH, IN))
    }
    assert reasons == {
        ("execute", IN): Ask("The agent wants to run a command.", by="mode"),
        ("edit", IN): Ask("The agent wants to change a file.", by="mode"),
        ("edit", OUT): Ask("The agent wants to change a file outside the workspace.", by="mode"),
        ("edit", HOOK): Ask(
            "The agent wants to change a file that git or dsh-tui acts on by itself.", by="mode"
        ),
        ("read", OUT): Ask("The agent wants to read files outside the workspace.", by="mode"),
        ("fetch", IN): Ask("The agent wants to fetch something from the network.", by="mode"),
    }


async def test_plan_mode_tells_the_model_and_asks_nobody(bench: ToolBench, modes: Modes) -> None:
    modes.set(bench.session, "plan")
    await bench.run(("edit", {"file_path": IN}))
    assert text(bench.results()[0]).startswith(
        "Plan mode is on: nothing may be changed, so `edit` did not run."
    )
    assert bench.logged("approval/asked") == []


async def test_a_stricter_listener_wins_and_a_laxer_one_does_not(bench: ToolBench, modes: Modes) -> None:
    async def deny(_call: ToolCall, _tool: AnyTool, _next: Next[PreDecision]) -> PreDecision:
        return Deny("A hook says no.")

    modes.set(bench.session, "full")
    take_away = bench.root.on(PRE_EXECUTE, deny)
    await bench.run(("read", {"file_path": IN}))
    assert text(bench.results()[0]) == "A hook says no."
    await take_away()
    modes.set(bench.session, "ask")
    await bench.run(("edit", {"file_path": IN}))
    assert bench.results()[1]["error"]["code"] == "APPROVAL_UNAVAILABLE"


async def test_a_mode_chosen_before_the_first_turn_is_logged_inside_it(
    bench: ToolBench, modes: Modes
) -> None:
    modes.set(bench.session, "edits")
    assert len(bench.session.events) == 0
    assert modes.current(bench.session) == "edits"
    bench.open_step()
    assert [event.type for event in bench.session.events] == ["turn/start", "permission/mode", "step/start"]
    assert bench.session.last_turn == 1
    assert modes.current(bench.session) == "edits"


async def test_a_mode_set_while_idle_is_logged_in_a_turn_of_its_own(bench: ToolBench, modes: Modes) -> None:
    bench.open_step()
    bench.close_turn()
    modes.set(bench.session, "plan")
    assert [event.type for event in bench.session.events][-3:] == [
        "turn/start",
        "permission/mode",
        "turn/end",
    ]
    assert bench.session.events[-2].data == {"mode": "plan"}


async def test_a_mode_set_within_a_turn_counts_from_the_next_call(bench: ToolBench, modes: Modes) -> None:
    await bench.run(("edit", {"file_path": IN}))
    modes.set(bench.session, "full")
    await bench.run(("edit", {"file_path": IN}))
    assert [result["isError"] for result in bench.results()] == [True, False]


async def test_a_front_ends_mode_overrides_the_log_from_its_next_turn_on(
    bench: ToolBench, modes: Modes
) -> None:
    bench.open_step()
    modes.set(bench.session, "full")
    bench.close_turn()
    before = len(bench.session.events)
    modes.start_in(bench.session, "plan")
    assert len(bench.session.events) == before
    assert modes.current(bench.session) == "plan"
    bench.open_step()
    assert [event.data for event in bench.logged("permission/mode")] == [{"mode": "full"}, {"mode": "plan"}]
    assert modes.current(bench.session) == "plan"


async def test_setting_the_same_mode_logs_nothing(bench: ToolBench, modes: Modes) -> None:
    bench.open_step()
    modes.set(bench.session, "ask")
    assert bench.logged("permission/mode") == []


async def test_an_unknown_mode_is_refused(bench: ToolBench, modes: Modes) -> None:
    wrong: Any = "yolo"
    with pytest.raises(UnknownModeError, match="the modes: ask, edits, plan, sandbox, full"):
        modes.set(bench.session, wrong)


async def test_a_resumed_session_has_the_mode_of_its_log(bench: ToolBench, modes: Modes) -> None:
    bench.open_step()
    modes.set(bench.session, "full")
    modes.set(bench.session, "plan")
    bench.close_turn()
    resumed = bench.root[SESSIONS].create(seed=tuple(bench.session.events))
    assert modes.current(resumed) == "plan"


async def test_full_access_ends_with_the_process_that_it_was_given_in(bench: ToolBench, modes: Modes) -> None:
    bench.open_step()
    modes.set(bench.session, "edits")
    modes.set(bench.session, "full")
    bench.close_turn()
    resumed = bench.root[SESSIONS].create(seed=tuple(bench.session.events))
    assert modes.current(resumed) == "ask"
    modes.start_in(resumed, "full")
    assert modes.current(resumed) == "full"
    trigger = {"kind": "message", "source": {"kind": "user"}}
    resumed.append("turn/start", {"turn": 2, "trigger": trigger})
    assert resumed.events[-1].data == {"mode": "full"}  # given again, and that is in the log


async def test_a_fork_does_not_inherit_full(bench: ToolBench, modes: Modes) -> None:
    bench.open_step()
    modes.set(bench.session, "full")
    bench.close_turn()
    fork = bench.root[SESSIONS].fork(bench.session.id)
    assert modes.current(bench.session) == "full"
    assert modes.current(fork) == "ask"
    source = {"kind": "user"}
    fork.append("turn/start", {"turn": 2, "trigger": {"kind": "message", "source": source}})
    assert fork.events[-1].data == {"mode": "ask"}
    modes.set(fork, "full")
    assert modes.current(fork) == "full"


async def test_a_mode_that_this_program_does_not_know_is_the_careful_one(
    bench: ToolBench, modes: Modes
) -> None:
    bench.open_step()
    bench.session.append("permission/mode", {"mode": "yolo"})
    assert modes.current(bench.session) == "ask"


async def test_the_configured_mode_is_for_sessions_that_chose_none() -> None:
    async with open_tool_bench((approval_plugin, ApprovalConfig(mode="full"))) as bench:
        modes = bench.root[MODES]
        assert modes.current(bench.session) == "full"
        bench.open_step()
        assert [event.data for event in bench.logged("permission/mode")] == [{"mode": "full"}]
        modes.set(bench.session, "ask")
        assert modes.current(bench.session) == "ask"
