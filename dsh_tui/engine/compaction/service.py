"""The service: compacts a session by hand or by itself, and logs how that went.

``compact/start`` is a lock and ``compact/end`` its release, last of all. What makes the surface shorter is
appended in one moment: long results are pruned, then the summary and the checkpoint that takes its place.
Whatever stops it before one of them, a failure, a cancel or a crash, leaves the surface as it was before
that. Source: core spec §10, §8.5.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.base.cancel import Cancelled, CancelSignal
from dsh_tui.engine.base.errors import error_chain
from dsh_tui.engine.base.ids import new_id
from dsh_tui.engine.compaction.checkpoint import PLUGIN, SOURCE, checkpoint_content
from dsh_tui.engine.compaction.errors import (
    CompactionError,
    HistoryTooLongError,
    NothingToCompactError,
    SummaryError,
)
from dsh_tui.engine.compaction.plan import Plan, narrower_plan, plan_compaction
from dsh_tui.engine.compaction.prune import Pruning, find_pruning, prune
from dsh_tui.engine.compaction.summary import Asking, summary_request
from dsh_tui.engine.compaction.weight import Scale, header_tokens, message_tokens
from dsh_tui.engine.kernel import ServiceKey
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.chunks import Failure
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SessionStore
from dsh_tui.engine.spill.store import SpillStore

Trigger = Literal["manual", "auto", "overflow"]
Change = Literal["nothing", "some", "all"]
"""What was done of what can be; after ``some``, a summary is left to try."""

ROOM: Final = 0.1
"""The share of the limit that shortening must leave free to be enough: it costs the cache behind it, and
what makes little room would soon be done again."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Shares of the routed model's window: from when to compact unasked, and how much to keep."""

    auto: bool = True
    threshold: float = 0.8
    retain: float = 0.16


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Why a session is compacted. Token counts are estimates."""

    trigger: Trigger
    keep: str = ""
    """What the summary must not lose."""
    used: int
    window: int | None
    limit: float | None
    """Tokens beyond which the window counts as nearly full; None if its size is not known."""
    last_resort: bool = False
    """Only shorten what is long, of the turn that runs too: nothing else helped."""

    def over(self, saved: int = 0, room: float = 0) -> bool:
        """Whether it is nearly full, with so much less in it and this share of the limit left free."""
        return self.limit is not None and self.used - saved > self.limit * (1 - room)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Course:
    """One compaction under way."""

    session: Session
    need: Need
    opened: int
    """Seq of its ``compact/start``."""
    mark: dict[str, str]
    """What all of its events say of it."""
    signal: CancelSignal


class Compaction:
    """Published under `COMPACTION`."""

    def __init__(
        self, asking: Asking, sessions: SessionStore, limits: Limits, spill: Callable[[], SpillStore | None]
    ) -> None:
        self._asking, self._sessions, self._limits, self._spill = asking, sessions, limits, spill
        self._scale = Scale()

    def plan(self, agent: Agent) -> tuple[Plan, Pruning | None]:
        """What a compaction by hand would do now: what is summarised, and what is shortened before.

        Raises:
            NothingToCompactError: says why it would do nothing.
        """
        return self._plan(agent.session, self.need(agent, "manual"))

    def compact(self, agent: Agent, keep: str = "") -> None:
        """Begin one by hand; what is sent meanwhile waits. ``keep``: what the summary must not lose.

        Raises:
            AgentBusyError: something runs or waits.
        """
        agent.occupy(lambda signal: self._alone(agent, keep, signal))

    def need(
        self, agent: Agent, trigger: Trigger, head: Callable[[], int] | None = None, keep: str = ""
    ) -> Need:
        """How full the window is. ``head`` estimates what stands in front of the history, if not the same."""
        session, header = agent.session, agent.session.request_header
        used = self._scale.used(session, head or (lambda: header_tokens(header) if header else 0))
        wanted = agent.options
        window = self._asking.llm.context_window(wanted.provider or "", wanted.model or "")
        if trigger == "overflow":  # whatever is said of the window: this was too much for it
            window = min(window or used, used)
        limit = None if window is None else self._limits.threshold * window
        return Need(trigger=trigger, keep=keep, used=used, window=window, limit=limit)

    def has_last_resort(self, agent: Agent) -> bool:
        """Whether there is a long result anywhere that could be shortened."""
        return find_pruning(agent.session, None, self._scale) is not None

    async def run(self, agent: Agent, need: Need, signal: CancelSignal) -> Change:
        """Compact in the open turn. Never raises for what goes wrong: the log says it."""
        session, mark = agent.session, {"compactionId": new_id("compact")}
        before = session.replace_generation
        keep = {"keep": need.keep} if need.keep else {}
        start = session.append("compact/start", {**mark, "trigger": need.trigger, **keep})
        ending: dict[str, Any] = {"outcome": "cancelled"}  # Any: JSON; stands if the task itself is killed
        change: Change = "nothing"
        try:
            change = await self._shrink(
                _Course(session=session, need=need, opened=start.seq, mark=mark, signal=signal)
            )
            ending = {"outcome": "done"}
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
            session.append("compact/end", {**mark, **ending})
        return "some" if change == "nothing" and session.replace_generation > before else change

    async def _alone(self, agent: Agent, keep: str, signal: CancelSignal) -> None:
        """In a turn of its own, because every event sits inside one."""
        session = agent.session
        turn = session.last_turn + 1
        session.append("turn/start", {"turn": turn, "trigger": {"kind": PLUGIN, "source": SOURCE}})
        try:
            await self.run(agent, self.need(agent, "manual", keep=keep), signal)
        finally:
            session.append("turn/end", {"turn": turn, "reason": _reason(agent, signal)})
        await self._sessions.flush(session)

    def _plan(self, session: Session, need: Need) -> tuple[Plan, Pruning | None]:
        plan = plan_compaction(session, self._scale, self._limits.retain, need.window)
        if not need.over():  # a summary costs less where nothing before it was touched, and knows more
            return plan, None
        return plan, find_pruning(session, plan, self._scale)

    async def _shrink(self, course: _Course) -> Change:
        session, need = course.session, course.need
        if need.last_resort:
            return await self._shorten_all(course)
        plan, pruning = self._plan(session, need)
        if pruning is not None:
            await prune(session, pruning, course.mark, self._spill())
            course.signal.check()
            room = ROOM if need.trigger == "auto" else 0
            if need.trigger != "manual" and not need.over(pruning.saved, room):
                return "some"
            plan = plan.renewed(session, self._scale)
        while True:
            try:
                await self._summarise(course, plan)
            except HistoryTooLongError:
                narrower = narrower_plan(session, self._scale, plan)
                if narrower is None:
                    raise
                plan = narrower
            else:
                return "all"

    async def _shorten_all(self, course: _Course) -> Change:
        pruning = find_pruning(course.session, None, self._scale)
        if pruning is None:
            raise NothingToCompactError("No result is long enough to be shortened.")
        await prune(course.session, pruning, course.mark, self._spill())
        return "some"

    async def _summarise(self, course: _Course, plan: Plan) -> None:
        session, need, signal = course.session, course.need, course.signal

        def waits(failure: Failure, attempt: int, delay: int) -> None:
            limit = self._asking.policy.retries
            most = {} if limit is None else {"maxRetries": limit}
            told = {**course.mark, "retry": attempt, **most, "delayMs": delay, "failure": failure}
            session.append("compact/retry", told)

        request = summary_request(session, plan, need.keep, self._limits.retain, need.window, signal)
        summary = await self._asking.summary(request, waits)
        signal.check()
        content = checkpoint_content(summary, plan.prompt)
        message: Message = {"id": new_id("msg"), "role": "user", "content": content, "source": SOURCE}
        after = message_tokens(message)
        if after >= plan.tokens:
            raise SummaryError(
                f"the summary is no shorter (~{after} tokens) than what it stands for (~{plan.tokens})"
            )
        if not plan.holds(session):
            raise SummaryError("the history was changed by something else meanwhile")
        told = session.append(
            "compact/summary",
            {**course.mark, "summary": (text_block(summary),), "messages": len(plan.messages),
             "tokensBefore": plan.tokens, "tokensAfter": after},
        )  # fmt: skip
        session.append(
            "context/message",
            {"id": message["id"], "content": content, "source": SOURCE},
            surface={"op": "replace", "start": 0, "end": len(plan.seqs) - 1},
            sources=(course.opened, told.seq, *plan.seqs),
        )


def _reason(agent: Agent, signal: CancelSignal) -> dict[str, Any]:  # Any: JSON of turn/end
    if agent.status == "disposed":
        return {"kind": "disposed"}
    if signal.cancelled:
        reason: dict[str, Any] = {"kind": "aborted", "reason": signal.reason}  # Any: JSON
        return reason if signal.cause is None else {**reason, "cause": signal.cause}
    return {"kind": "completed"}


COMPACTION: ServiceKey[Compaction] = ServiceKey("compaction")
