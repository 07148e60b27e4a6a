"""Real processes on a stage of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.served_model import ServedModel
from tests.real.stage import Stage


@pytest.fixture
def model() -> Iterator[ServedModel]:
    with ServedModel() as served:
        yield served


@pytest.fixture
def stage(tmp_path: Path, model: ServedModel) -> Stage:
    return Stage(tmp_path, model)
