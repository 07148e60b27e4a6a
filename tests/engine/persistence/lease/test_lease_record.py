"""What a lock file says, and who holds a session by it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.lease.record import (
    LOCK_NAME,
    LONGEST_TTL_MS,
    Found,
    Holder,
    LeaseRecord,
    Stamp,
    holder_in,
    holder_of,
)

TTL = 300_000
NOW = 1_760_000_000_000
TOKEN = "0123456789abcdef" * 2
GOOD = {"token": TOKEN, "pid": 7, "renewedAt": NOW, "expiresAt": NOW + TTL}


def test_a_record_reads_back_as_it_was_written() -> None:
    record = LeaseRecord(token=TOKEN, pid=7, renewed_at=NOW, expires_at=NOW + TTL)
    assert json.loads(record.encode()) == GOOD
    assert LeaseRecord.decode(record.encode()) == record


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b"[" * 100_000,
        *(
            json.dumps({**GOOD, name: value}).encode()
            for name, value in [
                ("token", TOKEN[1:]),
                ("token", 7),
                ("pid", "7"),
                ("pid", None),
                ("renewedAt", True),
                ("renewedAt", 1.5),
                ("expiresAt", NOW),
                ("expiresAt", NOW + LONGEST_TTL_MS + 1),
            ]
        ),
        *(json.dumps({k: v for k, v in GOOD.items() if k != gone}).encode() for gone in GOOD),
    ],
)
def test_anything_else_is_no_record(data: bytes) -> None:
    assert LeaseRecord.decode(data) is None


def found(record: LeaseRecord | None, changed_at: int) -> Found:
    return Found(record, Stamp(1, changed_at * 1_000_000))


def record(renewed_at: int, ttl: int = TTL) -> LeaseRecord:
    return LeaseRecord(token=TOKEN, pid=7, renewed_at=renewed_at, expires_at=renewed_at + ttl)


@pytest.mark.parametrize(
    ("lies_there", "holder"),
    [
        (found(record(NOW), NOW), Holder(7, NOW + TTL)),
        (found(record(NOW - TTL + 1), 0), Holder(7, NOW + 1)),
        (found(record(NOW - TTL), NOW), None),  # its own end counts, whatever touched the file since
        (found(record(NOW - 5_000, ttl=5_000), NOW), None),  # and not the reader's ttl
        (found(record(NOW - TTL, ttl=2 * TTL), 0), Holder(7, NOW + TTL)),
        # Dated in the future: the age of the file is judged, by the duration the record asks for.
        (found(record(NOW + 1), NOW - 1), Holder(7, NOW - 1 + TTL)),
        (found(record(NOW + 1), NOW - TTL), None),
        (found(record(NOW + 1, ttl=1_000), NOW - 1_000), None),
        (found(record(NOW + 1), NOW + 1), Holder(7, None)),
        # No record at all: the same, by the reader's own ttl.
        (found(None, NOW - 1), Holder(None, NOW - 1 + TTL)),
        (found(None, NOW - TTL), None),
        (found(None, NOW + 1), Holder(None, None)),
    ],
)
def test_what_lies_beside_a_log_says_who_holds_it_and_until_when(
    lies_there: Found, holder: Holder | None
) -> None:
    assert holder_in(lies_there, NOW, TTL) == holder


def test_no_file_is_no_holder_and_a_file_is_judged_where_it_lies(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    assert holder_of(log, NOW) is None
    lock = tmp_path / LOCK_NAME
    lock.write_bytes(record(NOW - 1).encode())
    assert holder_of(log, NOW) == Holder(7, NOW - 1 + TTL)
    lock.write_bytes(b"")
    os.utime(lock, (NOW / 1000 - 1, NOW / 1000 - 1))
    assert holder_of(log, NOW, TTL) == Holder(None, NOW - 1_000 + TTL)


def test_a_holder_is_told_in_words() -> None:
    assert str(Holder(7, NOW)).startswith("process 7 until ")
    assert str(Holder(None, None)).startswith("another program (since a time in the future")
