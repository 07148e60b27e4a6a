"""Arming: when the approval dock may take the focus, and when its keys count.

Fails safe: it arms only after quiet *since it took the focus*, with no upper limit, and
only after a person asked for review (F8) or the screen had been quiet over an empty draft.
A key in flight can therefore never be an answer.
Source: UX spec §4 (approval dock contract).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

FOCUS_QUIET: Final = 0.700
"""Seconds without a key before the dock takes the focus by itself."""
ARM_QUIET: Final = 0.425
"""Seconds without a key, since it took the focus, before its keys count."""


class Arming:
    """The rule as a value over a monotonic clock: no widget, no timer."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._now = monotonic
        self._last_key = float("-inf")
        self._quiet_since: float | None = None

    @property
    def reviewing(self) -> bool:
        """Whether the dock has the focus by one of the two lawful ways."""
        return self._quiet_since is not None

    @property
    def armed(self) -> bool:
        """Whether its keys count now."""
        return self._quiet_since is not None and self._now() - self._quiet_since >= ARM_QUIET

    def key(self) -> None:
        """A key or a paste came, wherever it goes. Before arming it starts the wait again."""
        if self._quiet_since is not None and not self.armed:
            self._quiet_since = self._now()
        self._last_key = self._now()

    def began(self) -> None:
        """The dock took the focus."""
        self._quiet_since = self._now()

    def ended(self) -> None:
        """The dock has the focus no longer."""
        self._quiet_since = None

    def disturbed(self) -> None:
        """The terminal was focused or resized, or another content is shown: what was read may be stale."""
        if self._quiet_since is not None:
            self._quiet_since = self._now()

    def until_focus(self) -> float:
        """Seconds of quiet that are missing before it may take the focus; 0 when none."""
        return max(0.0, FOCUS_QUIET - (self._now() - self._last_key))

    def until_armed(self) -> float:
        """Seconds of quiet that are missing before it is armed; 0 when armed or without the focus."""
        if self._quiet_since is None:
            return 0.0
        return max(0.0, ARM_QUIET - (self._now() - self._quiet_since))
