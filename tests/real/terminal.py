"""A program in a real pseudo-terminal: its screen, its raw bytes, its modes, and how it ended.

A thread drains the terminal all the time, so that the program never waits for us. Nothing here
sleeps to be in step: every wait is for a condition, with a deadline that names what was missed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pyte

DEADLINE: Final = 15.0
"""Seconds for anything that a test waits for; a loaded machine needs more than a quiet one."""
KEYS: Final = {
    "enter": "\r",
    "esc": "\x1b",
    "tab": "\t",
    "space": " ",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "f8": "\x1b[19~",
    **{f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "abcdefghijklmnopqrstuvwxyz"},
}
MODES_OFF: Final = (1000, 1002, 1003, 1004, 1006, 1015, 1049, 2004)
"""Private modes that a program must have left: mouse, focus, alternate screen, bracketed paste."""
LINE_WRAP: Final = 7
CURSOR: Final = 25
_KEYBOARD_ON = re.compile(rb"\x1b\[>\d+u")
_MODE = re.compile(rb"\x1b\[\?([\d;]+)([hl])")
_FOREIGN = re.compile(rb"\x1b\[[<>=][0-9;:]*[ -/]*[@-~]")  # what pyte takes for text
_OPEN_TAIL = re.compile(rb"\x1b(?:\[[<>=]?[0-9;:]*)?\Z")


class Terminal:
    """One process on a PTY. Use it in a ``with``: whatever happens, the process is gone after it."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        columns: int = 80,
        rows: int = 24,
        before: Callable[[], None] | None = None,
    ) -> None:
        """``before`` runs in the child, between fork and exec."""
        self.raw = b""
        """Every byte the program wrote."""
        self._changed = threading.Condition()
        self._thawed = threading.Event()
        self._thawed.set()
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._rest = b""
        self._ended = False
        self._master, self._slave = os.openpty()
        self._set_size(columns, rows)
        self.settings = termios.tcgetattr(self._slave)

        def own_the_terminal() -> None:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            if before is not None:
                before()

        self.process = subprocess.Popen(
            argv,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env={"TERM": "xterm-256color", **env},
            cwd=cwd,
            start_new_session=True,
            preexec_fn=own_the_terminal,
        )
        self._drain = threading.Thread(target=self._read, name="pty", daemon=True)
        self._drain.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            error.add_note(f"last screen:\n{self.text}")
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._drain.join()
        for descriptor in (self._master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)

    # What is to be seen

    @property
    def lines(self) -> list[str]:
        """The rows of the screen."""
        with self._changed:
            return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.lines)

    @property
    def words(self) -> str:
        """The screen as one line: wrapped sentences can be found in it."""
        return " ".join(self.text.split())

    def wait_for(self, *texts: str, timeout: float = DEADLINE) -> None:
        """Until all of them are on the screen at once."""
        self.wait_until(
            lambda: all(text in self.words for text in texts), f"{texts} on the screen", timeout=timeout
        )

    def wait_gone(self, *texts: str) -> None:
        """Until none of them is on the screen."""
        self.wait_until(lambda: not any(text in self.words for text in texts), f"{texts} gone")

    def wait_until(self, happened: Callable[[], bool], what: str, *, timeout: float = DEADLINE) -> None:
        """Until a condition over the screen holds; looked at after every read."""
        end = time.monotonic() + timeout
        with self._changed:
            while not happened():
                left = end - time.monotonic()
                if left <= 0 or (self._ended and not happened()):
                    state = f"exit {self.process.poll()}" if self._ended else f"after {timeout:g} s"
                    raise AssertionError(f"{what}: not seen, {state}; screen:\n{self.text}")
                self._changed.wait(min(left, 0.1))

    # What a person does

    def press(self, *keys: str) -> None:
        """Keys by name or as single characters, one write each."""
        for key in keys:
            self.write(KEYS.get(key, key))

    def type(self, text: str, *, gap: float = 0.0) -> None:
        """Characters one by one, ``gap`` seconds apart as a person's are."""
        for character in text:
            self.write(character)
            if gap:
                time.sleep(gap)

    def paste(self, text: str) -> None:
        """A bracketed paste."""
        self.write(f"\x1b[200~{text}\x1b[201~")

    def write(self, text: str) -> None:
        data = text.encode()
        while data:
            data = data[os.write(self._master, data) :]

    def resize(self, columns: int, rows: int) -> None:
        """Another window size, with the signal that the kernel sends."""
        with self._changed:
            self._screen.resize(rows, columns)
        self._set_size(columns, rows)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def hang_up(self) -> None:
        """The terminal goes away: the window was closed, the connection broke."""
        os.close(self._slave)
        self._slave = -1
        master, self._master = self._master, -1
        os.close(master)

    def freeze(self) -> None:
        """It takes nothing any more: a stalled connection, a window that hangs."""
        self._thawed.clear()

    def thaw(self) -> None:
        """It takes what was written meanwhile, and whatever comes."""
        self._thawed.set()

    # How it ended

    def wait_exit(self, timeout: float = DEADLINE) -> int:
        """The exit status; all it wrote has been read by then."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still runs after {timeout:g} s; screen:\n{self.text}") from None
        self._drain.join()
        return code

    def modes(self) -> dict[int, bool]:
        """The last state of each private mode that the program touched."""
        state: dict[int, bool] = {}
        for numbers, switch in _MODE.findall(self.raw):
            state.update(dict.fromkeys(map(int, numbers.split(b";")), switch == b"h"))
        return state

    def assert_restored(self) -> None:
        """Everything that outlives a program in a terminal is as it was."""
        modes = self.modes()
        left_on = [mode for mode in MODES_OFF if modes.get(mode, False)]
        assert not left_on, f"modes still on: {left_on}"
        assert modes.get(CURSOR, True), "the cursor is hidden"
        assert modes.get(LINE_WRAP, True), "lines do not wrap"
        assert len(_KEYBOARD_ON.findall(self.raw)) == self.raw.count(b"\x1b[<u"), "keyboard protocol still on"
        assert termios.tcgetattr(self._slave) == self.settings, "terminal settings differ"

    @property
    def after_app(self) -> str:
        """What it wrote on the normal screen, after it left the other one."""
        return self.raw.rpartition(b"\x1b[?1049l")[2].decode("utf-8", "replace")

    # The drain

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self) -> None:
        while (master := self._master) >= 0:
            while not self._thawed.wait(0.02) and self.process.poll() is None:
                pass
            with contextlib.suppress(OSError, ValueError):
                if select.select([master], [], [], 0.02)[0]:
                    self._feed(os.read(master, 65_536))
                    continue
            if self.process.poll() is not None:
                break
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _feed(self, data: bytes) -> None:
        with self._changed:
            self.raw += data
            data = self._rest + data
            tail = _OPEN_TAIL.search(data)
            cut = tail.start() if tail else len(data)
            self._rest = data[cut:]
            self._stream.feed(_FOREIGN.sub(b"", data[:cut]))
            self._changed.notify_all()
