"""Plugin: publishes the book of permissions. Without it there are no rules, and the modes decide alone."""

from __future__ import annotations

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.permissions.book import PERMISSIONS, Permissions, PermissionsConfig
from dsh_tui.engine.permissions.past_calls import PastCalls

name = "permissions"


def apply(ctx: Context, config: PermissionsConfig | None = None) -> None:
    """Mount `PERMISSIONS` for as long as this plugin lives."""
    ctx.provide(PERMISSIONS, Permissions(ctx, config or PermissionsConfig(past=PastCalls())))
