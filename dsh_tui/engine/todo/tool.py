"""The ``todo_write`` tool: replace the plan. The log keeps every version, the last one counts.

Source: capabilities B1, B5; schema ``tool-todo``.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput
from dsh_tui.engine.tools.errors import INVALID_ARGS, ToolError

DESCRIPTION = """\
Keep a plan for work of three or more steps; the user sees it. Each call replaces the whole list.
- Write the plan before you start; mark an item `in_progress` when you begin it, `completed` as soon as it \
is done, not in batches.
- Contents are unique, short and say what will be true. Skip it for simple tasks."""


class TodoItem(BaseModel):
    """One line of the plan."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    content: str = Field(description="What is to be done, in a few words.")
    status: Literal["pending", "in_progress", "completed"]


class TodoWriteArgs(BaseModel):
    """Arguments of `todo_write`, as the model sends them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    todos: tuple[TodoItem, ...] = Field(description="The whole plan, in order. Empty clears it.")


def todo_tool(*, parallel: bool) -> ToolDefinition[TodoWriteArgs]:
    """The tool. ``parallel``: several items may be in progress at once."""

    async def execute(args: TodoWriteArgs, call: ToolCall) -> ToolOutput:
        todos = tuple({"content": item.content.strip(), "status": item.status} for item in args.todos)
        _check(todos, parallel=parallel)
        call.session.append("todo/write", {"todos": todos})
        counts = Counter(item["status"] for item in todos)
        words = ", ".join(
            f"{counts[status]} {status.replace('_', ' ')}"
            for status in ("in_progress", "pending", "completed")
            if counts[status]
        )
        meta = {"total": len(todos), "completed": counts["completed"]}
        return ToolOutput(f"The plan is updated: {words}." if todos else "The plan is cleared.", meta)

    return ToolDefinition(
        name="todo_write",
        description=DESCRIPTION,
        parameters=TodoWriteArgs,
        execute=execute,
        kind="other",
        changes=False,
        inside_workspace=lambda _args, _call: True,
    )


def _check(todos: tuple[dict[str, str], ...], *, parallel: bool) -> None:
    seen: set[str] = set()
    for number, item in enumerate(todos, start=1):
        content = item["content"]
        if not content:
            raise ToolError(f"Item {number} is empty. Give every item a content.", code=INVALID_ARGS)
        if content in seen:
            raise ToolError(
                f"Item {number} repeats {content[:80]!r}. Contents must be unique.", code=INVALID_ARGS
            )
        seen.add(content)
    active = sum(item["status"] == "in_progress" for item in todos)
    if active > 1 and not parallel:
        raise ToolError(f"{active} items are in progress. Mark one at a time.", code=INVALID_ARGS)
