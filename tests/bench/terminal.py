"""A program behind a pseudo terminal of 120x40, driven and watched from outside.

A thread drains the terminal all the time and stamps every piece as it comes; the display is fed
behind it. So "visible at" is always the stamp of the piece that made it so, however slow we are.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from tests.bench.display import COLUMNS, ROWS, Display

_ANSWERS = {
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",  # synchronised output: known, as in today's terminals
    b"\x1b[?2048$p": b"\x1b[?2048;0$y",  # reports of size in the input: not known
}


class Terminal:
    """One run of a program. Use as a context; leaving it ends the program."""

    def __init__(
        self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path, leave: Sequence[str]
    ) -> None:
        """``leave`` are the keys that end the program in its own way."""
        self.display = Display()
        self._leave = leave
        self._pieces: list[tuple[float, bytes]] = []
        self._fed = 0
        self._ended = False
        self._more = threading.Condition()
        self._fd, inner = os.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.started = time.perf_counter()
        self.child = subprocess.Popen(
            command, stdin=inner, stdout=inner, stderr=inner, env=dict(env), cwd=cwd, start_new_session=True
        )
        os.close(inner)
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        for key in self._leave:
            if self.child.poll() is None:
                self.write(key)
                time.sleep(0.2)
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
        self._reader.join(1)
        os.close(self._fd)

    @property
    def pid(self) -> int:
        return self.child.pid

    def write(self, text: str) -> None:
        """Press keys."""
        os.write(self._fd, text.encode())

    def visible(self, check: Callable[[str], bool], seconds: float) -> float | None:
        """When rows for which ``check`` holds appeared, or None if they don't in time."""
        end = time.perf_counter() + seconds
        if check(self.display.text()):
            return self._pieces[self._fed - 1][0] if self._fed else time.perf_counter()
        while True:
            while self._fed < len(self._pieces):
                stamp = self._feed_one()
                if check(self.display.changed()):
                    return stamp
            with self._more:
                if self._fed == len(self._pieces):
                    left = end - time.perf_counter()
                    if left <= 0 or self._ended:
                        return None
                    self._more.wait(min(0.05, left))

    def replay(self, see: Callable[[float, str], bool]) -> None:
        """Feed what has come meanwhile, and show each change to ``see`` until it has seen enough."""
        self.display.changed()
        while self._fed < len(self._pieces):
            stamp = self._feed_one()
            if see(stamp, self.display.changed()):
                return

    def written(self, words: bytes, seconds: float) -> float | None:
        """When ``words`` came, in one run of bytes; nothing is fed meanwhile, so nothing is disturbed."""
        end, at, before = time.perf_counter() + seconds, self._fed, b""
        while True:
            while at < len(self._pieces):
                stamp, piece = self._pieces[at]
                at += 1
                before = before[-len(words) :] + piece
                if words in before:
                    return stamp
            with self._more:
                if at == len(self._pieces):
                    left = end - time.perf_counter()
                    if left <= 0 or self._ended:
                        return None
                    self._more.wait(min(0.05, left))

    def settle(self, quiet: float, seconds: float = 10.0) -> None:
        """Wait until nothing was written for ``quiet`` seconds, and show it all."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            last = self._pieces[-1][0] if self._pieces else self.started
            if time.perf_counter() - last >= quiet:
                break
            time.sleep(0.02)
        self.replay(lambda _stamp, _text: False)

    def _feed_one(self) -> float:
        stamp, piece = self._pieces[self._fed]
        self._fed += 1
        self.display.feed(piece)
        return stamp

    def _drain(self) -> None:
        while True:
            try:
                piece = os.read(self._fd, 65_536)
            except OSError:
                piece = b""
            stamp = time.perf_counter()
            with self._more:
                if piece:
                    self._pieces.append((stamp, piece))
                else:
                    self._ended = True
                self._more.notify_all()
            if not piece:
                return
            for question, answer in _ANSWERS.items():
                if question in piece:
                    os.write(self._fd, answer)
