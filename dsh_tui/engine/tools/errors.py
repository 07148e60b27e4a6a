"""Errors of tools: what a model reads when a call did not work.

ToolError                    a coded failure; its message is the result the model gets
└── (each tool package grows its own, such as ``FS_STALE_VERSION``)

A raise never leaves the pipeline: it becomes ``{isError, error{name, code}}``.
Source: core spec §6.
"""

from __future__ import annotations

from typing import Final, TypedDict

from dsh_tui.engine.base.errors import HarnessError

UNKNOWN_TOOL: Final = "UNKNOWN_TOOL"
INVALID_ARGS: Final = "INVALID_ARGS"
INVALID_TOOL_OUTPUT: Final = "INVALID_TOOL_OUTPUT"
RESULT_BLOCKED: Final = "RESULT_BLOCKED"
TOOL_DENIED: Final = "TOOL_DENIED"
TOOL_TIMEOUT: Final = "TOOL_TIMEOUT"
ABORTED_BEFORE_DISPATCH: Final = "ABORTED_BEFORE_DISPATCH"
ABORTED: Final = "ABORTED"


class ErrorInfo(TypedDict):
    """The machine-readable half of a failed result, as the log keeps it."""

    name: str
    code: str


class ToolError(HarnessError):
    """Raised by a tool's body; the message is written for the model and names the remedy."""

    code = "TOOL_FAILED"
