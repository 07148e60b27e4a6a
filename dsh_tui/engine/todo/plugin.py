"""Plugin of this package: registers ``todo_write``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dsh_tui.engine.kernel import Context, ServiceKey
from dsh_tui.engine.todo.tool import todo_tool
from dsh_tui.engine.tools.registry import TOOLS

name = "todo"
inject: Sequence[ServiceKey[Any]] = (TOOLS,)  # Any: keys of all types


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Whether several items may be in progress at once."""

    parallel: bool = False


def apply(ctx: Context, config: Config) -> None:
    """Offer the tool for as long as this plugin lives."""
    ctx[TOOLS].register(ctx, todo_tool(parallel=config.parallel))
