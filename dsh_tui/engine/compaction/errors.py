"""Errors of this package. Each message is one line for a person.

CompactionError
├── NothingToCompactError
└── SummaryError
"""

from __future__ import annotations

from dsh_tui.engine.base.errors import HarnessError


class CompactionError(HarnessError):
    """A history was not compacted; it is what it was."""

    code = "COMPACTION"


class NothingToCompactError(CompactionError):
    """There is no part of it that a summary could stand for."""

    code = "NOTHING_TO_COMPACT"


class SummaryError(CompactionError):
    """The model gave no summary that is of use."""

    code = "NO_SUMMARY"
