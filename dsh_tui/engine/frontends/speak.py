"""What front ends without a screen say: faults on stderr, one line each, harmless to a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from dsh_tui.engine.base.visible import visible


def complain(message: str, status: int) -> int:
    """Say one line and pass the exit status on, so that ``return complain(…, 1)`` reads as it acts."""
    print(f"dsh-tui: {visible(' '.join(message.split()))}", file=sys.stderr, flush=True)  # noqa: T201  # speaks for the program
    return status


def say(text: str) -> None:
    """One answer on stdout; half surrogate pairs are spelled out, so that any text can be said."""
    with told_when_lost():
        sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def say_bytes(content: bytes) -> None:
    """An answer on stdout that is no text."""
    with told_when_lost():
        sys.stdout.buffer.write(content)


@contextmanager
def told_when_lost() -> Iterator[None]:
    """A stdout that takes no more, such as a file on a full disk, ends the program with one line."""
    try:
        yield
    except BrokenPipeError:
        raise  # a reader that has enough is no fault
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left must not fail again at exit
        raise SystemExit(complain(f"the output can't be written: {error.strerror}", 1)) from error
