"""What every test may ask for: a tree that is torn down, and a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

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


REAL = Path(__file__).parent / "real"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where the tests are shared out, those with real processes stay together: they wait for each other."""
    for item in items:
        if item.path.is_relative_to(REAL):
            item.add_marker(pytest.mark.xdist_group("real"))
