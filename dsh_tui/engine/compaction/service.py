"""The service: compacts a session by hand or by itself, and logs how that went.

``compact/start`` is a lock and ``compact/end`` its release, last of all. The summary and the checkpoint
that takes its place on the surface are appended in one moment: whatever stops it before, a failure, a
cancel or a crash, leaves the surface as it was. Source: core spec §10, §8.5.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakKeyDictionary

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.events import PreStep
from dsh_tui.engine.base.cancel import Cancelled, CancelSignal
from dsh_tui.engine.base.errors import error_chain
from dsh_tui.engine.base.ids import new_id
from dsh_tui.engine.compaction.checkpoint import PLUGIN, SOURCE, checkpoint_content
from dsh_tui.engine.compaction.errors import CompactionError, NothingToCompactError, SummaryError
from dsh_tui.engine.compaction.plan import Plan, plan_compaction
from dsh_tui.engine.compaction.summary import Asking, summary_request
from dsh_tui.engine.compaction.weight import counted_tokens, head_tokens, message_tokens
from dsh_tui.engine.kernel import ServiceKey
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SessionStore

Trigger = Literal["manual", "auto"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Shares of the routed model's window: from when to compact unasked, and how much to keep."""

    auto: bool = True
    threshold: float = 0.8
    retain: float = 0.16


class Compaction:
    """Published under `COMPACTION`."""

    def __init__(self, asking: Asking, sessions: SessionStore, limits: Limits) -> None:
        self._asking, self._sessions, self._limits = asking, sessions, limits
        self._gave_up: WeakKeyDictionary[Session, int] = WeakKeyDictionary()

    def plan(self, agent: Agent) -> Plan:
        """What a compaction by hand would do now.

        Raises:
            NothingToCompactError: says why it would do nothing.
        """
        return plan_compaction(agent.session, self._limits.retain, self._window(agent))

    def compact(self, agent: Agent, keep: str = "") -> None:
        """Begin one by hand; what is sent meanwhile waits. ``keep``: what the summary must not lose.

        Raises:
            AgentBusyError: something runs or waits.
        """
        agent.occupy(lambda signal: self._alone(agent, keep, signal))

    async def before_step(self, agent: Agent, upcoming: PreStep) -> None:
        """Compact first if the request that is about to be made would nearly fill the window."""
        session, window = agent.session, self._window(agent)
        if not self._limits.auto or window is None or self._gave_up.get(session) == upcoming.turn:
            return
        counted = counted_tokens(session)
        if counted is None:
            head = head_tokens(upcoming.system, upcoming.tools, upcoming.prefix)
            counted = head + sum(message_tokens(session.derive()))
        if counted <= self._limits.threshold * window or session.request_header is None:
            return
        if not await self._run(agent, "auto", "", upcoming.signal):
            self._gave_up[session] = upcoming.turn  # said once; the turn goes on as it is

    async def _alone(self, agent: Agent, keep: str, signal: CancelSignal) -> None:
        """In a turn of its own, because every event sits inside one."""
        session = agent.session
        turn = session.last_turn + 1
        session.append("turn/start", {"turn": turn, "trigger": {"kind": PLUGIN, "source": SOURCE}})
        try:
            await self._run(agent, "manual", keep, signal)
        finally:
            session.append("turn/end", {"turn": turn, "reason": _reason(agent, signal)})
        await self._sessions.flush(session)

    async def _run(self, agent: Agent, trigger: Trigger, keep: str, signal: CancelSignal) -> bool:
        """Whether the surface is shorter now. Never raises for what goes wrong: the log says it."""
        session, compaction = agent.session, {"compactionId": new_id("compact")}
        session.append(
            "compact/start", {**compaction, "trigger": trigger, **({"keep": keep} if keep else {})}
        )
        ending: dict[str, Any] = {"outcome": "cancelled"}  # Any: JSON; stands if the task itself is killed
        try:
            ending = await self._replace(agent, compaction, keep, signal)
        except Cancelled:
            pass
        except NothingToCompactError as error:
            ending = {"outcome": "refused", "error": error.message}
        except CompactionError as error:
            ending = {"outcome": "failed", "error": error.message}
        except Exception as error:  # noqa: BLE001  # a turn must not fail for want of a summary
            _log.exception("%s: compaction failed", session.id)
            ending = {"outcome": "failed", "error": error_chain(error)}
        finally:
            session.append("compact/end", {**compaction, **ending})
        return bool(ending["outcome"] == "done")

    async def _replace(
        self, agent: Agent, compaction: dict[str, str], keep: str, signal: CancelSignal
    ) -> dict[str, Any]:  # Any: JSON of compact/end
        session, window, retain = agent.session, self._window(agent), self._limits.retain
        opened = len(session.events) - 1
        plan = plan_compaction(session, retain, window)
        request = summary_request(session, plan, keep, retain, window, signal)
        summary = await self._asking.summary(request)
        signal.check()
        content = checkpoint_content(summary, plan.prompt)
        message: Message = {"id": new_id("msg"), "role": "user", "content": content, "source": SOURCE}
        (after,) = message_tokens([message])
        if after >= plan.tokens:
            raise SummaryError(
                f"the summary is no shorter (~{after} tokens) than what it stands for (~{plan.tokens})"
            )
        if not plan.holds(session):
            raise SummaryError("the history was changed by something else meanwhile")
        told = session.append(
            "compact/summary",
            {**compaction, "summary": (text_block(summary),), "messages": len(plan.messages),
             "tokensBefore": plan.tokens, "tokensAfter": after},
        )  # fmt: skip
        session.append(
            "context/message",
            {"id": message["id"], "content": content, "source": SOURCE},
            surface={"op": "replace", "start": 0, "end": len(plan.seqs) - 1},
            sources=(opened, told.seq, *plan.seqs),
        )
        return {"outcome": "done"}

    def _window(self, agent: Agent) -> int | None:
        wanted = agent.options
        return self._asking.llm.context_window(wanted.provider or "", wanted.model or "")


def _reason(agent: Agent, signal: CancelSignal) -> dict[str, Any]:  # Any: JSON of turn/end
    if agent.status == "disposed":
        return {"kind": "disposed"}
    if signal.cancelled:
        reason: dict[str, Any] = {"kind": "aborted", "reason": signal.reason}  # Any: JSON
        return reason if signal.cause is None else {**reason, "cause": signal.cause}
    return {"kind": "completed"}


COMPACTION: ServiceKey[Compaction] = ServiceKey("compaction")
