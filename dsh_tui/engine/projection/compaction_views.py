"""Views of compactions: what one did at its place, and what one would do.

Source: core spec §10; ux spec §3.3 (forecast).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionView:
    """The place where a summary took over from the early history, or was to. Counts are estimates."""

    seq: int
    auto: bool
    keep: str = ""
    """What a person wanted to be kept above all."""
    state: Literal["running", "done", "refused", "failed", "cancelled", "cut"] = "running"
    messages: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    summary: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionForecast:
    """What a compaction would do, about, and what the request after it sends uncached."""

    messages: int
    tokens: int
    kept_messages: int
    kept_tokens: int
    uncached: int
