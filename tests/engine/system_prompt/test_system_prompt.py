"""Sections, variables and tools in; one stable text out."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.kernel import Context, KernelError, Next
from dsh_tui.engine.llm.config import ToolSchema
from dsh_tui.engine.system_prompt import identity
from dsh_tui.engine.system_prompt.assembly import ASSEMBLE, SYSTEM_PROMPT, Assembly, SystemPrompt
from dsh_tui.engine.system_prompt.errors import SystemPromptError
from dsh_tui.engine.system_prompt.section import Section
from dsh_tui.engine.system_prompt.tool_order import UNLISTED, check_tool_order, order_tools
from tests.fakes.sample_tools import echo
from tests.fakes.tool_bench import ToolBench, open_tool_bench


@pytest.fixture
async def bench() -> AsyncIterator[ToolBench]:
    async with open_tool_bench() as bench:
        yield bench


@pytest.fixture
def prompt(bench: ToolBench) -> SystemPrompt:
    return bench.root[SYSTEM_PROMPT]


async def system(bench: ToolBench) -> str | None:
    return (await bench.root[SYSTEM_PROMPT].assemble(bench.agent)).system


async def test_without_sections_there_is_no_system_text(bench: ToolBench) -> None:
    assert await system(bench) is None


async def test_sections_stand_in_ascending_order_and_apart(bench: ToolBench, prompt: SystemPrompt) -> None:
    for name, order in (("last", 100), ("first", -100), ("b", 0), ("a", 0)):
        prompt.section(bench.root, Section(name, order, name))
    assert await system(bench) == "first\n\na\n\nb\n\nlast"


SECTIONS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.integers(-2, 2)), unique_by=lambda pair: pair[0], max_size=6
)


@settings(max_examples=30, deadline=None)
@given(sections=SECTIONS, shuffle=st.randoms(use_true_random=False))
async def test_the_order_of_registration_never_shows(
    sections: list[tuple[str, int]], shuffle: object
) -> None:
    texts = []
    for attempt in range(2):
        order = list(sections)
        if attempt:
            shuffle.shuffle(order)  # type: ignore[attr-defined]  # a Random
        async with open_tool_bench() as bench:
            for name, position in order:
                bench.root[SYSTEM_PROMPT].section(bench.root, Section(name, position, f"I am {name}."))
                bench.tools.register(bench.root, echo(name))
            texts.append(await bench.root[SYSTEM_PROMPT].assemble(bench.agent))
    assert texts[0] == texts[1]


async def test_empty_sections_leave_no_gap(bench: ToolBench, prompt: SystemPrompt) -> None:
    async def nothing(_agent: Agent) -> str | None:
        return None

    prompt.section(bench.root, Section("a", 0, "a\n"))
    prompt.section(bench.root, Section("b", 1, "  \n"))
    prompt.section(bench.root, Section("c", 2, nothing))
    prompt.section(bench.root, Section("d", 3, lambda agent: f"for {agent.id[:7]}"))
    assert await system(bench) == "a\n\nfor session"


async def test_a_name_may_be_taken_once_in_a_layer(bench: ToolBench, prompt: SystemPrompt) -> None:
    prompt.section(bench.root, Section("a", 0, "everybody's"))
    with pytest.raises(KernelError, match="section 'a'"):
        prompt.section(bench.root, Section("a", 1, "again"))
    take_away = prompt.section(bench.agent.ctx, Section("a", 5, "mine"))
    assert await system(bench) == "mine"
    await take_away()
    assert await system(bench) == "everybody's"


@pytest.mark.parametrize("order", [math.nan, math.inf])
async def test_an_order_must_be_finite(order: float) -> None:
    with pytest.raises(SystemPromptError, match="finite"):
        Section("a", order, "text")


async def test_variables_are_put_in_once(bench: ToolBench, prompt: SystemPrompt) -> None:
    prompt.variable(bench.root, "who", lambda _agent: "{{what}} & {{who}}")
    prompt.section(bench.root, Section("a", 0, "Dear {{who}}, {{who}}!"))
    assert await system(bench) == "Dear {{what}} & {{who}}, {{what}} & {{who}}!"


@pytest.mark.parametrize("text", ["an open {{ stays", "{{ alone", "}} {{", "{ {a} }"])
async def test_braces_that_name_nothing_are_text(bench: ToolBench, prompt: SystemPrompt, text: str) -> None:
    prompt.section(bench.root, Section("a", 0, text))
    assert await system(bench) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{nobody}}", "nobody gives {{nobody}} a value"),
        ("{{valueless}}", "{{valueless}} has no value"),
        ("{{Not A Name}}", "is no variable"),
        ("{{}}", "is no variable"),
    ],
)
async def test_a_variable_that_cannot_be_is_an_error(
    bench: ToolBench, prompt: SystemPrompt, text: str, words: str
) -> None:
    prompt.variable(bench.root, "valueless", lambda _agent: None)
    prompt.section(bench.root, Section("a", 0, text))
    with pytest.raises(SystemPromptError, match="section 'a'") as caught:
        await system(bench)
    assert words in caught.value.message


async def test_a_variable_name_is_checked_when_it_is_given(bench: ToolBench, prompt: SystemPrompt) -> None:
    with pytest.raises(SystemPromptError, match="no variable name"):
        prompt.variable(bench.root, "Name", lambda _agent: "")


async def test_a_listener_has_the_last_word_and_may_empty_it(bench: ToolBench, prompt: SystemPrompt) -> None:
    async def erase(_agent: Agent, _assembly: Assembly, following: Next[Assembly]) -> Assembly:
        return Assembly("", (await following()).tools)

    prompt.section(bench.root, Section("a", 0, "text"))
    bench.root.on(ASSEMBLE, erase)
    assert await system(bench) is None


async def test_a_complete_section_is_all_there_is_and_stays(bench: ToolBench, prompt: SystemPrompt) -> None:
    async def add(_agent: Agent, _assembly: Assembly, following: Next[Assembly]) -> Assembly:
        assembly = await following()
        return Assembly(f"{assembly.system} and more", assembly.tools)

    prompt.section(bench.root, Section("a", 0, "text"))
    take_away = prompt.section(bench.agent.ctx, Section("whole", 50, "the whole", complete=True))
    bench.root.on(ASSEMBLE, add)
    assert await system(bench) == "the whole"
    await take_away()
    assert await system(bench) == "text and more"


async def test_a_plugin_that_goes_leaves_no_section_behind(bench: ToolBench, prompt: SystemPrompt) -> None:
    def plugin(ctx: Context, _config: object) -> None:
        prompt.variable(ctx, "v", lambda _agent: "value")
        prompt.section(ctx, Section("a", 0, "{{v}}"))

    for _ in range(2):
        fiber = bench.root.plugin(plugin)
        await fiber
        assert await system(bench) == "value"
        await fiber.dispose()
        assert await system(bench) is None


def schema(name: str) -> ToolSchema:
    return ToolSchema(name=name, description="", parameters={})


def names(schemas: tuple[ToolSchema, ...]) -> list[str]:
    return [one["name"] for one in schemas]


def test_tools_go_by_name_or_as_configured() -> None:
    tools = [schema(name) for name in ("d", "b", "a", "c")]
    assert names(order_tools(tools, None, ())) == ["a", "b", "c", "d"]
    assert names(order_tools(tools, ["d", UNLISTED, "a"], ())) == ["d", "b", "c", "a"]


def test_a_hidden_tool_in_the_order_is_skipped_and_a_typo_is_an_error() -> None:
    assert names(order_tools([schema("a")], ["hidden", UNLISTED], {"hidden"})) == ["a"]
    with pytest.raises(SystemPromptError, match="'tpyo', which is no tool"):
        order_tools([schema("a")], ["tpyo", UNLISTED], {"hidden"})


@pytest.mark.parametrize("order", [[], ["a"], [UNLISTED, UNLISTED], ["a", UNLISTED, "a"]])
def test_an_order_names_the_rest_once_and_no_tool_twice(order: list[str]) -> None:
    with pytest.raises(SystemPromptError):
        check_tool_order(order)


async def test_the_products_own_prompt_is_short_and_the_same_for_everybody() -> None:
    texts = []
    for cwd in ("/work", "/elsewhere"):
        async with open_tool_bench((identity, None), cwd=cwd) as bench:
            texts.append(await system(bench))
    assert texts[0] == texts[1]
    assert texts[0] is not None
    assert texts[0].startswith("You are dsh-tui, a coding agent.")
    assert len(texts[0]) < 4_500
    assert "{{" not in texts[0]


async def test_each_section_and_tool_has_its_producer_and_no_byte_hangs_on_it(
    bench: ToolBench, prompt: SystemPrompt
) -> None:
    def house(ctx: Context, _config: object) -> None:
        prompt.section(ctx, Section("style", 5, "Write é plainly."))
        bench.tools.register(ctx, echo("lookup"))

    async def add(_agent: Agent, _assembly: Assembly, following: Next[Assembly]) -> Assembly:
        assembly = await following()
        return Assembly(f"Mind: {assembly.system}\n\nEnd.", assembly.tools)

    prompt.section(bench.root, Section("a", 0, "First."))
    fiber = await bench.root.plugin(house)
    bench.root.on(ASSEMBLE, add)
    before = await prompt.assemble(bench.agent)
    assert before.system == "Mind: First.\n\nWrite é plainly.\n\nEnd."
    assert [(one.name, one.producer.plugin) for one in before.origins.sections] == [
        ("a", "root"),
        ("style", "house"),
    ]
    cut = [before.system[one.start : one.start + one.length] for one in before.origins.sections]
    assert cut == ["First.", "Write é plainly."]
    assert [(name, who.plugin) for name, who in before.origins.tools] == [("lookup", "house")]
    assert (await prompt.assemble(bench.agent)).origins == before.origins

    await fiber.dispose()
    await bench.root.plugin(house)
    after = await prompt.assemble(bench.agent)
    assert (after.system, after.tools) == (before.system, before.tools)
    loads = [assembly.origins.sections[1].producer.load for assembly in (before, after)]
    assert loads[0] < loads[1]
