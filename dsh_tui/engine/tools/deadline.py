"""The deadline of a body: its own signal fires when time is up, and the body is awaited.

Cooperative: nothing is abandoned. Whose signal fired first decides what the result says.
Source: core spec §6; capabilities B5 (timeout policy).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from dsh_tui.engine.base.cancel import Cancelled, CancelSignal
from dsh_tui.engine.base.clock import Clock
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput
from dsh_tui.engine.tools.outcome import checked, timed_out

if TYPE_CHECKING:
    from pydantic import BaseModel

A = TypeVar("A", bound="BaseModel")

_DEADLINE: Final[Mapping[str, Any]] = {"kind": "deadline"}  # Any: JSON, a cause


async def run_within_deadline(
    definition: ToolDefinition[A], args: A, call: ToolCall, clock: Clock
) -> ToolOutput:
    """Run the body, under its own deadline where it declares one."""
    limit_ms = definition.timeout_ms(args) if definition.timeout_ms is not None else None
    if limit_ms is None:
        return await definition.execute(args, call)
    own = CancelSignal()
    undo = own.follow(call.signal)

    async def expire() -> None:
        await clock.sleep(limit_ms / 1000)
        own.cancel(f"timed out after {limit_ms} ms", _DEADLINE)

    timer = asyncio.create_task(expire())
    output: ToolOutput | None = None
    try:
        output = checked(await definition.execute(args, replace(call, signal=own)))
    except Cancelled:
        if own.cause is not _DEADLINE:
            raise
    finally:
        undo()
        timer.cancel()
    if own.cause is _DEADLINE:
        return timed_out(limit_ms, output)
    assert output is not None
    return output
