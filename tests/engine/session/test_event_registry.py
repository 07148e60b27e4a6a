from __future__ import annotations

import math
from typing import Any

import pytest

from dsh_tui.engine.base.frozen import FrozenDict
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.session.core_types import CORE_TAGS
from dsh_tui.engine.session.errors import InvalidEventError
from dsh_tui.engine.session.registry import EVENT_TYPES, EventType, register_event_type
from dsh_tui.engine.session.shapes import NAME, shape

USER = {"kind": "user"}


@pytest.mark.parametrize(
    ("tag", "data", "words"),
    [
        ("turn/start", {"turn": 1}, "trigger is missing"),
        ("turn/start", {"turn": True, "trigger": USER}, "turn must be a whole number"),
        ("turn/start", {"turn": 0, "trigger": USER}, "1 or more"),
        ("turn/end", {"turn": 1, "reason": {}}, "reason must be an object with a kind"),
        ("user/message", {"id": "", "content": [], "source": USER}, "id must be text that is not empty"),
        ("user/message", {"id": "m", "content": ["hi"], "source": USER}, "content must be a list of blocks"),
        (
            "tool/result",
            {"turn": 1, "step": 1, "id": "r", "callId": "c", "content": [], "isError": 0},
            "isError",
        ),
        ("todo/write", {"todos": [{"content": "x", "status": "later"}]}, "todos must be"),
        ("session/title", {"title": "x", "source": "guess"}, "one of fallback, model, user"),
        (
            "approval/decided",
            {"id": "a", "callId": "c", "outcome": "yes", "by": "user"},
            "outcome must be one of",
        ),
        ("request/header", {"header": {}, "reason": "initial"}, "config is missing"),
        ("request/header-delta", {}, "must change something"),
        ("request/header-delta", {"system": {"keepStart": 1}}, "system.keepEnd is missing"),
        ("no/such", {}, "is not registered"),
        ("todo/write", [], "data must be an object"),
        ("permission/mode", {"mode": "ask", "x": math.nan}, "permission/mode.x"),
        ("permission/mode", {"mode": "ask", 3: 1}, "not a string"),
        ("permission/mode", {"mode": "ask", "n": 2**60}, "rounded"),
    ],
)
def test_wrong_data_is_refused_with_what_is_wrong(tag: str, data: Any, words: str) -> None:
    with pytest.raises(InvalidEventError, match=words):
        EVENT_TYPES.check(tag, data)


def test_extra_keys_of_a_newer_writer_are_kept() -> None:
    kind, data = EVENT_TYPES.check("permission/mode", {"mode": "ask", "since": 3})
    assert not kind.surface
    assert data == {"mode": "ask", "since": 3}
    assert type(data) is FrozenDict


def test_no_core_type_is_ignorable_but_those_that_no_request_hangs_on() -> None:
    kinds = [kind for tag in CORE_TAGS if (kind := EVENT_TYPES.get(tag)) is not None]
    assert {kind.tag for kind in kinds if kind.ignorable} == {"request/origins", "request/usage"}
    assert len(kinds) == len(CORE_TAGS)


async def test_a_plugins_type_lives_as_long_as_the_plugin(root: Context) -> None:
    before = EVENT_TYPES.get("weather/seen")
    kind = EventType(tag="weather/seen", validate=shape({"sky": NAME}))

    def weather(ctx: Context, _config: object) -> None:
        register_event_type(ctx, kind)

    fiber = root.plugin(weather)
    await fiber
    assert EVENT_TYPES.get("weather/seen") is kind
    with pytest.raises(InvalidEventError, match="another meaning"):
        EVENT_TYPES.add(EventType(tag="weather/seen"))
    await fiber.dispose()
    assert before is EVENT_TYPES.get("weather/seen") is None


def test_a_type_added_twice_stays_until_both_are_gone() -> None:
    kind = EventType(tag="twice/seen")
    first, second = EVENT_TYPES.add(kind), EVENT_TYPES.add(kind)
    first()
    first()
    assert "twice/seen" in EVENT_TYPES
    second()
    assert "twice/seen" not in EVENT_TYPES
