"""The bundled recording is sound, and recordings play at the pace they were made."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from dsh_tui.bridge.recording import (
    LONGEST_PAUSE_S,
    PATH,
    Playback,
    RecordingError,
    bundled,
    load_recording,
    paced,
)
from dsh_tui.engine.llm.deepseek.wire import body_bytes
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.persistence.stored import LoadedSession
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import AnswerView, ThinkingView, ToolView, TurnEndView
from dsh_tui.engine.session.event import Event
from tests.fakes.fake_clock import FakeClock
from tests.fakes.odd_files import ODD_FILES
from tests.fakes.strict_api import refusal


@pytest.fixture(scope="module")
def recording() -> LoadedSession:
    return load_recording()


def events_at(*times: int) -> list[Event]:
    return [Event("plugin/tick", seq, time, {}) for seq, time in enumerate(times)]


def test_the_bundled_recording_is_whole_small_and_of_a_watchable_length(recording: LoadedSession) -> None:
    assert (recording.status, recording.notices) == ("ok", ())
    assert PATH.stat().st_size < 120_000
    pauses = [b.time - a.time for a, b in zip(recording.events, recording.events[1:], strict=False)]
    assert 35 <= sum(min(pause / 1000, LONGEST_PAUSE_S) for pause in pauses) <= 60


def test_it_shows_thinking_tools_questions_a_plan_and_a_good_answer(recording: LoadedSession) -> None:
    fold = SessionFold(recording.header)
    fold.apply_all(recording.events)
    view = fold.view()
    assert view.title
    assert Path(view.cwd).name == "payments-api"
    assert any(isinstance(block, ThinkingView) for block in view.blocks)
    runs = [block.state for block in view.blocks if isinstance(block, ToolView) and block.verb == "Run"]
    assert runs == ["failed", "ok"]
    edits = [block.diff for block in view.blocks if isinstance(block, ToolView) and block.verb == "Edit"]
    assert [edit is not None and (edit.added, edit.removed) for edit in edits] == [(2, 1)]
    assert {todo.status for todo in view.todos} == {"completed"}
    answer = [block for block in view.blocks if isinstance(block, AnswerView)][-1]
    assert all(part in answer.text for part in ("| --- |", "```python", "1. **"))
    assert isinstance(view.blocks[-1], TurnEndView)
    decided = [event.data["outcome"] for event in recording.events if event.type == "approval/decided"]
    assert decided == ["allowed-once"] * 3


def test_nothing_of_the_machine_that_made_it_is_in_it() -> None:
    text = PATH.read_text(encoding="utf-8")
    assert re.findall(r"/(?:tmp|work|root|Users|var)/\S*", text) == []
    assert re.findall(r"sk-[A-Za-z0-9]{8,}|127\.0\.0\.1", text) == []


def test_every_request_in_it_is_one_that_the_service_takes(recording: LoadedSession) -> None:
    requests = rebuild_requests(recording.events)
    assert len(requests) == 7
    bodies = [json.loads(body_bytes(request.as_request("recording"))) for request in requests]
    assert [refusal(body) for body in bodies] == [None] * 7


async def test_pauses_are_kept_up_to_the_longest_and_divided_by_the_speed() -> None:
    clock = FakeClock()
    seen: list[tuple[int, float]] = []

    async def watch(events: Sequence[Event], speed: float) -> None:
        seen.extend(
            [(e.seq, round(clock.monotonic(), 3)) async for e in paced(events, speed=speed, clock=clock)]
        )

    task = asyncio.create_task(watch(events_at(0, 500, 500, 90_000, 80_000, 80_250), 1.0))
    await clock.advance(10)
    await task
    assert seen == [(0, 0), (1, 0.5), (2, 0.5), (3, 3.5), (4, 3.5), (5, 3.75)]
    seen.clear()
    start = clock.monotonic()
    task = asyncio.create_task(watch(events_at(0, 1_000), 4.0))
    await clock.advance(10)
    await task
    assert [at - start for _, at in seen] == [0, 0.25]


async def test_a_playback_shows_one_event_after_the_other_until_it_is_stopped(
    recording: LoadedSession,
) -> None:
    clock, notes = FakeClock(), 0

    def note() -> None:
        nonlocal notes
        notes += 1

    playback = Playback(recording)
    task = asyncio.create_task(playback.run(note, clock))
    await clock.advance(5)
    shown = len(playback.shown)
    assert 0 < shown == notes < len(recording.events)
    playback.stop()
    await clock.advance(100)
    await task
    assert (len(playback.shown), playback.ended) == (shown, False)


async def test_a_playback_says_all_the_time_that_it_is_one(recording: LoadedSession) -> None:
    clock, playback = FakeClock(), bundled()
    assert playback.why(keyless=True).startswith("recording: nothing here is live; /key")
    task = asyncio.create_task(playback.run(lambda: None, clock))
    await clock.advance(200)
    await task
    assert playback.ended
    assert list(playback.shown) == list(recording.events)
    assert playback.why(keyless=False) == "recording ended: nothing here is live; esc starts a session"
    named = Playback(recording, name="old.jsonl")
    assert named.why(keyless=False) == "recording: old.jsonl is only shown; /new starts a session"


def test_a_damaged_log_plays_as_far_as_it_goes_and_says_where_it_broke(tmp_path: Path) -> None:
    lines = PATH.read_bytes().splitlines(keepends=True)
    path = tmp_path / "old.jsonl"
    path.write_bytes(b"".join([*lines[:20], b"oops\n", *lines[20:25]]))
    playback = Playback(load_recording(path), name="old.jsonl")
    assert playback.why(keyless=False).startswith("recording: old.jsonl (damaged at line 21) is only shown")


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\x00\xff", b'{"format":"dsh-tui","version":99}\n'])
def test_what_is_no_log_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordingError) as caught:
        load_recording(path)
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("kind", ODD_FILES)
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "log.jsonl"
    ODD_FILES[kind](path)
    with pytest.raises(RecordingError) as caught:
        load_recording(path)
    assert caught.value.message.startswith(f"{path}")
    assert "\n" not in caught.value.message
