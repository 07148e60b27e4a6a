"""Pictures look the same wherever they are made."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _clock_in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times of day are drawn in local time; the pictures are of UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
