"""What requests took: tokens and their cost, for the turn and for the session, folded.

A request counts when the provider has counted it: with its message, with the attempt that failed after
the count came, or beside the conversation (titles, summaries). Attempts that were cut before that cost
what the provider says, which no log knows. Source: ux spec §1b, §3.13; capabilities A3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dsh_tui.engine.llm.prices import PriceOf
from dsh_tui.engine.llm.usage import Usage, prompt_tokens, usage_of
from dsh_tui.engine.projection.cost import NO_COST, CostView
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.request_header import config_of


@dataclass(frozen=True, slots=True)
class Spent:
    """A sum over requests."""

    sent: int = 0
    received: int = 0
    cached: int = 0
    cost: CostView = NO_COST

    def plus(self, usage: Usage, cost: CostView) -> Spent:
        """With one request more."""
        return Spent(
            self.sent + prompt_tokens(usage),
            self.received + usage["outputTokens"],
            self.cached + usage.get("cacheReadTokens", 0),
            self.cost.plus(cost),
        )

    @property
    def cache_percent(self) -> int | None:
        """Share of what was sent that the provider had cached; None if nothing was counted."""
        return round(100 * self.cached / self.sent) if self.sent else None


class SpendingFold:
    """``turn`` begins anew with each turn; ``session`` is all of it."""

    __slots__ = ("_counted", "_model", "_provider", "price_of", "routes", "session", "turn")

    def __init__(self, price_of: PriceOf) -> None:
        self.price_of = price_of
        self.turn, self.session = Spent(), Spent()
        self._provider = self._model = ""
        self._counted: Usage | None = None  # of a request whose message is not there yet
        self.routes: dict[str, Callable[[Event], None]] = {
            "request/header": self._configure,
            "request/header-delta": self._configure,
            "request/usage": self._beside,
            "assistant/chunk": self._chunk,
            "assistant/message": self._message,
            "llm/retry": self._without_message,
            "step/end": self._without_message,
            "turn/start": self._turn_start,
        }

    def _configure(self, event: Event) -> None:
        config = config_of(event)
        self._provider = str(config.get("provider", self._provider))
        self._model = str(config.get("model", self._model))

    def _chunk(self, event: Event) -> None:
        chunk = event.data["chunk"]
        if chunk["type"] == "usage":
            self._counted = usage_of(chunk.get("usage"))

    def _message(self, event: Event) -> None:
        usage = usage_of(event.data.get("usage")) or self._counted
        if usage is not None:
            self._add(usage, self._provider, self._model, event.time)
        self._counted = None

    def _without_message(self, event: Event) -> None:
        if self._counted is not None:
            self._add(self._counted, self._provider, self._model, event.time)
            self._counted = None

    def _beside(self, event: Event) -> None:
        data, usage = event.data, usage_of(event.data["usage"])
        if usage is not None:
            self._add(usage, data["provider"], data["model"], event.time)

    def _turn_start(self, _event: Event) -> None:
        self.turn = Spent()

    def _add(self, usage: Usage, provider: str, model: str, at_ms: int) -> None:
        cost = request_cost(usage, provider, model, at_ms, self.price_of)
        self.turn = self.turn.plus(usage, cost)
        self.session = self.session.plus(usage, cost)


def uncached_cost(tokens: int, provider: str, model: str, at_ms: int, price_of: PriceOf) -> CostView:
    """What it costs to have so many tokens read anew."""
    usage: Usage = {"inputTokens": tokens, "outputTokens": 0}
    return request_cost(usage, provider, model, at_ms, price_of)


def request_cost(usage: Usage, provider: str, model: str, at_ms: int, price_of: PriceOf) -> CostView:
    """What one request cost, at the price of its time."""
    price = price_of(provider, model, at_ms)
    if price is None:
        return CostView(unpriced=(f"{provider}/{model}",))
    return CostView(((price.currency, price.of(usage)),))
