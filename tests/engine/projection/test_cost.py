"""A cost as people read it."""

from __future__ import annotations

import pytest

from dsh_tui.engine.projection.cost import CostView, money


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.00421, "$0.0042"),
        (0.1234, "$0.123"),
        (1.234, "$1.23"),
        (1234.5, "$1,234.50"),
    ],
)
def test_a_sum_has_the_digits_that_matter(amount: float, shown: str) -> None:
    assert money("USD", amount) == shown


def test_other_currencies_have_their_sign_or_their_name() -> None:
    assert (money("CNY", 2.5), money("CHF", 2.5)) == ("¥2.50", "CHF 2.50")


def test_it_says_that_it_is_an_estimate_and_when_something_is_missing() -> None:
    assert CostView().words == ""
    assert CostView(unpriced=("a/b",)).words == ""
    assert CostView((("USD", 1.0),)).words == "≈$1.00"
    assert CostView((("USD", 0.00001),)).words == "<$0.0001"
    assert CostView((("USD", 1.0), ("CNY", 2.0)), ("a/b",)).words == "≥$1.00 + ¥2.00"
    assert CostView((("USD", 0.00001),), ("a/b",)).words == "≥$0.00"
    assert CostView((("USD", 0.00001), ("CNY", 2.0))).words == "≈$0.00 + ¥2.00"


def test_currencies_are_summed_each_for_itself() -> None:
    one = CostView((("USD", 1.0),), ("a/b",))
    assert one.plus(CostView((("CNY", 2.0), ("USD", 0.5)), ("a/b", "a/c"))) == CostView(
        (("USD", 1.5), ("CNY", 2.0)), ("a/b", "a/c")
    )
