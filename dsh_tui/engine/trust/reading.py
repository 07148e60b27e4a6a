"""Reads one file of a project, and only what is one: regular, inside, of a bounded size.

Source: design §3.14.
"""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.base import regular_file
from dsh_tui.engine.base.errors import HarnessError


class UnreadableError(HarnessError):
    """A file can't be taken. The message says why, without its name."""

    code = "PROJECT_FILE"


def read_inside(path: Path, root: Path, largest: int) -> bytes:
    """The content of ``path``, links followed as long as they stay below ``root`` (itself without links).

    Raises:
        FileNotFoundError: there is nothing.
        UnreadableError: it leads outside, is no regular file, is too large, or can't be read.
    """
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(root):
            raise UnreadableError(f"leads out of the project, to {real}")
        return regular_file.read_regular(real, largest, follow=False)
    except regular_file.UnreadableError as error:
        raise UnreadableError(error.why) from error
    except FileNotFoundError:
        if path.is_symlink():
            raise UnreadableError("is a link that leads nowhere") from None
        raise
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links raises RuntimeError
        raise UnreadableError(f"can't be read ({getattr(error, 'strerror', None) or error})") from error
