"""The request log: what the log must know so that every request can be rebuilt from it.

A request is a pure function of the log: the folded header in front of the history derived at
``step/start``. So before a request leaves, the header it uses is logged: a whole one for the first
request of a loop instance (an anchor, even if equal), nothing if equal to the log's, a delta if that
round-trips, else a whole one again. The session prefix is composed once and never changes after.
Beside it stands who wrote its parts, which no request depends on.

Source: core spec §8.3.2, §8.3.6; ux spec §3.1.
"""

from __future__ import annotations

from typing import Any, Literal

from dsh_tui.engine.agent.dispatch import AgentDispatch
from dsh_tui.engine.agent.events import AGENT_SESSION_PREFIX
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.config import CallConfig
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.session.request_header import RequestHeader, canonical_header, make_delta, same_header
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.system_prompt.assembly import Assembly
from dsh_tui.engine.system_prompt.origins import Origins

Anchor = Literal["initial", "resume"]


class RequestLog:
    """The headers one loop instance has put into the log."""

    def __init__(self, session: Session, anchor: Anchor) -> None:
        self._session = session
        self._anchor = anchor
        self._context: dict[str, Any] | None = None  # Any: JSON of request/context
        self._origins: Origins | None = None
        self._prefix: tuple[Message, ...] | None = None
        self._anchored = False

    async def prefix(self, events: AgentDispatch, signal: CancelSignal) -> tuple[Message, ...]:
        """The messages in front of every request, composed by the first step that gets so far.

        Raises:
            Cancelled: the composition was interrupted, and is thrown away.
        """
        if self._prefix is None:
            empty: tuple[Message, ...] = ()
            composed = await events.decide(AGENT_SESSION_PREFIX, empty, empty, signal)
            signal.check()
            self._prefix = freeze(tuple(composed))
        return self._prefix

    def record(self, config: CallConfig, assembly: Assembly, context_window: int | None) -> None:
        """Log what the request about to leave needs."""
        parts = {
            "system": assembly.system,
            "tools": assembly.tools,
            "config": config,
            "messagePrefix": self._prefix,
        }
        self._record_header(canonical_header(parts))
        if assembly.origins != self._origins:
            self._origins = assembly.origins
            self._session.append("request/origins", self._origins.data())
        context: dict[str, Any] = {"provider": config["provider"], "model": config["model"]}  # Any: JSON
        if context_window is not None:
            context["contextWindow"] = context_window
        if context != self._context:
            self._context = context
            self._session.append("request/context", context)

    def _record_header(self, header: RequestHeader) -> None:
        known = self._session.request_header
        if not self._anchored:
            self._anchored = True
            self._append(header, self._anchor)
        elif known is None:
            self._append(header, "fallback")
        elif not same_header(known, header):
            delta = make_delta(known, header)
            if delta is None:
                self._append(header, "fallback")
            else:
                self._session.append("request/header-delta", delta)

    def _append(self, header: RequestHeader, reason: str) -> None:
        self._session.append("request/header", {"header": header, "reason": reason})
