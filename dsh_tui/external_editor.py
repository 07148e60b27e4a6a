"""The user's own editor on a draft: a private file, the terminal lent out, the text back.

Invariant: if anything fails the draft stays as it was, and why is said in one line.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from typing import Final

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.base.temp_folder import TempFolder

_SECRET: Final = re.compile(r"(?i)(api[_-]?key|token|secret|passw|credential)")


class EditorFailed(Exception):
    """The editor could not be run or did not end well; the message is for the user."""


def editor_command(environment: Mapping[str, str]) -> list[str]:
    """``$VISUAL``, else ``$EDITOR``, else vi."""
    return shlex.split(environment.get("VISUAL") or environment.get("EDITOR") or "vi") or ["vi"]


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a program of the user's own: all but what is called like a credential."""
    return {name: value for name, value in environment.items() if not _SECRET.search(name)}


def edit(text: str, lend_terminal: AbstractContextManager[None], environment: Mapping[str, str]) -> str:
    """Let the user edit ``text``.

    Raises:
        EditorFailed: with one line that says what went wrong.
    """
    command = editor_command(environment)
    harmless = without_secrets(environment)
    with closing(TempFolder("draft")) as folder:
        draft = folder.path / "prompt.md"
        write_atomic(draft, text.encode("utf-8"))  # private, whatever the umask
        try:
            with lend_terminal:
                done = subprocess.run([*command, os.fspath(draft)], env=harmless, check=False)  # noqa: S603 - the user's own editor
        except OSError as error:
            raise EditorFailed(
                f"{command[0]}: {error.strerror or error}. Set $EDITOR to your editor."
            ) from error
        if done.returncode != 0:
            raise EditorFailed(f"{command[0]} ended with {done.returncode}; the draft is unchanged.")
        return draft.read_text(encoding="utf-8", errors="replace").rstrip("\n")
