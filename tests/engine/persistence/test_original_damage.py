"""Damaged and foreign logs of the original: named in one line, every good record shown, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_tui.engine.persistence.dialects.adoption import adopt
from dsh_tui.engine.persistence.dialects.frames import decoded_frames
from dsh_tui.engine.persistence.dialects.reader import decode_original, read_original
from dsh_tui.engine.persistence.dialects.summary import read_summary, read_whole
from dsh_tui.engine.persistence.errors import FormatUnsupportedError
from dsh_tui.engine.persistence.stored import LoadedSession, Revision
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.verify import verify_log
from tests.fakes.original_logs import NOON, OriginalLog, conversation

LOG = conversation(4)
FRAMES = LOG.frames()
NAMED = Path("/home/.dsh/sessions/--p--/session-old/session.v4.jsonl.zstd")
NOWHEN = Revision(0, 0, 0, 0, 0)


def decode(data: bytes) -> LoadedSession:
    return decode_original(data, NOWHEN, NAMED)


def assert_goes_on(loaded: LoadedSession) -> None:
    meta, seed = adopt(loaded)
    session = Session(new_header("copy", NOON, meta), seed=seed)
    assert verify_log(session.events) is None


def test_a_newer_version_is_named_with_its_file(tmp_path: Path) -> None:
    path = conversation(9).store(tmp_path)
    row = read_summary(path)
    assert row.status == "foreign-version"
    assert row.note == f"{path}: written in log version 9 of DeepSeek Harness; dsh-tui reads up to 4"
    with pytest.raises(FormatUnsupportedError, match="version 9"):
        read_original(path)


def test_a_newer_header_in_a_file_of_an_older_name_is_foreign_too(tmp_path: Path) -> None:
    path = OriginalLog(4).store(tmp_path, raw=True, content=conversation(7).raw())
    assert read_summary(path).status == "foreign-version"


@pytest.mark.parametrize("frame", range(1, len(FRAMES)))
def test_a_flipped_byte_costs_its_frame_alone(frame: int, tmp_path: Path) -> None:
    bad = bytearray(FRAMES[frame])
    bad[len(bad) // 2] ^= 0x40
    data = b"".join([*FRAMES[:frame], bytes(bad), *FRAMES[frame + 1 :]])
    at = sum(map(len, FRAMES[:frame]))
    path = LOG.store(tmp_path, content=data)
    loaded = read_original(path)
    assert loaded.status == "damaged"
    assert f"frame at byte {at} is damaged" in loaded.notices[0].text
    lost = len(LOG.batches[frame])
    assert len(loaded.events) == LOG.seq - lost
    whole = {event.seq: event for event in decode(b"".join(FRAMES)).events}
    assert all(event.type == whole[event.seq].type for event in loaded.events)
    row = read_summary(path)
    assert row.status == "damaged"
    assert row.note.startswith(f"{path}: the frame at byte {at}")
    assert_goes_on(loaded)


def test_a_lost_header_leaves_the_records(tmp_path: Path) -> None:
    path = LOG.store(tmp_path, content=b"\0" * 20 + b"".join(FRAMES[1:]))
    loaded = read_original(path)
    assert (loaded.status, len(loaded.events)) == ("damaged", LOG.seq)
    assert loaded.header["id"] == "session-old"
    assert read_summary(path).status == "damaged"


@settings(max_examples=150, deadline=None)
@given(st.integers(0, sum(map(len, FRAMES))))
def test_a_log_cut_at_any_byte_loads(end: int) -> None:
    whole = decode(b"".join(FRAMES)).events
    loaded = decode(b"".join(FRAMES)[:end])
    assert list(loaded.events) == list(whole[: len(loaded.events)])
    kept = next(n for n in range(len(FRAMES), -1, -1) if sum(map(len, FRAMES[:n])) <= end)
    assert len(loaded.events) >= sum(map(len, LOG.batches[1:kept]))
    if kept:
        assert loaded.status == "ok"


@settings(max_examples=150, deadline=None)
@given(st.integers(0, sum(map(len, FRAMES)) - 1), st.integers(1, 255))
def test_any_changed_byte_is_found_and_costs_one_frame_at_most(at: int, change: int) -> None:
    data = bytearray(b"".join(FRAMES))
    data[at] ^= change
    loaded = decode(bytes(data))
    assert loaded.status == "damaged" or loaded.notices or len(loaded.events) == LOG.seq
    assert len(loaded.events) >= LOG.seq - max(map(len, LOG.batches))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_garbage_is_damage_and_nothing_worse(data: bytes) -> None:
    assert decode(data).status == "damaged"
    list(decoded_frames(data))


def test_a_bad_line_in_a_raw_log_is_named_by_its_number(tmp_path: Path) -> None:
    lines = LOG.raw().splitlines(keepends=True)
    lines[5] = b'{"type":"step/st\n'
    path = LOG.store(tmp_path, raw=True, content=b"".join(lines))
    loaded = read_original(path)
    assert (loaded.status, loaded.notices[0].line) == ("damaged", 6)
    assert len(loaded.events) == LOG.seq - 1
    row = read_whole(path)
    assert row.status == "damaged"
    assert "line 6" in row.note
    assert_goes_on(loaded)


def test_an_unfinished_last_line_of_a_raw_log_is_left_out(tmp_path: Path) -> None:
    loaded = read_original(LOG.store(tmp_path, raw=True, content=LOG.raw()[:-9]))
    assert (loaded.status, len(loaded.events)) == ("ok", LOG.seq - 1)
    assert "cut off" in loaded.notices[0].text
    assert_goes_on(loaded)


def test_an_empty_file_is_damaged(tmp_path: Path) -> None:
    path = LOG.store(tmp_path, content=b"")
    assert read_summary(path).status == "damaged"
    assert read_original(path).status == "damaged"
