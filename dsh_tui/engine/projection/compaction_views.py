"""Views of compactions: what one did at its place, and what one would do. Token counts are estimates.

Source: core spec §10; ux spec §3.3 (forecast).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dsh_tui.engine.projection.cost import NO_COST, CostView


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionView:
    """The place where a summary took over from the early history, or was to."""

    seq: int
    trigger: Literal["manual", "auto", "overflow"]
    keep: str = ""
    """What a person wanted to be kept above all."""
    state: Literal["running", "done", "refused", "failed", "cancelled", "cut"] = "running"
    shortened: int = 0
    """Long results of old calls, before there was a summary."""
    shortened_before: int = 0
    shortened_after: int = 0
    retry: str = ""
    """Why there is no summary yet, and when it is asked for again."""
    messages: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    summary: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShorteningForecast:
    """What would be shortened first, and what the request for the summary then sends uncached."""

    results: int
    before: int
    after: int
    uncached: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionForecast:
    """What a compaction would do, and what the request after it sends uncached."""

    messages: int
    tokens: int
    kept_messages: int
    kept_tokens: int
    uncached: int
    cost: CostView = NO_COST
    """Of these uncached tokens."""
    shortened: ShorteningForecast | None = None
    """``tokens`` counts what it would shorten as it is now."""
