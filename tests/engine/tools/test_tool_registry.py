"""Who sees which tools, in which order, and that nothing is left when they go."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator

import pytest

from dsh_tui.engine.kernel import Context, KernelError
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.tools.definition import ToolDefinition
from dsh_tui.engine.tools.errors import ToolError
from dsh_tui.engine.tools.events import TOOLS_CHANGE
from tests.fakes.sample_tools import EchoArgs, echo
from tests.fakes.tool_bench import ToolBench, open_tool_bench, text


@pytest.fixture
async def bench() -> AsyncIterator[ToolBench]:
    async with open_tool_bench() as bench:
        yield bench


async def test_schemas_are_sorted_by_name_whatever_came_first(bench: ToolBench) -> None:
    names = ["zoom", "Zoom", "a_b", "a-b", "edit"]
    random.Random(1).shuffle(names)
    for name in names:
        bench.tools.register(bench.root, echo(name))
    assert [schema["name"] for schema in bench.tools.schemas(bench.agent)] == sorted(names)


async def test_schemas_are_the_same_objects_as_long_as_nothing_changes(bench: ToolBench) -> None:
    bench.tools.register(bench.root, echo())
    first, second = bench.tools.schemas(bench.agent), bench.tools.schemas(bench.agent)
    assert first[0] is second[0]


@pytest.mark.parametrize("name", ["", "a b", "é", "x" * 65, "a\n"])
async def test_a_name_that_providers_refuse_is_refused(bench: ToolBench, name: str) -> None:
    with pytest.raises(ToolError, match="can't be called"):
        bench.tools.register(bench.root, echo(name))


async def test_two_tools_of_one_name_in_one_layer_are_refused(bench: ToolBench) -> None:
    bench.tools.register(bench.root, echo())
    with pytest.raises(KernelError, match="tool 'echo' is registered already"):
        bench.tools.register(bench.root, echo())


async def test_an_agents_own_tool_shadows_the_global_one(bench: ToolBench) -> None:
    bench.tools.register(bench.root, echo(description="everybody's"))
    take_away = bench.tools.register(bench.agent.ctx, echo(description="mine"))
    (schema,) = bench.tools.schemas(bench.agent)
    assert schema["description"] == "mine"
    await take_away()
    (schema,) = bench.tools.schemas(bench.agent)
    assert schema["description"] == "everybody's"


async def test_a_restriction_hides_what_comes_from_outside(bench: ToolBench) -> None:
    bench.tools.register(bench.root, echo("outside"))
    bench.tools.register(bench.agent.ctx, echo("own"))
    lift = bench.tools.restrict(bench.agent.ctx, lambda _name: False)
    assert bench.tools.names(bench.agent) == ("own",)
    assert bench.tools.get(bench.agent, "outside") is None
    assert bench.tools.known(bench.agent) == {"outside", "own"}
    await bench.run(("outside", {}))
    assert text(bench.results()[0]) == "There is no tool `outside`. The tools here: own."
    await lift()
    assert bench.tools.names(bench.agent) == ("outside", "own")


async def test_every_change_is_announced(bench: ToolBench) -> None:
    changes: list[int] = []
    bench.root.on(TOOLS_CHANGE, lambda: changes.append(len(bench.tools.known(bench.agent))))
    take_away = bench.tools.register(bench.root, echo())
    lift = bench.tools.restrict(bench.agent.ctx, lambda _name: True)
    await lift()
    await take_away()
    assert changes == [1, 1, 1, 0]


async def test_a_plugin_that_goes_takes_its_tools_restrictions_and_guards_along(bench: ToolBench) -> None:
    async def no(*_args: object) -> str:
        return "no"

    def plugin(ctx: Context, _config: object) -> None:
        bench.tools.register(ctx, echo())
        bench.tools.restrict(ctx, lambda name: name == "echo")
        bench.tools.guard(ctx, no)

    bench.tools.register(bench.root, echo("other"))
    for _ in range(2):
        fiber = bench.root.plugin(plugin)
        await fiber
        assert bench.tools.names(bench.agent) == ("echo",)
        await fiber.dispose()
        assert bench.tools.names(bench.agent) == ("other",)
    await bench.run(("other", {"text": "free"}))
    assert text(bench.results()[0]) == "free"


async def test_the_prompt_announces_what_may_be_called() -> None:
    async with open_tool_bench() as bench:
        for name in ("b", "a"):
            bench.tools.register(bench.root, echo(name))
        assembly = await bench.root[SYSTEM_PROMPT].assemble(bench.agent)
        assert assembly.tools == bench.tools.schemas(bench.agent)


def test_a_definition_may_name_its_argument_model() -> None:
    definition = echo()
    assert ToolDefinition[EchoArgs](**vars(definition)) == definition
