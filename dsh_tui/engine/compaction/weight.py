"""How much of the window the next request takes, about.

What the provider counted for the last answer is the basis, and only what came since is estimated; after
a change of the surface nothing was counted yet, so all is. Source: core spec §10 (pressure).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from weakref import WeakKeyDictionary

from dsh_tui.engine.llm.config import ToolSchema
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.llm.usage import prompt_tokens, usage_of
from dsh_tui.engine.projection.request_parts import estimate_tokens, message_text, tool_text
from dsh_tui.engine.session.derive import project
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.request_header import RequestHeader
from dsh_tui.engine.session.session import Session


class Scale:
    """Weighs what stands on surfaces, each event once in its life."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Session, dict[int, int]] = WeakKeyDictionary()

    def weigh(self, session: Session) -> list[int]:
        """Of each surface event; 0 for one that says nothing to the model."""
        known = self._known.setdefault(session, {})
        nodes = session.surface
        for node in nodes:
            if node.seq not in known:
                message = project(node)
                known[node.seq] = 0 if message is None else message_tokens(message)
        return [known[node.seq] for node in nodes]

    def used(self, session: Session, head: Callable[[], int]) -> int:
        """By the next request. ``head`` estimates what stands in front of the history, where it must be."""
        nodes, weights = session.surface, self.weigh(session)
        replaced = -1
        if session.replace_generation:  # else not looked for: this runs before every request
            replaced = max((node.seq for node in nodes if _replaces(node)), default=-1)
        since = 0
        for node, weight in zip(reversed(nodes), reversed(weights), strict=True):
            usage = usage_of(node.data.get("usage")) if node.type == "assistant/message" else None
            if usage is not None:
                if node.seq < replaced:
                    break
                return prompt_tokens(usage) + usage["outputTokens"] + since
            since += weight
        return head() + sum(weights)


def message_tokens(message: Message) -> int:
    """Never nothing."""
    return max(1, estimate_tokens(message_text(message)))


def head_tokens(system: str | None, tools: Sequence[ToolSchema], prefix: Iterable[Message]) -> int:
    """Of what stands in front of every history."""
    return (
        estimate_tokens(system or "")
        + sum(estimate_tokens(tool_text(tool)) for tool in tools)
        + sum(map(message_tokens, prefix))
    )


def header_tokens(header: RequestHeader) -> int:
    """The same, of the last request."""
    return head_tokens(header.get("system"), header.get("tools", ()), header.get("messagePrefix", ()))


def _replaces(node: Event) -> bool:
    return node.surface_op is not None and node.surface_op["op"] == "replace"
