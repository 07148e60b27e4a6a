"""The names of modes as screens know them, and which comes next. Source: design §3.16; screens spec."""

from __future__ import annotations

from typing import Final

from dsh_tui.engine.modes.mode import DEFAULT_MODE, FULL_ACCESS, MODES_KNOWN, Mode

__all__ = ["CYCLE", "DEFAULT_MODE", "FULL_ACCESS", "MODES_KNOWN", "next_mode"]

CYCLE: Final[tuple[Mode, ...]] = tuple(mode for mode in MODES_KNOWN if mode != FULL_ACCESS)
"""What one key goes through; full access is never reached by going on."""


def next_mode(mode: str) -> Mode:
    """The one behind ``mode``; from outside of the cycle its first."""
    at = next((at for at, one in enumerate(CYCLE) if one == mode), -1)
    return CYCLE[(at + 1) % len(CYCLE)]
