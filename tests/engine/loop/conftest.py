"""A running engine with a scripted model, for tests of the loop."""

from __future__ import annotations

import pytest

from dsh_tui.engine.kernel import Context
from tests.fakes.fake_clock import FakeClock
from tests.fakes.loop_app import LoopApp


@pytest.fixture
async def app(root: Context, clock: FakeClock) -> LoopApp:
    loop_app = LoopApp(root, clock)
    await loop_app.start()
    return loop_app
