"""A small process that outlives us when we are killed, and ends the commands that we leave behind.

It is told which process groups run, through a pipe whose other end is ours alone: the end of that
pipe is our end, however it came. Nobody else could do it then: a killed process runs no handler.
Source: capabilities B2 (stop: SIGTERM, the grace, SIGKILL).
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from typing import Final

_SCRIPT: Final = """
live=" "
while read -r what group; do
    case $what in
        +) live="$live$group " ;;
        -) live="${live/ $group / }" ;;
    esac
done
if [ "$live" = " " ]; then exit; fi
for group in $live; do kill -TERM -- "-$group"; done
sleep "$1"
for group in $live; do kill -KILL -- "-$group"; done
"""
_PATIENCE: Final = 1.0
"""Seconds that it has to end when there is nothing left to do."""


class Lifeline:
    """Tells the process that outlives us what runs. Thread-safe; without bash it does nothing."""

    def __init__(self, bash: str, *, grace: float) -> None:
        self._bash = bash
        self._grace = grace
        self._groups: set[int] = set()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def watch(self, group: int) -> None:
        """From now on this process group ends with us."""
        with self._lock:
            self._groups.add(group)
            if self._process is None or not self._tell(f"+ {group}\n"):
                self._begin()

    def forget(self, group: int) -> None:
        """The group has ended; its number may be somebody else's soon."""
        with self._lock:
            self._groups.discard(group)
            self._tell(f"- {group}\n")

    def close(self) -> None:
        """Nothing runs any more."""
        with self._lock:
            self._end()

    def _begin(self) -> None:
        """Start it, again if somebody killed it, and tell it all."""
        self._end()
        with contextlib.suppress(OSError):
            self._process = subprocess.Popen(  # noqa: S603  # our own script
                (self._bash, "-c", _SCRIPT, "dsh-tui-lifeline", str(self._grace)),
                bufsize=0,
                cwd="/",
                env={"PATH": os.defpath},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # what ends us must not end it first
            )
            self._tell("".join(f"+ {group}\n" for group in self._groups))

    def _tell(self, text: str) -> bool:
        if self._process is None:
            return False
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text.encode())
        except OSError:
            return False
        return True

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
