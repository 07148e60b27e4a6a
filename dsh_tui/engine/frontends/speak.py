"""What front ends without a screen say: faults on stderr, one line each, harmless to a terminal."""

from __future__ import annotations

import sys

from dsh_tui.engine.projection.visible import visible


def complain(message: str, status: int) -> int:
    """Say one line and pass the exit status on, so that ``return complain(…, 1)`` reads as it acts."""
    print(f"dsh-tui: {visible(' '.join(message.split()))}", file=sys.stderr, flush=True)  # noqa: T201  # speaks for the program
    return status


def say(text: str) -> None:
    """One answer on stdout; half surrogate pairs are spelled out, so that any text can be said."""
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")
