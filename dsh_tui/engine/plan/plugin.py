"""Plugin of this package: registers ``exit_plan_mode`` and its `review`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dsh_tui.engine.kernel import Context, ServiceKey
from dsh_tui.engine.modes.modes import MODES
from dsh_tui.engine.plan.review import PlanReview
from dsh_tui.engine.plan.tool import exit_plan_mode_tool
from dsh_tui.engine.session.store import SESSION_DISPOSED, SESSION_EVENT
from dsh_tui.engine.tools.events import POST_EXECUTE, PRE_EXECUTE
from dsh_tui.engine.tools.registry import TOOLS

name = "plan"
inject: Sequence[ServiceKey[Any]] = (TOOLS, MODES)  # Any: keys of all types


def apply(ctx: Context, _config: object = None) -> None:
    """Offer the tool, in every mode alike, for as long as this plugin lives."""
    review = PlanReview(ctx[MODES])
    ctx[TOOLS].register(ctx, exit_plan_mode_tool(review.approve))
    ctx.on(PRE_EXECUTE, review.ask)
    ctx.on(POST_EXECUTE, review.tell)
    ctx.on(SESSION_EVENT, review.end_with_step)
    ctx.on(SESSION_DISPOSED, review.forget)
