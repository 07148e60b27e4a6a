"""The states of a fiber.

PENDING → LOADING → ACTIVE → UNLOADING → PENDING (to load again) or DISPOSED (for good).
A failure while LOADING undoes what was done and ends in FAILED.
Source: core spec §1 (Tree).
"""

from __future__ import annotations

from enum import Enum


class FiberState(Enum):
    """Where one plugin instance stands."""

    PENDING = "pending"
    """Not begun, or waits for a service."""
    LOADING = "loading"
    ACTIVE = "active"
    FAILED = "failed"
    """Nothing of it is left but its error; a new config or a replaced service tries again."""
    UNLOADING = "unloading"
    DISPOSED = "disposed"
