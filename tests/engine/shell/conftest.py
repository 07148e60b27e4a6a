"""Fixtures of the shell tools."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.workbench import Workbench, open_workbench


@pytest.fixture
async def work(tmp_path: Path) -> AsyncIterator[Workbench]:
    async with open_workbench(tmp_path) as workbench:
        yield workbench
