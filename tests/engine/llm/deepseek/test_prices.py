"""What DeepSeek asks for its tokens, by model, hour, weekday and bill."""

from __future__ import annotations

from datetime import datetime

import pytest

from dsh_tui.engine.llm.deepseek.adapter import MODELS
from dsh_tui.engine.llm.deepseek.prices import published_price


def at(beijing: str) -> int:
    return int(datetime.fromisoformat(f"{beijing}+08:00").timestamp() * 1000)


NIGHT = at("2026-11-30T03:00")


def output(model: str, beijing: str) -> float | None:
    price = published_price(model, at(beijing))
    return None if price is None else price.output


def test_every_model_that_we_name_has_a_price() -> None:
    assert all(published_price(model, NIGHT) is not None for model in MODELS)


@pytest.mark.parametrize(
    ("beijing", "peak"),
    [
        ("2026-11-30T08:59", False),
        ("2026-11-30T09:00", True),
        ("2026-11-30T11:59", True),
        ("2026-11-30T12:00", False),
        ("2026-11-30T14:00", True),
        ("2026-11-30T18:00", False),
        ("2026-11-28T10:00", False),  # a Saturday
        ("2026-08-22T10:00", True),  # one before weekends were quiet
    ],
)
def test_peak_hours_cost_twice_as_much(beijing: str, peak: bool) -> None:
    assert output("deepseek-v4-pro", beijing) == (3.96 if peak else 1.98)


def test_a_request_has_the_price_of_its_time() -> None:
    assert output("deepseek-flash", "2026-09-10T11:59") == 1.32
    assert output("deepseek-flash", "2026-09-10T12:00") == 0.60
    assert output("deepseek-flash", "2026-08-17T00:00") == 0.66
    assert output("deepseek-flash", "2026-08-16T23:59") is None


def test_a_bill_in_yuan_has_its_own_list() -> None:
    price = published_price("deepseek-flash", NIGHT, "CNY")
    assert price is not None
    assert (price.currency, price.input, price.cached, price.output) == ("CNY", 1.0, 0.02, 4.0)


def test_a_model_that_is_not_listed_has_no_price() -> None:
    assert published_price("deepseek-v9", NIGHT) is None
