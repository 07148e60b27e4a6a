"""Events around a tool call, as typed keys.

All but `TOOLS_CHANGE` are dispatched in the scope of the call's agent. Listeners of a
waterfall take ``(…, next)``; not calling ``next`` decides without the rest.
Source: core spec §6.
"""

from __future__ import annotations

from dsh_tui.engine.kernel import Emit, Waterfall
from dsh_tui.engine.tools.decisions import ApprovalOutcome, Ask, PostDecision, PreDecision
from dsh_tui.engine.tools.definition import AnyTool, ToolCall, ToolOutput

PRE_EXECUTE: Waterfall[[ToolCall, AnyTool], PreDecision] = Waterfall("tools/pre-execute")
"""May the call run? Runs in model order, once a call; unknown tools and bad arguments don't get here."""

ASK: Waterfall[[ToolCall, AnyTool, Ask], ApprovalOutcome] = Waterfall("tools/ask")
"""``(call, definition, ask)``: ask a person. Answered by the approval service; by nobody: unavailable."""

EXECUTE: Waterfall[[ToolCall, AnyTool], ToolOutput] = Waterfall("tools/execute")
"""Around the body: recorded answers, checkpoints, measurements."""

POST_EXECUTE: Waterfall[[ToolCall, ToolOutput], PostDecision] = Waterfall("tools/post-execute")
"""After every outcome, denied and unknown calls included. Runs in model order."""

TOOL_RESULT: Emit[[ToolCall, ToolOutput]] = Emit("tools/result")
"""The result, final and logged."""

TOOLS_CHANGE: Emit[[]] = Emit("tools/change")
"""A tool came, went, or was restricted; reaches every listener whatever its scope."""
