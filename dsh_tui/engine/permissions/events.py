"""Events of permissions, beside those in the log."""

from __future__ import annotations

from dsh_tui.engine.kernel import Emit

RULES_IGNORED: Emit[[str]] = Emit("permissions/ignored")
"""Rules that a person may believe in don't count; the text says which and why, in one line."""
