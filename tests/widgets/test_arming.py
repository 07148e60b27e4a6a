from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.widgets.arming import ARM_QUIET, FOCUS_QUIET, Arming
from tests.fakes.fake_chat import Hands


def test_it_arms_after_quiet_since_it_took_the_focus_and_not_before() -> None:
    hands = Hands()
    arming = Arming(hands)
    hands.pass_(10)
    assert not arming.armed
    arming.began()
    hands.pass_(ARM_QUIET - 0.001)
    assert not arming.armed
    hands.pass_(0.002)
    assert arming.armed


def test_a_key_before_arming_starts_the_wait_again_and_one_after_does_not() -> None:
    hands = Hands()
    arming = Arming(hands)
    arming.began()
    hands.pass_(0.4)
    arming.key()
    hands.pass_(0.4)
    assert not arming.armed
    hands.pass_(0.1)
    assert arming.armed
    arming.key()
    assert arming.armed


def test_a_disturbance_disarms_it_and_without_the_focus_it_never_arms() -> None:
    hands = Hands()
    arming = Arming(hands)
    arming.began()
    hands.pass_(1)
    arming.disturbed()
    assert not arming.armed
    arming.ended()
    hands.pass_(60)
    assert not arming.armed
    assert not arming.reviewing


def test_it_may_take_the_focus_only_after_quiet() -> None:
    hands = Hands()
    arming = Arming(hands)
    arming.key()
    hands.pass_(0.5)
    assert arming.until_focus() > 0
    hands.pass_(FOCUS_QUIET - 0.5 + 0.001)
    assert arming.until_focus() == 0


@given(
    st.lists(st.tuples(st.sampled_from(["key", "began", "ended", "disturbed"]), st.floats(0, 1)), max_size=40)
)
def test_it_is_never_armed_without_425_ms_of_quiet_in_the_focus(steps: list[tuple[str, float]]) -> None:
    hands = Hands()
    arming = Arming(hands)
    quiet: float | None = None
    for name, wait in steps:
        was_armed = arming.armed
        getattr(arming, name)()
        match name:
            case "began":
                quiet = 0.0
            case "ended":
                quiet = None
            case "disturbed" if quiet is not None:
                quiet = 0.0
            case "key" if quiet is not None and not was_armed:
                quiet = 0.0
        hands.pass_(wait)
        quiet = None if quiet is None else quiet + wait
        if arming.armed:
            assert quiet is not None
            assert quiet >= ARM_QUIET - 1e-6
