"""Logs that were edited by hand: one field is gone or says something else, and no sum tells.

Whatever it is, the log is read, shown and rebuilt, without what makes no sense.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.llm.deepseek.prices import published_price
from dsh_tui.engine.llm.deepseek.wire import body_bytes, request_body
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.persistence.jsonl.format import encode_rows
from dsh_tui.engine.persistence.jsonl.reader import decode_log
from dsh_tui.engine.persistence.stored import LoadedSession, Revision
from dsh_tui.engine.projection.requests import RequestBook
from dsh_tui.engine.projection.timeline import Timeline
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.verify import verify_log
from tests.fakes.history_log import history

Row = dict[str, Any]  # Any: JSON of a line
OTHERS: tuple[Any, ...] = (None, -7, [1])  # Any: JSON; None takes the field away


def rows() -> list[Row]:
    """A log without sums."""
    log = history()
    out: list[Row] = [dict(new_header("s1", 1_000, {}))]
    for line in encode_rows(log.rows(0, len(log))).splitlines():
        row = json.loads(line)
        del row["sum"]
        out.append(row)
    return out


def read(lines: list[Row]) -> LoadedSession:
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    return decode_log(data, Path("s1/session.jsonl"), Revision(0, 0, len(data), 0, 0))


def look_at_all(loaded: LoadedSession) -> None:
    """What front ends do with a log that they read."""
    timeline = Timeline(
        loaded.header, loaded.events, price_of=lambda _, model, at: published_price(model, at)
    )
    timeline.at(timeline.length)
    book = RequestBook(loaded.events, request_body, "s1")
    for row in book.rows[:2]:
        book.view(row.index)
    try:
        rebuilt = rebuild_requests(loaded.events, one_shots=True)
    except HarnessError:  # one line: what of the log is missing
        rebuilt = []
    for request in rebuilt[:2]:
        body_bytes(request.as_request("s1"))
    verify_log(loaded.events)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # Any: JSON
    """Of everything in it that could be another thing; the first of each list stands for all."""
    inside = (
        value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    )
    for name, item in inside:
        yield (*path, name)
        if name != "parameters":
            yield from places(item, (*path, name))


def test_one_field_that_is_gone_or_another_thing_stops_nobody_from_reading_the_rest() -> None:
    lines = rows()
    seen: set[tuple[Any, ...]] = set()
    for at, line in enumerate(lines[1:], start=1):
        for path in places(line["data"]):
            kind = (line["type"], line["data"].get("chunk", {}).get("type"), *path)
            if kind in seen:
                continue
            seen.add(kind)
            for other in OTHERS:
                changed = deepcopy(line)
                inner = changed["data"]
                for name in path[:-1]:
                    inner = inner[name]
                if other is None:
                    del inner[path[-1]]
                else:
                    inner[path[-1]] = other
                look_at_all(read([*lines[:at], changed, *lines[at + 1 :]]))
    assert len(seen) > 100


def test_what_is_not_of_its_shape_is_named_as_damage_and_the_rest_is_there() -> None:
    lines = rows()
    at = next(at for at, line in enumerate(lines) if line.get("type") == "user/message")
    del lines[at]["data"]["content"]
    loaded = read(lines)
    assert loaded.status == "damaged"
    assert loaded.notices[0].text == f"line {at + 1} is damaged: user/message: content is missing"
    assert len(loaded.events) == len(history()) - 1


@pytest.mark.parametrize("time", [-1, 10**15, 10**18, 10**400], ids=["early", "µs", "ns", "huge"])
def test_a_time_of_no_clock_is_damage(time: int) -> None:
    lines = rows()
    lines[1]["time"] = time
    assert "line 2 is damaged: a record's time is in milliseconds since 1970" in read(lines).notices[0].text
    lines = rows()
    lines[0]["createdAt"] = time
    assert "createdAt" in read(lines).notices[0].text


def test_a_run_that_leaves_the_calendar_is_damage() -> None:
    lines = rows()
    run = next(line for line in lines if line.get("type") == "assistant/chunk-run")
    run["data"]["dt"][0] = 10**16
    assert read(lines).status == "damaged"
