"""Leases of two processes over one folder; each process is a `FileLeases` of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.lease.plugin import FileLeases, LeaseConfig
from tests.fakes.fake_clock import FakeClock


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "--work--" / "s1" / "session.jsonl"


@pytest.fixture
async def ours(clock: FakeClock) -> AsyncIterator[FileLeases]:
    made = FileLeases(LeaseConfig(clock=clock))
    yield made
    await made.close()


@pytest.fixture
async def theirs(clock: FakeClock) -> AsyncIterator[FileLeases]:
    made = FileLeases(LeaseConfig(clock=clock))
    yield made
    await made.close()
