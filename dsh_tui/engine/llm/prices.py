"""What tokens cost: a price for a model at a time, and the cost of what a request took.

Providers bill; this only estimates, from counts that they gave and prices that somebody published or
put into the settings. A request without a known price has no cost, which is not the same as no charge.
Source: ux spec §1b (tokens, cost, cache); design §5 (status bar).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from dsh_tui.engine.llm.usage import Usage

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a million tokens cost, in units of ``currency`` (ISO 4217)."""

    currency: str
    input: float
    """Read anew, or written to the cache."""
    cached: float
    """Read from the cache."""
    output: float

    def of(self, usage: Usage) -> float:
        """The cost of one request."""
        anew = usage["inputTokens"] + usage.get("cacheWriteTokens", 0)
        cached = usage.get("cacheReadTokens", 0)
        return (anew * self.input + cached * self.cached + usage["outputTokens"] * self.output) / MILLION


PriceOf: TypeAlias = Callable[[str, str, int], Price | None]
"""``(provider, model, epoch ms)`` to the price of a request made then; None where nobody knows one."""


def no_price(_provider: str, _model: str, _at_ms: int) -> None:
    """A `PriceOf` that knows none."""
