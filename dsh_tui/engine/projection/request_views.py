"""Views of what the model was sent: a request in parts, with the event behind each and its size.

Frozen, free of JSON; made by `requests`, read by the request screen.
Source: ux spec §3.1, §3.2 (request inspector, cache audit).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from dsh_tui.engine.projection.cost import NO_COST, CostView

PartKind = Literal["settings", "system", "tool", "message"]
ChangeKind = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """One step in a list of steps, with what the provider counted for it."""

    index: int
    turn: int
    step: int
    seq: int
    """Of its ``step/start``."""
    time: int
    attempts: int
    model: str
    effort: str
    hit: int | None = None
    """Prompt tokens that the provider had cached; None where it counted nothing."""
    miss: int | None = None
    """The others, written to the cache or not."""
    written: int = 0
    """Those of them that the provider says it wrote there; not every one says."""
    output: int | None = None
    asked: str = ""
    """What the turn was asked, in one line; empty where nobody asked."""
    cost: CostView = NO_COST
    dropped: bool = False
    """Whether clearly fewer tokens were cached than the request before had made known."""

    @property
    def hit_percent(self) -> float | None:
        """Share of the prompt that came from the cache."""
        if self.hit is None or self.miss is None:
            return None
        return 100 * self.hit / max(1, self.hit + self.miss)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView:
    """A part of a request. ``seq`` is the event that put it there."""

    kind: PartKind
    key: str
    """The same in two requests if it is the same part."""
    label: str
    producer: str
    """Who wrote it, where the log says so; else empty."""
    seq: int
    text: str
    bytes: int
    """Of it in the body that was sent."""
    tokens: int
    """An estimate; only the provider counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartChange:
    """How a part differs from the step before; lines have ``' '``, ``'-'`` or ``'+'`` in front."""

    kind: ChangeKind
    part: PartView
    lines: tuple[str, ...]


SETTINGS: Final = "the settings"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixBreak:
    """Where a request stops being a continuation of the one before, and why."""

    byte: int
    """Offset in the body of the first byte that differs."""
    where: str
    seq: int
    event: str
    """Type of the event behind it."""
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """One request as it was built, whole."""

    row: StepRow
    parts: tuple[PartView, ...]
    body_bytes: int
    tokens: int
    """An estimate."""
    before: StepRow | None
    broken: PrefixBreak | None
    """None: all of the request before is a prefix of this one, or there is none before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastView:
    """What the next request sends uncached once something is changed, and what it sends as things are."""

    tokens: int
    """Both are estimates, and neither holds what is still being typed."""
    before: int
    why: str
    """Where the cached prefix ends; empty if it stays."""
    cost: CostView = NO_COST
    """Of these tokens, as things will be."""

    @property
    def words(self) -> str:
        """In one line."""
        if not self.why:
            return f"next request: ~{_about(self.tokens)} tokens uncached; the cached prefix stays"
        cost = f"{self.cost.words}, " if self.cost.words else ""
        tokens = f"~{_about(self.tokens)} tokens uncached ({cost}was ~{_about(self.before)})"
        return f"next request: {tokens}: {self.why}"


def _about(tokens: int) -> str:
    """Rounded to what an estimate can know."""
    return f"{round(tokens, -2 if tokens >= 1000 else -1):,}"


Verdict: TypeAlias = tuple[Literal["ok", "warning", "info"], str]


def verdict(view: RequestView) -> Verdict:
    """In one sentence, what became of the cached prefix."""
    if view.before is None:
        return "info", "The first request: there is nothing before it that could be cached."
    broken = view.broken
    if broken is not None and broken.where == SETTINGS and view.row.hit and not view.row.dropped:
        return (
            "info",
            f"Prefix kept: only {broken.where} changed, {broken.words} (event {broken.seq}, {broken.event}).",
        )
    if broken is not None:
        return (
            "warning",
            (
                f"The prefix breaks at byte {broken.byte:,} of {view.body_bytes:,}, in {broken.where}: "
                f"{broken.words} (event {broken.seq}, {broken.event})."
            ),
        )
    if view.row.dropped:
        pause = max(0, view.row.time - view.before.time) // 1000
        return (
            "warning",
            f"Prefix unchanged: provider side. Its cache lost it; {_ago(pause)} since the step before.",
        )
    return "ok", "Prefix kept: all of the request before stands at the start of this one."


def _ago(seconds: int) -> str:
    if seconds < 60:
        return f"{seconds} s" if seconds else "less than a second"
    return f"{seconds // 60} min" if seconds < 3600 else f"{seconds // 3600} h {seconds % 3600 // 60} min"
