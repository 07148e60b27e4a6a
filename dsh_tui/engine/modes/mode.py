"""The modes by name: the one list that the command line, the settings, the screens and the policy share.

Imports nothing, so that a command line can be checked before anything is loaded. Screens get these names
through `projection.mode_names`. Source: design §3.16.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

Mode: TypeAlias = Literal["ask", "edits", "plan", "sandbox", "full"]
MODES_KNOWN: Final[tuple[Mode, ...]] = get_args(Mode)
DEFAULT_MODE: Final[Mode] = "ask"
PLANNING: Final[Mode] = "plan"
CONFINED: Final[Mode] = "sandbox"
FULL_ACCESS: Final[Mode] = "full"

EXIT_PLAN_MODE: Final = "exit_plan_mode"
"""The tool by which plan mode ends: named to the model, asked about, and drawn as a plan."""
