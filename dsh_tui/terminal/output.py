"""What is written to the terminal, by a thread that alone waits for it.

A terminal can stop taking text for a while (a stalled connection, a frozen window) or for ever.
Textual's own writer then fills up, and whoever writes next waits: that is the event loop, and with
it the agent. Here nobody waits. What a frozen terminal has no room for is dropped, whole pictures
first, and it gets a fresh picture when it takes text again.
Source: design §2 (the agent never lives or dies with a screen).
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import IO, Any, Final

MOST_WAITING: Final = 131_072
"""Bytes that may wait: a few pictures of a large window, so that a slow line is never far behind."""
SHORT: Final = 64
"""Bytes of what is kept even then: it switches modes, and must not be missed."""
LOOK: Final = 0.2
"""Seconds between two looks at whether a terminal that takes nothing is still wanted."""


class TerminalOutput:
    """A file to Textual; ``write`` and ``flush`` return at once."""

    def __init__(self, file: IO[str], on_caught_up: Callable[[], object]) -> None:
        """``on_caught_up`` is called from the writing thread: pictures were dropped, draw a whole one."""
        self._file = file
        self._on_caught_up = on_caught_up
        self._changed = threading.Condition()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._dropped = False
        self._gone = False
        self._thread: threading.Thread | None = None

    def write(self, text: str) -> int:
        data = text.encode("utf-8", "surrogateescape")
        with self._changed:
            if self._gone or (self._size > MOST_WAITING and len(data) > SHORT):
                self._dropped = True
            else:
                self._waiting.append(data)
                self._size += len(data)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="terminal-output", daemon=True)
                    self._thread.start()
                self._changed.notify()
        return len(text)

    def flush(self) -> None:
        """Nothing to do: the thread holds nothing back."""

    def drain(self, seconds: float) -> bool:
        """Wait until all is written; False if the terminal does not take it in that time."""
        end = time.monotonic() + seconds
        with self._changed:
            while self._size and not self._gone:
                left = end - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
            return not self._gone

    def __getattr__(self, name: str) -> Any:  # Any: whatever else a file has
        return getattr(self._file, name)

    def _run(self) -> None:
        descriptor = self._file.fileno()
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                data = b"".join(self._waiting)
                self._waiting.clear()
            written = self._put(descriptor, data)
            with self._changed:
                self._size -= len(data)
                if not written:
                    self._gone = True
                    self._size = 0
                    self._waiting.clear()
                caught_up = self._dropped and not self._waiting and written
                if caught_up:
                    self._dropped = False
                self._changed.notify_all()
            if not written:
                return
            if caught_up:
                self._on_caught_up()

    def _put(self, descriptor: int, data: bytes) -> bool:
        """Write all of it, however long that takes; False: the terminal is gone."""
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(descriptor, view) :]
            except BlockingIOError:  # somebody shares the terminal and asked not to wait
                select.select([], [descriptor], [], LOOK)
            except OSError:
                return False
        return True
