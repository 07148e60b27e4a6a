"""Events of approval, beside those in the log."""

from __future__ import annotations

from dsh_tui.engine.kernel import Emit
from dsh_tui.engine.tools.definition import ToolCall

APPROVAL_UNAVAILABLE: Emit[[ToolCall, str]] = Emit("approval/unavailable")
"""``(call, reason)``: a call was refused because nobody could be asked."""
