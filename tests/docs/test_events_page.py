"""docs/events.md says what the source says."""

from __future__ import annotations

from docs import generate_events
from dsh_tui.engine.session.core_types import CORE_TAGS
from dsh_tui.engine.session.registry import EVENT_TYPES


def test_the_page_of_events_is_up_to_date() -> None:
    said = generate_events.PAGE.read_text(encoding="utf-8")
    assert said == generate_events.page(), "run: python docs/generate_events.py"


def test_every_type_of_the_log_says_what_it_means() -> None:
    silent = [tag for tag in CORE_TAGS if not (kind := EVENT_TYPES.get(tag)) or not kind.about]
    assert silent == []
