"""The lease record, ``session.lock.json`` beside a log: who may write it, and until when.

Times are epoch milliseconds. A record ends when it says so itself, whatever the reader's own
settings are; only where its times can't be true is the age of the file judged instead.
Source: core spec §4.6.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

LOCK_NAME: Final = "session.lock.json"
DEFAULT_TTL_MS: Final = 300_000
DEFAULT_RENEW_INTERVAL_MS: Final = 240_000
LONGEST_TTL_MS: Final = 86_400_000
"""No writer claims more at once; a record that does is not one of ours."""
SHORTEST_TOKEN: Final = 32
_MOST_BYTES: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRecord:
    """One claim. The token alone says whose it is; the pid is for people."""

    token: str
    pid: int
    renewed_at: int
    expires_at: int

    def encode(self) -> bytes:
        fields = {
            "token": self.token,
            "pid": self.pid,
            "renewedAt": self.renewed_at,
            "expiresAt": self.expires_at,
        }
        return json.dumps(fields).encode() + b"\n"

    @classmethod
    def decode(cls, data: bytes) -> LeaseRecord | None:
        """The record, or None for anything that no writer of ours leaves behind."""
        try:
            fields = json.loads(data)
            token, times = fields["token"], (fields["pid"], fields["renewedAt"], fields["expiresAt"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        if (
            not isinstance(token, str)
            or len(token) < SHORTEST_TOKEN
            or any(type(n) is not int for n in times)
        ):
            return None
        pid, renewed_at, expires_at = times
        if not 0 < expires_at - renewed_at <= LONGEST_TTL_MS:
            return None
        return cls(token=token, pid=pid, renewed_at=renewed_at, expires_at=expires_at)


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which file lies there. Another stamp means that somebody replaced it."""

    inode: int
    mtime_ns: int

    @classmethod
    def of(cls, stat: os.stat_result) -> Stamp:
        return cls(stat.st_ino, stat.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class Found:
    """What lies in the place of the lock file; the record is None where it makes no sense."""

    record: LeaseRecord | None
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Holder:
    """Somebody who may still write."""

    pid: int | None
    until: int | None
    """Free at this time (epoch ms) unless it is renewed; None if its times lie in the future."""

    def __str__(self) -> str:
        who = "another program" if self.pid is None else f"process {self.pid}"
        if self.until is None:
            return f"{who} (since a time in the future: was the clock set back?)"
        return f"{who} until {datetime.fromtimestamp(self.until / 1000).astimezone():%H:%M:%S}"


def read_record(path: Path | str) -> Found | None:
    """What lies there; None if nothing does.

    Raises:
        OSError: it can't be read.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        return Found(LeaseRecord.decode(os.read(fd, _MOST_BYTES)), Stamp.of(os.fstat(fd)))
    finally:
        os.close(fd)


def holder_in(found: Found, now_ms: int, ttl_ms: int) -> Holder | None:
    """Who still holds the lease that was found; None if nobody. ``ttl_ms`` is for records without sense."""
    record, changed_at = found.record, found.stamp.mtime_ns // 1_000_000
    pid = None if record is None else record.pid
    if record is not None:
        if record.renewed_at <= now_ms:
            return Holder(pid, record.expires_at) if now_ms < record.expires_at else None
        ttl_ms = record.expires_at - record.renewed_at
    if changed_at > now_ms:
        return Holder(pid, None)
    return Holder(pid, changed_at + ttl_ms) if now_ms < changed_at + ttl_ms else None


def holder_of(log: Path, now_ms: int, ttl_ms: int = DEFAULT_TTL_MS) -> Holder | None:
    """Who holds the lease of a log, as far as files can say; None if nobody.

    Raises:
        OSError: the lock file can't be read.
    """
    folder = str(log).rpartition(os.sep)[0]  # lists ask this ten thousand times, and paths are slow
    found = read_record(f"{folder}{os.sep}{LOCK_NAME}")
    return None if found is None else holder_in(found, now_ms, ttl_ms)
