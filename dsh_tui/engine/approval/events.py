"""Events of approval, beside those in the log."""

from __future__ import annotations

from dsh_tui.engine.kernel import Emit
from dsh_tui.engine.tools.definition import ToolCall

APPROVAL_UNAVAILABLE: Emit[[ToolCall, str]] = Emit("approval/unavailable")
"""``(call, reason)``: a call was refused because nobody could be asked."""

RULES_NOT_KEPT: Emit[[ToolCall, str]] = Emit("approval/rules-not-kept")
"""``(call, why)``: the call was allowed once, as its answer said, but its rules don't hold."""
