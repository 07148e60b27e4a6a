"""How much of the window the next request takes, about.

What the provider counted for the last answer is the basis, and only what came since is estimated; after
a change of the surface nothing was counted yet, so all is. Source: core spec §10 (pressure).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dsh_tui.engine.llm.config import ToolSchema
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.llm.usage import prompt_tokens
from dsh_tui.engine.projection.request_parts import estimate_tokens, message_text, tool_text
from dsh_tui.engine.session.derive import project
from dsh_tui.engine.session.session import Session


def message_tokens(messages: Iterable[Message]) -> list[int]:
    """Of each message; never nothing."""
    return [max(1, estimate_tokens(message_text(message))) for message in messages]


def head_tokens(system: str | None, tools: Sequence[ToolSchema], prefix: Sequence[Message]) -> int:
    """Of what stands in front of every history."""
    return (
        estimate_tokens(system or "")
        + sum(estimate_tokens(tool_text(tool)) for tool in tools)
        + sum(message_tokens(prefix))
    )


def counted_tokens(session: Session) -> int | None:
    """The last count of the provider and an estimate of what came since; None: nothing was counted."""
    since: list[Message] = []
    nodes = session.surface
    replaced = -1
    if session.replace_generation:  # else not looked for: this runs before every request
        replaced = max((node.seq for node in nodes if _replaces(node.surface_op)), default=-1)
    for node in reversed(nodes):
        usage = node.data.get("usage") if node.type == "assistant/message" else None
        if usage is not None:
            if node.seq < replaced:
                return None
            return prompt_tokens(usage) + int(usage["outputTokens"]) + sum(message_tokens(since))
        message = project(node)
        if message is not None:
            since.append(message)
    return None


def _replaces(op: object) -> bool:
    return isinstance(op, dict) and op["op"] == "replace"
