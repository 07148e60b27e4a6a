"""Errors of the system prompt.

SystemPromptError            the prompt can't be put together; the turn fails, the agent lives on
"""

from __future__ import annotations

from dsh_tui.engine.base.errors import HarnessError


class SystemPromptError(HarnessError):
    """A section, variable or tool order that can't be; the message names it."""

    code = "SYSTEM_PROMPT"
