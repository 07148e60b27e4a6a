"""The system prompt: assembled once a step from sections, variables and tool schemas.

Deterministic: the same registrations give the same bytes, whatever order they came in.
Source: core spec §5.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Protocol

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.kernel import Context, Disposer, Producer, ServiceKey, Waterfall
from dsh_tui.engine.llm.config import ToolSchema
from dsh_tui.engine.scope import ScopedLayers, scope_target
from dsh_tui.engine.system_prompt.errors import SystemPromptError
from dsh_tui.engine.system_prompt.origins import Origins, find_sections
from dsh_tui.engine.system_prompt.section import VARIABLE, Provider, Section, interpolate, placeholders
from dsh_tui.engine.system_prompt.tool_order import check_tool_order, order_tools

if TYPE_CHECKING:
    from dsh_tui.engine.agent.agent import Agent


@dataclass(frozen=True, slots=True)
class Assembly:
    """What stands in front of the history: the system text, if any, and the tools."""

    system: str | None
    tools: tuple[ToolSchema, ...]
    origins: Origins = field(default_factory=Origins)
    """Who wrote that; found out for what the last listener leaves."""


ASSEMBLE: Waterfall[[Agent, Assembly], Assembly] = Waterfall("system-prompt/assemble")
"""``(agent, assembly)``: the result is what is sent. A complete section's text stays all the same."""


class ToolSource(Protocol):
    """Where tool schemas come from."""

    def schemas(self, agent: Agent) -> Sequence[ToolSchema]: ...

    def known(self, agent: Agent) -> Collection[str]:
        """Names that are no typo in a tool order, even if hidden from this agent."""

    def producers(self, agent: Agent) -> Mapping[str, Producer]:
        """Who offers each of the tools."""


@dataclass(frozen=True, slots=True)
class _Placed:
    section: Section
    producer: Producer


class SystemPrompt:
    """Collects the parts and assembles them. Published under `SYSTEM_PROMPT`."""

    def __init__(self, ctx: Context, *, tool_order: Sequence[str] | None = None) -> None:
        if tool_order is not None:
            check_tool_order(tool_order)
        self._ctx = ctx
        self._tool_order = tool_order
        self._sections: ScopedLayers[_Placed] = ScopedLayers("section")
        self._variables: ScopedLayers[Provider] = ScopedLayers("variable")
        self._tools: ScopedLayers[ToolSource] = ScopedLayers()
        self._numbers = count()

    def section(self, ctx: Context, section: Section) -> Disposer:
        """Add a section in the caller's scope; it shadows one of that name from outside.

        Raises:
            KernelError: the scope has a section of that name.
        """
        return self._sections.register(ctx, section.name, _Placed(section, ctx.producer))

    def variable(self, ctx: Context, name: str, provider: Provider) -> Disposer:
        """Give ``{{name}}`` a value.

        Raises:
            SystemPromptError: not a variable name.
            KernelError: the scope has a variable of that name.
        """
        if VARIABLE.fullmatch(name) is None:
            raise SystemPromptError(f"{name!r} is no variable name: a-z, then a-z 0-9 _")
        return self._variables.register(ctx, name, provider)

    def tool_schemas(self, ctx: Context, source: ToolSource) -> Disposer:
        """Announce the tools of a source."""
        return self._tools.register(ctx, str(next(self._numbers)), source)

    async def assemble(self, agent: Agent) -> Assembly:
        """The prompt as it is now.

        Raises:
            SystemPromptError: an unknown or valueless variable, an impossible tool order.
        """
        placed = sorted(self._sections.view(agent).values(), key=lambda one: one.section.position)
        complete = [one for one in placed if one.section.complete]
        texts = [
            (one.section.name, one.producer, text)
            for one in complete[:1] or placed
            if (text := await self._render(agent, one.section))
        ]
        prompt = "\n\n".join(text for *_, text in texts) or None
        seed = Assembly(prompt, self._ordered_tools(agent))

        async def as_it_is() -> Assembly:
            return seed

        target = scope_target(self._ctx, agent)
        assembly = await target.waterfall(ASSEMBLE, as_it_is, agent, seed)
        system = (prompt if complete else assembly.system) or None
        tools = freeze(tuple(assembly.tools))
        return Assembly(
            system, tools, Origins(find_sections(system, texts), self._tool_origins(agent, tools))
        )

    async def _render(self, agent: Agent, section: Section) -> str:
        text = section.text if isinstance(section.text, str) else await _ask(section.text, agent)
        if not text or not text.strip():
            return ""
        values = {name: await self._value(agent, name, section) for name in placeholders(text, section.name)}
        return interpolate(text, values).strip("\n")

    async def _value(self, agent: Agent, name: str, section: Section) -> str:
        provider = self._variables.get(agent, name)
        if provider is None:
            raise SystemPromptError(f"section {section.name!r}: nobody gives {{{{{name}}}}} a value")
        value = await _ask(provider, agent)
        if value is None:
            raise SystemPromptError(f"section {section.name!r}: {{{{{name}}}}} has no value")
        return value

    def _ordered_tools(self, agent: Agent) -> tuple[ToolSchema, ...]:
        sources = self._tools.view(agent).values()
        schemas = [schema for source in sources for schema in source.schemas(agent)]
        known = {name for source in sources for name in source.known(agent)}
        return order_tools(schemas, self._tool_order, known)

    def _tool_origins(self, agent: Agent, tools: Sequence[ToolSchema]) -> tuple[tuple[str, Producer], ...]:
        offered: dict[str, Producer] = {}
        for source in self._tools.view(agent).values():
            offered.update(source.producers(agent))
        return tuple((tool["name"], offered[tool["name"]]) for tool in tools if tool["name"] in offered)


async def _ask(provider: Provider, agent: Agent) -> str | None:
    answer = provider(agent)
    value = await answer if inspect.isawaitable(answer) else answer
    if value is not None and not isinstance(value, str):
        raise SystemPromptError(f"a provider gave {type(value).__name__}, not text")
    return value


SYSTEM_PROMPT: ServiceKey[SystemPrompt] = ServiceKey("system-prompt")
