"""Errors of this package. Each message is one line for a person.

CompactionError
├── NothingToCompactError
└── SummaryError
    └── HistoryTooLongError
"""

from __future__ import annotations

from typing import Final

from dsh_tui.engine.base.errors import HarnessError

TOO_LONG: Final = "CONTEXT_WINDOW_EXCEEDED"
"""The provider's code for a request that does not fit."""


class CompactionError(HarnessError):
    """A history was not compacted; it is what it was."""

    code = "COMPACTION"


class NothingToCompactError(CompactionError):
    """There is no part of it that a summary could stand for."""

    code = "NOTHING_TO_COMPACT"


class SummaryError(CompactionError):
    """The model gave no summary that is of use."""

    code = "NO_SUMMARY"


class HistoryTooLongError(SummaryError):
    """What is to be summarised is itself more than the model takes."""

    code = "HISTORY_TOO_LONG"
