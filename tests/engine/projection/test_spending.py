"""What a session took: every request that was counted, once, at the price of its time and model."""

from __future__ import annotations

from typing import Any

import pytest

from dsh_tui.engine.llm.deepseek.wire import request_body
from dsh_tui.engine.llm.prices import Price
from dsh_tui.engine.projection.cost import CostView
from dsh_tui.engine.projection.moment_words import moment_words
from dsh_tui.engine.projection.requests import RequestBook
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.timeline import Timeline
from dsh_tui.engine.projection.views import TurnEndView
from dsh_tui.engine.session.event import Event

TOOK = {"inputTokens": 1_000_000, "outputTokens": 1_000_000, "cacheReadTokens": 2_000_000}
OF_ONE = 1.0 + 2 * 0.1 + 3.0


def price_of(provider: str, model: str, at_ms: int) -> Price | None:
    """Known for one model; twice as high from 10 s on."""
    factor = 2 if at_ms >= 10_000 else 1
    if (provider, model) != ("house", "small"):
        return None
    return Price(currency="USD", input=1.0 * factor, cached=0.1 * factor, output=3.0 * factor)


class Log:
    """Events with running numbers, at times that the test gives."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.now = 1_000

    def __call__(self, type_: str, **data: Any) -> None:
        self.events.append(Event(type_, len(self.events), self.now, data))

    def route(self, model: str = "small") -> None:
        self("request/header", header={"config": {"provider": "house", "model": model}}, reason="initial")

    def ask(self, turn: int = 1) -> None:
        self("turn/start", turn=turn, trigger={"kind": "message", "source": {"kind": "user"}})
        self("user/message", id="u", content=({"type": "text", "text": "go"},), source={"kind": "user"})
        self("step/start", turn=turn, step=1)

    def counted(self) -> None:
        self("assistant/chunk", turn=1, step=1, chunk={"type": "usage", "usage": TOOK})

    def message(self, **more: Any) -> None:
        content = ({"type": "text", "text": "done"},)
        self("assistant/message", turn=1, step=1, id="m", content=content, source={"kind": "model"}, **more)

    def end(self, turn: int = 1) -> None:
        self("step/end", turn=turn, step=1)
        self("turn/end", turn=turn, reason={"kind": "completed"})

    def fold(self) -> SessionFold:
        fold = SessionFold({}, price_of=price_of)
        fold.apply_all(self.events)
        return fold


def costs(fold: SessionFold) -> tuple[list[CostView], CostView]:
    """Of each turn, and of the session."""
    view = fold.view()
    return [block.cost for block in view.blocks if isinstance(block, TurnEndView)], view.status.cost


def usd(amount: float) -> CostView:
    return CostView((("USD", amount),))


def test_a_turn_and_its_session_cost_what_their_requests_cost() -> None:
    log = Log()
    log.route()
    for turn in (1, 2):
        log.ask(turn)
        log.message(usage=TOOK)
        log.end(turn)
    assert costs(log.fold()) == ([usd(OF_ONE), usd(OF_ONE)], usd(2 * OF_ONE))


def test_a_count_that_came_in_the_stream_and_with_the_message_counts_once() -> None:
    log = Log()
    log.route()
    log.ask()
    log.counted()
    log.message(usage=TOOK)
    log.end()
    assert costs(log.fold()) == ([usd(OF_ONE)], usd(OF_ONE))


def test_an_attempt_that_failed_after_it_was_counted_is_paid_too() -> None:
    log = Log()
    log.route()
    log.ask()
    log.counted()
    log("llm/retry", turn=1, step=1, retryId="r", retry=1, delayMs=0, failure={"message": "cut"})
    log.message(usage=TOOK)
    log.end()
    log.ask(2)
    log.counted()
    log.end(2)
    assert costs(log.fold()) == ([usd(2 * OF_ONE), usd(OF_ONE)], usd(3 * OF_ONE))


def test_each_request_has_the_price_of_its_time() -> None:
    log = Log()
    log.route()
    log.ask()
    log.message(usage=TOOK)
    log.now = 10_000
    log.message(usage=TOOK)
    log.end()
    assert costs(log.fold())[1] == usd(OF_ONE + 2 * OF_ONE)


def test_a_model_without_a_price_is_named_and_what_is_known_stands() -> None:
    log = Log()
    log.route()
    log.ask()
    log.message(usage=TOOK)
    log("request/header-delta", config={"provider": "house", "model": "large"})
    log.message(usage=TOOK)
    log.end()
    assert costs(log.fold())[0] == [CostView((("USD", OF_ONE),), ("house/large",))]


def test_requests_beside_the_conversation_cost_the_session_but_no_turn() -> None:
    log = Log()
    log.route()
    log.ask()
    log.message(usage=TOOK)
    log.end()
    log("turn/start", turn=2, trigger={"kind": "one-shot"})
    log("request/usage", purpose="session-title", provider="house", model="small", usage=TOOK)
    log("turn/end", turn=2, reason={"kind": "completed"})
    assert costs(log.fold()) == ([usd(OF_ONE)], usd(2 * OF_ONE))


@pytest.mark.parametrize(
    "given", [{}, {"inputTokens": 3}, {"inputTokens": "3", "outputTokens": None}, None, "x"]
)
def test_what_says_no_counts_is_not_counted_and_takes_nothing_away(given: object) -> None:
    log = Log()
    log.route()
    log.ask()
    log("assistant/chunk", turn=1, step=1, chunk={"type": "usage", "usage": given})
    log.message(usage=given)
    log("request/usage", purpose="session-title", provider="house", model="small", usage=given)
    log.end()
    fold = log.fold()
    assert costs(fold) == ([CostView()], CostView())
    assert (fold.view().status.context_used, fold.view().status.tokens_in) == (0, 0)
    row = RequestBook(log.events, request_body, price_of=price_of).rows[0]
    assert (row.hit, row.miss, row.cost) == (None, None, CostView())
    assert all(moment_words(event)[1] for event in log.events)


def test_a_point_of_the_timeline_has_cost_what_it_had_then() -> None:
    log = Log()
    log.route()
    for turn in range(1, 9):
        log.ask(turn)
        log.message(usage=TOOK)
        log.end(turn)
    timeline = Timeline({}, log.events, every=5, price_of=price_of)
    for seq in range(len(log.events)):
        fold = SessionFold({}, price_of=price_of)
        fold.apply_all(log.events[: seq + 1])
        assert timeline.at(seq).view.status.cost == fold.view().status.cost
