"""Tools of tests: an echo, and one whose body does as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel, ConfigDict

from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput


class EchoArgs(BaseModel):
    """What `echo` takes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = ""
    times: int = 1


async def _echo(args: EchoArgs, _call: ToolCall) -> ToolOutput:
    return ToolOutput(args.text * args.times)


def echo(name: str = "echo", **changes: Any) -> ToolDefinition[EchoArgs]:  # Any: fields of the definition
    """A tool that says what it is given; it only looks, and may run beside others."""
    fields: dict[str, Any] = {
        "name": name,
        "description": "Says it again.",
        "parameters": EchoArgs,
        "execute": _echo,
        "kind": "other",
        "changes": False,
        "is_concurrency_safe": lambda _args: True,
        **changes,
    }
    return ToolDefinition(**fields)


def doing(
    body: Callable[[ToolCall], Awaitable[object]], name: str = "do", **changes: Any
) -> ToolDefinition[EchoArgs]:  # Any: fields of the definition
    """A tool with this body; what it returns is text unless it is an output already."""

    async def execute(_args: EchoArgs, call: ToolCall) -> ToolOutput:
        result = await body(call)
        return result if isinstance(result, ToolOutput) else ToolOutput(str(result))

    return echo(name, execute=execute, **changes)


class Gates:
    """Bodies that wait until the test opens their gate, by call id."""

    def __init__(self) -> None:
        self._gates: dict[str, asyncio.Event] = {}
        self.started: list[str] = []

    def open(self, *call_ids: str) -> None:
        for call_id in call_ids:
            self._gate(call_id).set()

    async def __call__(self, call: ToolCall) -> str:
        self.started.append(call.call_id)
        await self._gate(call.call_id).wait()
        return f"done {call.call_id}"

    def _gate(self, call_id: str) -> asyncio.Event:
        return self._gates.setdefault(call_id, asyncio.Event())
