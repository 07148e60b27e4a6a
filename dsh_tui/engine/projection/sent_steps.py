"""The steps of a log whose requests were sent: the header in force at each, and how long the history was.

One pass. Steps share one list of messages as long as the surface only grows, so that a log of many steps
costs no more than its messages. Source: core spec §8.3; ux spec §3.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.llm.prices import PriceOf, no_price
from dsh_tui.engine.llm.usage import usage_of
from dsh_tui.engine.projection.request_origins import ANCHORS, RequestOrigins
from dsh_tui.engine.projection.request_views import StepRow
from dsh_tui.engine.projection.spending import request_cost
from dsh_tui.engine.session.derive import project
from dsh_tui.engine.session.errors import RequestHeaderError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.pack import ChunkRun, Row
from dsh_tui.engine.session.request_header import RequestHeader, fold_header
from dsh_tui.engine.session.surface import Surface

MOST_ASKED = 200
"""Characters of a prompt that a heading can need."""
KEPT_SHARE = 0.9
CACHE_BLOCK = 128
"""Tokens that a provider may leave out of its cache without anything having changed."""

Said = tuple[int, Message]
"""A message and the seq of the event behind it."""


@dataclass(slots=True)
class SentStep:
    """A step as the log has it. ``history`` is shared by steps; this one saw its first ``count``."""

    row: StepRow
    history: list[Said]
    count: int
    header: RequestHeader | None
    origin: dict[str, int] = field(default_factory=dict)
    """Seq of the event that gave each part of the header its present form."""
    origins: RequestOrigins | None = None
    """Who wrote its parts; None where an older log does not say."""

    @property
    def has_system(self) -> bool:
        """Whether the first message of the body is the system prompt."""
        return self.header is not None and bool(self.header.get("system"))

    @property
    def said(self) -> list[Said]:
        """Prefix and history."""
        prefix = self.header.get("messagePrefix", ()) if self.header is not None else ()
        at = self.origin.get("messagePrefix", self.row.seq)
        return [*((at, message) for message in prefix), *self.history[: self.count]]


@dataclass(frozen=True, slots=True)
class SentSteps:
    """All of them in order; ``upcoming`` is the one that would be sent now, None before the first."""

    sent: list[SentStep]
    upcoming: SentStep | None


def read_steps(rows: Iterable[Row], price_of: PriceOf = no_price) -> SentSteps:
    """Read a log."""
    reading = _Reading(price_of)
    for row in rows:
        if not isinstance(row, ChunkRun):
            reading.read(row)
    return SentSteps(reading.finished(), reading.upcoming())


class _Reading:
    """One pass over a log."""

    def __init__(self, price_of: PriceOf) -> None:
        self._price_of = price_of
        self._steps: list[SentStep] = []
        self._open: SentStep | None = None
        self._surface = Surface()
        self._made: dict[int, Message | None] = {}
        self._history: list[Said] = []
        self._generation = 0
        self._header: RequestHeader | None = None
        self._origin: dict[str, int] = {}
        self._origins: RequestOrigins | None = None
        self._process = 0
        self._asked = ""

    def read(self, event: Event) -> None:
        match event.type:
            case "assistant/chunk":
                return
            case "turn/start":
                self._asked = ""
            case "step/start":
                self._begin(event)
            case "step/end":
                self._open = None
            case "llm/retry-started" if self._open is not None:
                self._open.row = replace(self._open.row, attempts=self._open.row.attempts + 1)
            case "request/header" | "request/header-delta":
                self._take_header(event)
            case "request/origins":
                self._origins = RequestOrigins(event.data, self._process)
                if self._open is not None:
                    self._open.origins = self._origins
            case "session/imported":  # what went out before, another program sent in another form
                self._steps.clear()
                self._open = None
            case _:
                self._commit(event)

    def finished(self) -> list[SentStep]:
        """The steps that were sent, with what the cache did."""
        sent = [step for step in self._steps if step.header is not None]
        before: StepRow | None = None
        for index, step in enumerate(sent):
            step.row = replace(step.row, index=index, dropped=_dropped(before, step.row))
            before = step.row
        return sent

    def upcoming(self) -> SentStep | None:
        """The step that would come next, with the header of the last one."""
        if self._header is None or not self._steps:
            return None
        self._catch_up()
        step = replace(self._steps[-1], history=self._history, count=len(self._history))
        self._give_header(step)
        return step

    def _begin(self, event: Event) -> None:
        self._catch_up()
        data = event.data
        row = StepRow(
            index=0,
            turn=data["turn"],
            step=data["step"],
            seq=event.seq,
            time=event.time,
            attempts=1,
            model="",
            effort="",
            asked=self._asked,
        )
        step = SentStep(row, self._history, len(self._history), None)
        self._open = step
        self._steps.append(step)
        self._give_header(step)

    def _catch_up(self) -> None:
        """Make the history anew if a part of the surface was replaced."""
        if self._generation != self._surface.generation:
            self._generation = self._surface.generation
            made = ((node.seq, self._project(node)) for node in self._surface.nodes)
            self._history = [(seq, message) for seq, message in made if message is not None]

    def _commit(self, event: Event) -> None:
        if event.type == "user/message" and not self._asked:
            self._asked = " ".join(text_of(event.data["content"])[:MOST_ASKED].split())
        if event.type == "assistant/message" and self._open is not None:
            self._count(self._open, event)
        if event.surface_op is None:
            return
        self._surface.commit(event)
        if self._generation == self._surface.generation:
            message = self._project(event)
            if message is not None:
                self._history.append((event.seq, message))

    def _project(self, node: Event) -> Message | None:
        if node.seq not in self._made:
            self._made[node.seq] = project(node)
        return self._made[node.seq]

    def _take_header(self, event: Event) -> None:
        before = self._header
        try:
            self._header = after = fold_header(before, event)
        except RequestHeaderError:  # a damaged log: it is unknown until it is told whole again
            self._header = after = None
        self._process += event.data.get("reason") in ANCHORS
        for name in ("system", "tools", "config", "messagePrefix"):
            if before is None or after is None or before.get(name) != after.get(name):
                self._origin = {**self._origin, name: event.seq}
        if self._open is not None:
            self._give_header(self._open)

    def _give_header(self, step: SentStep) -> None:
        step.header, step.origin, step.origins = self._header, self._origin, self._origins
        if self._header is not None:
            config = self._header["config"]
            step.row = replace(
                step.row, model=config["model"], effort=str(config.get("reasoningEffort") or "")
            )

    def _count(self, step: SentStep, answer: Event) -> None:
        usage = usage_of(answer.data.get("usage"))
        if usage is None or step.header is None:
            return
        config = step.header["config"]
        step.row = replace(
            step.row,
            hit=usage.get("cacheReadTokens"),
            miss=usage["inputTokens"] + usage.get("cacheWriteTokens", 0),
            written=usage.get("cacheWriteTokens", 0),
            output=usage["outputTokens"],
            cost=request_cost(usage, config["provider"], config["model"], answer.time, self._price_of),
        )


def _dropped(before: StepRow | None, row: StepRow) -> bool:
    if before is None or row.hit is None or before.miss is None:
        return False
    known = (before.hit or 0) + before.miss
    return row.hit < KEPT_SHARE * known - CACHE_BLOCK
