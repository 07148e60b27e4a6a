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


class _Known:
    """What was found out of one session."""

    __slots__ = ("generation", "replaced", "weights")

    def __init__(self) -> None:
        self.weights: dict[int, int] = {}
        """By seq."""
        self.generation = 0
        self.replaced = -1
        """Seq of the last event that took the place of others, in this generation of the surface."""


class Scale:
    """Weighs what stands on surfaces, each event once in its life."""

    def __init__(self) -> None:
        self._sessions: WeakKeyDictionary[Session, _Known] = WeakKeyDictionary()

    def weigh(self, session: Session) -> list[int]:
        """Of each surface event; 0 for one that says nothing to the model."""
        known = self._known(session).weights
        return [_weight(known, node) for node in session.surface]

    def used(self, session: Session, head: Callable[[], int]) -> int:
        """By the next request. ``head`` estimates what stands in front of the history, where it must be.

        Runs before every request: where the provider counts, it looks no further back than its last count.
        """
        known, nodes = self._known(session), session.surface
        if known.generation != session.replace_generation:
            known.generation = session.replace_generation
            known.replaced = max((node.seq for node in nodes if _replaces(node)), default=-1)
        since = 0
        for node in reversed(nodes):
            usage = usage_of(node.data.get("usage")) if node.type == "assistant/message" else None
            if usage is not None:
                if node.seq < known.replaced:
                    break
                return prompt_tokens(usage) + usage["outputTokens"] + since
            since += _weight(known.weights, node)
        return head() + sum(self.weigh(session))

    def _known(self, session: Session) -> _Known:
        return self._sessions.setdefault(session, _Known())


def _weight(known: dict[int, int], node: Event) -> int:
    weight = known.get(node.seq)
    if weight is None:
        message = project(node)
        weight = known[node.seq] = 0 if message is None else message_tokens(message)
    return weight


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
