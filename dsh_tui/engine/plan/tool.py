"""The ``exit_plan_mode`` tool: what a plan is, and what the model hears about it.

Its body runs only for a plan that a person approved; see `plugin`.
Source: capabilities B1, B5; schema ``exit_plan_mode``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from dsh_tui.engine.base.frozen import JsonObject
from dsh_tui.engine.modes.mode import EXIT_PLAN_MODE, Mode
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput

DESCRIPTION: Final = """\
Hand a finished plan to the user. Of use in plan mode only; in every other mode it does nothing.
- Call it once you know what is to be done, not to ask questions about it.
- The user reads the plan as it stands and approves it, or says what to change. Approved, plan mode ends \
with this step; else keep planning and hand over a better one."""


def _not_blank(plan: str) -> str:
    if not plan.strip():
        raise ValueError("the plan is empty; write down what is to be done")
    return plan


class ExitPlanModeArgs(BaseModel):
    """Arguments of `exit_plan_mode`, as the model sends them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    plan: Annotated[str, AfterValidator(_not_blank)] = Field(
        description="The whole plan in Markdown: the steps in order, the files they touch, how it is checked."
    )


def exit_plan_mode_tool(leave: Callable[[ToolCall], Mode]) -> ToolDefinition[ExitPlanModeArgs]:
    """The tool. ``leave`` ends plan mode with the step and returns the mode that follows."""

    async def execute(_args: ExitPlanModeArgs, call: ToolCall) -> ToolOutput:
        following = leave(call)
        return ToolOutput(approved(following), {"mode": following})

    async def preview(args: ExitPlanModeArgs, _call: ToolCall) -> JsonObject:
        return {"card": "plan", "text": args.plan}

    return ToolDefinition(
        name=EXIT_PLAN_MODE,
        description=DESCRIPTION,
        parameters=ExitPlanModeArgs,
        execute=execute,
        kind="other",
        changes=False,
        preview=preview,
    )


def question(following: Mode) -> str:
    """What a person is told beside the plan."""
    return f"Approved, the agent goes on in mode {following}; plan mode ends then."


def approved(following: Mode) -> str:
    """The result of an approved plan."""
    return (
        f"The user approved the plan. Plan mode ends with this step; the mode is `{following}` then. "
        "Carry the plan out as it was approved."
    )


def sent_back(words: str) -> str:
    """The result of a plan that was not approved."""
    text = (
        "The user did not approve the plan yet. Plan mode stays on: keep planning, change the plan, and hand "
        f"it over again with `{EXIT_PLAN_MODE}`."
    )
    return f"{text} They said:\n{words}" if words else text


def not_planning(mode: Mode) -> str:
    """The refusal in any other mode."""
    return (
        f"Plan mode is off (the mode is `{mode}`), so there is nothing to hand over and nobody was asked. "
        "Go on with the work itself."
    )
