"""The modes by name: the one list that the command line, the settings and the policy share.

Imports nothing, so that a command line can be checked before anything is loaded.
Source: design §3.16.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Mode: TypeAlias = Literal["ask", "edits", "plan", "sandbox", "full"]
MODES_KNOWN: Final[tuple[Mode, ...]] = ("ask", "edits", "plan", "sandbox", "full")
DEFAULT_MODE: Final[Mode] = "ask"
