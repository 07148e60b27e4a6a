"""The rules that a settings file holds, the user's or a project's, for whoever judges by them.

Source: design §3.15, §4 (settings.yaml).
"""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.settings.faults import Fault
from dsh_tui.engine.settings.loader import LARGEST, SettingsError, parse_project_settings, parse_settings


def read_user_rules(path: Path, content: bytes) -> tuple[Rule, ...]:
    """The rules in the user's settings.

    Raises:
        SettingsError: the file is broken, or is more than would be read of it.
    """
    if len(content) > LARGEST:
        raise SettingsError(path, Fault(None, f"is larger than {LARGEST // 1024} KiB; make it smaller"))
    return parse_settings(path, content).permissions.rules


def read_project_rules(path: Path, content: bytes) -> tuple[Rule, ...]:
    """The rules in a project's settings.

    Raises:
        SettingsError: the file is broken.
    """
    return parse_project_settings(path, content).permissions.rules
