"""Where in a project lies what could take effect: its plugins, its settings, its instructions.

Whoever uses such a file and whoever pins it look in the same places, because both take them from here.
Source: design §3.14; capabilities B5 (AGENTS.md).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from dsh_tui.engine.environment.git_head import repository_root

FOLDER: Final = ".dsh"
PLUGINS: Final = f"{FOLDER}/plugins"
PLUGIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
SETTINGS: Final = f"{FOLDER}/settings.yaml"
INSTRUCTIONS: Final = ("AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md")


def directories_of_instructions(project: Path) -> tuple[Path, ...]:
    """From the repository's root down to ``project``; it alone where there is no repository."""
    root = repository_root(project)
    if root is None:
        return (project,)
    below = [directory for directory in (project, *project.parents) if directory.is_relative_to(root)]
    return tuple(reversed(below))
