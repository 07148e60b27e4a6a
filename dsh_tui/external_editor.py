"""The user's own editor on a draft: a private file, the terminal lent out, the text back.

Invariant: if anything fails the draft stays as it was, and why is said in one line.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from pathlib import Path

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.base.temp_folder import TempFolder
from dsh_tui.engine.shell.environment import is_secret_name


class EditorFailed(Exception):
    """The editor could not be run or did not end well; the message is for the user."""


def editor_command(environment: Mapping[str, str]) -> list[str]:
    """``$VISUAL``, else ``$EDITOR``, else vi."""
    return shlex.split(environment.get("VISUAL") or environment.get("EDITOR") or "vi") or ["vi"]


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a program of the user's own: all but what is called like a credential."""
    return {name: value for name, value in environment.items() if not is_secret_name(name)}


def edit(text: str, lend_terminal: AbstractContextManager[None], environment: Mapping[str, str]) -> str:
    """Let the user edit ``text``.

    Raises:
        EditorFailed: with one line that says what went wrong.
    """
    try:
        command = editor_command(environment)
    except ValueError as error:
        raise EditorFailed(f"$EDITOR can't be read: {error}.") from error
    try:
        with closing(TempFolder("draft")) as folder:
            draft = folder.path / "prompt.md"
            write_atomic(draft, text.encode("utf-8"))  # private, whatever the umask
            _run(command, draft, lend_terminal, environment)
            return draft.read_text(encoding="utf-8", errors="replace").rstrip("\n")
    except OSError as error:
        raise EditorFailed(f"The draft can't be lent out: {error.strerror or error}.") from error


def _run(
    command: list[str],
    draft: Path,
    lend_terminal: AbstractContextManager[None],
    environment: Mapping[str, str],
) -> None:
    try:
        with lend_terminal:
            done = subprocess.run(  # noqa: S603 - the user's own editor
                [*command, os.fspath(draft)], env=without_secrets(environment), check=False
            )
    except OSError as error:
        raise EditorFailed(f"{command[0]}: {error.strerror or error}. Set $EDITOR to your editor.") from error
    if done.returncode != 0:
        raise EditorFailed(f"{command[0]} ended with {done.returncode}; the draft is unchanged.")
