"""The order in which the model is told of its tools: part of the bytes, so never of chance.

By name, or as configured: a list of names with one mandatory `UNLISTED` where all others go.
A listed name that is known but hidden from this agent is skipped; an unknown one is a typo.
Source: core spec §5.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from dsh_tui.engine.llm.config import ToolSchema
from dsh_tui.engine.system_prompt.errors import SystemPromptError

UNLISTED: Final = "<unlisted-tools>"


def check_tool_order(order: Sequence[str]) -> None:
    """Raises: SystemPromptError: no marker, or a name given twice."""
    if list(order).count(UNLISTED) != 1:
        raise SystemPromptError(f"the tool order must name {UNLISTED} exactly once")
    if len(set(order)) != len(order):
        raise SystemPromptError("the tool order names a tool twice")


def order_tools(
    schemas: Sequence[ToolSchema], order: Sequence[str] | None, known: Collection[str]
) -> tuple[ToolSchema, ...]:
    """The schemas in their order.

    Raises:
        SystemPromptError: two tools of one name, or an order that names an unknown tool.
    """
    by_name = {schema["name"]: schema for schema in sorted(schemas, key=lambda schema: schema["name"])}
    if len(by_name) != len(schemas):
        raise SystemPromptError("two tools have one name")
    if order is None:
        return tuple(by_name.values())
    unknown = [name for name in order if name != UNLISTED and name not in by_name and name not in known]
    if unknown:
        raise SystemPromptError(f"the tool order names {unknown[0]!r}, which is no tool here")
    rest = [name for name in by_name if name not in order]
    names = [
        member for name in order for member in (rest if name == UNLISTED else [name]) if member in by_name
    ]
    return tuple(by_name[name] for name in names)
