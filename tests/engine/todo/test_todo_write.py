"""The plan: checked, logged whole, and never half taken over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh_tui.engine.todo import plugin as todo_plugin
from tests.fakes.tool_bench import open_tool_bench
from tests.fakes.workbench import Workbench


@pytest.fixture
async def work(tmp_path: Path) -> AsyncIterator[Workbench]:
    async with open_tool_bench((todo_plugin, None), cwd=str(tmp_path)) as bench:
        yield Workbench(bench, tmp_path)


async def test_the_whole_plan_is_logged_trimmed_and_in_order(work: Workbench) -> None:
    answer = await work.call(
        "todo_write",
        todos=[
            {"content": " one ", "status": "completed"},
            {"content": "two", "status": "in_progress"},
            {"content": "three", "status": "pending"},
        ],
    )
    assert answer.text == "The plan is updated: 1 in progress, 1 pending, 1 completed."
    assert (answer.meta["completed"], answer.meta["total"]) == (1, 3)
    (event,) = work.bench.logged("todo/write")
    assert [item["content"] for item in event.data["todos"]] == ["one", "two", "three"]


async def test_an_empty_plan_clears_it(work: Workbench) -> None:
    assert (await work.call("todo_write", todos=[])).text == "The plan is cleared."
    assert work.bench.logged("todo/write")[-1].data["todos"] == ()


@pytest.mark.parametrize(
    ("todos", "words"),
    [
        ([{"content": "  ", "status": "pending"}], "empty"),
        ([{"content": "a", "status": "pending"}, {"content": "a ", "status": "pending"}], "unique"),
        (
            [{"content": "a", "status": "in_progress"}, {"content": "b", "status": "in_progress"}],
            "one at a time",
        ),
        ([{"content": "a", "status": "later"}], "status"),
        ([{"content": "a", "status": "pending", "x": 1}], "x"),
        ([{"content": "a"}], "status"),
    ],
)
async def test_a_plan_that_is_not_clear_is_refused_and_not_logged(
    todos: list[dict[str, object]], words: str, work: Workbench
) -> None:
    answer = await work.call("todo_write", todos=todos)
    assert (answer.failed, answer.code) == (True, "INVALID_ARGS")
    assert words in answer.text
    assert work.bench.logged("todo/write") == []


async def test_several_items_at_once_are_a_setting(tmp_path: Path) -> None:
    config = todo_plugin.Config(parallel=True)
    todos = [{"content": "a", "status": "in_progress"}, {"content": "b", "status": "in_progress"}]
    async with open_tool_bench((todo_plugin, config), cwd=str(tmp_path)) as bench:
        answer = await Workbench(bench, tmp_path).call("todo_write", todos=todos)
        assert not answer.failed


async def test_the_tool_goes_with_its_plugin(work: Workbench) -> None:
    root, tools, agent = work.bench.root, work.bench.tools, work.bench.agent
    (fiber,) = [fiber for fiber in root.fiber.children if fiber.name == "todo"]
    await fiber.dispose()
    assert tools.names(agent) == ()
    await root.plugin(todo_plugin)
    assert tools.names(agent) == ("todo_write",)
