"""Sessions that are saved, for the tests of persistence."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.fake_clock import FakeClock
from tests.fakes.session_home import SessionHome


@pytest.fixture
async def home(tmp_path: Path, clock: FakeClock) -> AsyncIterator[SessionHome]:
    made = SessionHome(tmp_path / "sessions", clock)
    await made.boot()
    yield made
    await made.tree.fiber.dispose()
