"""Errors of a replay.

ReplayError
├── FixtureError     the recording or its overrides can't be used
└── DriftError       the run goes another way than the recording
"""

from __future__ import annotations

from dsh_tui.engine.base.errors import HarnessError


class ReplayError(HarnessError):
    """A replay can't begin or can't go on."""

    code = "REPLAY"


class FixtureError(ReplayError):
    """The recording or its overrides can't be used; the message says which entry and why."""

    code = "REPLAY_FIXTURE"


class DriftError(ReplayError):
    """The run asks for something else than was recorded; the message names the first difference."""

    code = "REPLAY_DRIFT"
