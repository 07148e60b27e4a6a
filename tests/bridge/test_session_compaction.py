"""What the app says of a compaction before it is done."""

from __future__ import annotations

import pytest

from dsh_tui.bridge.session_compaction import SessionCompaction
from dsh_tui.engine.compaction import plugin as compaction_plugin
from dsh_tui.engine.compaction.errors import CompactionError
from dsh_tui.engine.compaction.service import Limits
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.prices import Price
from tests.fakes.fake_clock import FakeClock
from tests.fakes.loop_app import LoopApp, ask
from tests.fakes.scripted_provider import text


async def test_the_forecast_says_what_the_next_request_costs_at_the_price_of_the_chosen_model(
    root: Context,
) -> None:
    app = LoopApp(root, FakeClock())
    await app.start()
    await root.plugin(compaction_plugin, compaction_plugin.Config(limits=Limits(auto=False)))
    agent = app.create("s1").agent
    app.provider.will_say(text("All that was found out so far. " * 60), text("Second."), text("Third."))
    await ask(agent, "first", "second", "third")

    def price_of(provider: str, model: str, at_ms: int) -> Price:
        assert (provider, model) == (agent.options.provider, agent.options.model)
        assert at_ms > 0
        return Price(currency="USD", input=1_000_000, cached=0, output=0)

    forecast = SessionCompaction(root, lambda: agent, price_of).forecast()
    assert forecast.cost.amounts == (("USD", float(forecast.uncached)),)
    assert SessionCompaction(root, lambda: agent).forecast().cost.words == ""


def test_a_session_that_is_only_read_has_nothing_to_summarise(root: Context) -> None:
    with pytest.raises(CompactionError, match="only read"):
        SessionCompaction(root, lambda: None).forecast()
