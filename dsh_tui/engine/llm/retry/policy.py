"""Retry policy: whether a failure is worth another try, and after how long. Pure.

Source: capabilities A4.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from dsh_tui.engine.llm.chunks import Failure

RETRYABLE = frozenset({"RATE_LIMIT", "SERVER", "TRANSPORT", "TIMEOUT", "EMPTY_RESPONSE", "STREAM_CLOSED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Times in milliseconds. ``retries=None`` never gives up."""

    retries: int | None = 5
    first_ms: int = 500
    cap_ms: int = 10_000
    jitter: float = 0.1
    """Share of the backoff by which it varies, so that many clients don't come back at once."""
    provider_cap_ms: int = 60_000
    """The longest wait that a provider may ask for; beyond it the failure stands."""
    codes: frozenset[str] = RETRYABLE
    random: Callable[[], float] = random.random

    def delay_ms(self, failure: Failure, attempt: int) -> int | None:
        """How long to wait after the ``attempt``-th failure of a request; None: give up."""
        if failure["code"] not in self.codes or (self.retries is not None and attempt > self.retries):
            return None
        asked = failure.get("providerRetryAfterMs")
        if asked is not None:
            return asked if asked <= self.provider_cap_ms else None
        backoff = min(self.first_ms * 2.0 ** min(attempt - 1, 30), self.cap_ms)
        return round(backoff * (1 + self.jitter * (2 * self.random() - 1)))
