"""Frozen and lossless JSON, cancel signals, atomic files."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.base.cancel import Cancelled, CancelSignal
from dsh_tui.engine.base.errors import error_chain
from dsh_tui.engine.base.frozen import FrozenDict, LosslessError, freeze, thaw
from dsh_tui.engine.base.lossless import dump_bytes, dumps, loads

SURROGATES = st.characters(min_codepoint=0, max_codepoint=0x10FFFF, categories=None)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: str(number) != "-0.0")
    | st.text(SURROGATES),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)


@given(JSON)
def test_what_is_frozen_survives_the_trip_through_a_log_line(value: Any) -> None:
    frozen = freeze(value)
    line = dump_bytes(frozen)
    assert freeze(loads(line.decode("utf-8"))) == frozen
    assert thaw(frozen) == value
    assert len(line.splitlines()) == 1
    assert not any(byte < 0x20 or byte == 0x7F for byte in line)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), -0.0, 2**53, b"bytes", {1: "a"}, {"a": {1, 2}}, object(), [[{"x": 1j}]]],
)
def test_what_json_would_change_is_refused(value: Any) -> None:
    with pytest.raises(LosslessError):
        freeze(value)


def test_a_cycle_is_refused_and_not_followed_forever() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(LosslessError, match="cycle"):
        freeze(loop)


def test_frozen_data_cannot_be_changed_but_copies_and_pickles() -> None:
    value: Any = freeze({"a": [1, {"b": 2}]})
    changes: list[Callable[[], object]] = [
        lambda: value.update(a=1),
        lambda: value.__setitem__("a", 1),
        lambda: value.pop("a"),
        lambda: value.clear(),
        lambda: value.setdefault("c", []),
    ]
    for change in changes:
        with pytest.raises(TypeError):
            change()
    assert copy.deepcopy(value) is value
    assert pickle.loads(pickle.dumps(value)) == value
    assert json.dumps(value) == '{"a": [1, {"b": 2}]}'


def test_frozen_parts_are_shared_and_sources_are_copied() -> None:
    inner = freeze({"text": "x"})
    source = {"content": [inner]}
    frozen = freeze(source)
    source["content"].append(inner)
    assert len(frozen["content"]) == 1
    assert frozen["content"][0] is inner
    assert isinstance(frozen, FrozenDict)


def test_chinese_stays_readable_and_half_a_surrogate_is_escaped() -> None:
    assert dumps("中文") == '"中文"'
    assert dumps("\ud83d") == '"\\ud83d"'
    assert dumps("a\u2028b\x9b") == '"a\\u2028b\\u009b"'


async def test_a_race_stops_the_work_and_tells_why() -> None:
    signal, stopped = CancelSignal(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    task = asyncio.ensure_future(signal.race(work()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    signal.cancel("stop it", {"kind": "user"})
    with pytest.raises(Cancelled, match="stop it"):
        await task
    assert stopped.is_set()


async def test_work_that_loses_before_it_begins_is_let_go_of() -> None:
    async def work() -> None:
        raise AssertionError("it began")

    signal = CancelSignal()
    signal.cancel("enough")
    coroutine = work()
    with pytest.raises(Cancelled, match="enough"):
        await signal.race(coroutine)
    assert inspect.getcoroutinestate(coroutine) == inspect.CORO_CLOSED


async def test_the_first_cause_wins_and_late_listeners_hear_it_at_once() -> None:
    first, second = CancelSignal(), CancelSignal()
    with CancelSignal.any_of(first, second) as fused:
        second.cancel("second")
        first.cancel("first")
        heard: list[str] = []
        fused.on_cancel(lambda: heard.append(fused.reason))
        assert heard == ["second"]


async def test_a_fused_signal_is_let_go_of_when_its_block_ends() -> None:
    signal = CancelSignal()
    with CancelSignal.any_of(signal) as fused:
        pass
    signal.cancel("too late")
    assert not fused.cancelled


async def test_a_callback_that_raises_keeps_the_others_from_nothing(caplog: pytest.LogCaptureFixture) -> None:
    signal, heard = CancelSignal(), list[str]()
    signal.on_cancel(lambda: 1 / 0)
    signal.on_cancel(lambda: heard.append("second"))
    signal.cancel()
    assert heard == ["second"]
    assert "a callback of a cancel failed" in caplog.text


def test_an_atomic_write_replaces_whole_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.json"
    write_atomic(path, b"one")
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["file.json"]


def test_an_atomic_write_into_a_new_folder_syncs_every_folder_that_gained_an_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[int] = set()
    monkeypatch.setattr(os, "fsync", lambda fd: synced.add(os.fstat(fd).st_ino))
    path = tmp_path / "a" / "b" / "file.json"
    write_atomic(path, b"one")
    assert {found.stat().st_ino for found in (path, path.parent, path.parent.parent, tmp_path)} <= synced


def test_an_error_chain_names_each_cause_once() -> None:
    cause, error = OSError("name lookup failed"), RuntimeError("connection failed")
    error.__cause__ = cause
    assert error_chain(error) == "connection failed: name lookup failed"
    cause.__cause__ = error
    assert error_chain(error) == "connection failed: name lookup failed"
