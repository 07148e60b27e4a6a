"""What every test may ask for: a tree that is torn down, and a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dsh_tui.engine.kernel import Context, create_root
from tests.fakes.fake_clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def root() -> AsyncIterator[Context]:
    tree = create_root()
    yield tree
    await tree.fiber.dispose()
