"""Writing to a terminal that is quick, frozen, slow or gone: nobody waits for it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import IO

import pytest

from dsh_tui.terminal.output import MOST_WAITING, TerminalOutput

DEADLINE = 10.0
PICTURE = "x" * 4_000


class Pipe:
    """A terminal's two ends; nobody reads before it is said."""

    def __init__(self) -> None:
        self.reading, writing = os.pipe()
        self.file: IO[str] = os.fdopen(writing, "w")
        self.caught_up = threading.Event()
        self.output = TerminalOutput(self.file, self.caught_up.set)
        self.read = bytearray()
        self._reader: threading.Thread | None = None

    def thaw(self) -> None:
        """Read from now on, to the end."""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def close(self) -> None:
        self.file.close()
        if self._reader is not None:
            self._reader.join(DEADLINE)
        else:
            os.close(self.reading)

    def _read(self) -> None:
        while data := os.read(self.reading, 65_536):
            self.read += data
        os.close(self.reading)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    made.close()


def freeze(pipe: Pipe) -> None:
    """Write until it drops."""
    for _ in range(4 * MOST_WAITING // len(PICTURE)):
        pipe.output.write(PICTURE)


def test_what_is_written_comes_out_in_order(pipe: Pipe) -> None:
    pipe.thaw()
    for number in range(1_000):
        assert pipe.output.write(f"{number} ") == len(f"{number} ")
    pipe.output.flush()
    assert pipe.output.drain(DEADLINE)
    pipe.close()
    assert pipe.read.decode().split() == [str(number) for number in range(1_000)]


def test_a_frozen_terminal_holds_nobody_up_and_pictures_are_dropped(pipe: Pipe) -> None:
    freeze(pipe)
    assert not pipe.output.drain(0)
    pipe.output.write("\x1b[?25h")
    pipe.thaw()
    assert pipe.caught_up.wait(DEADLINE)
    assert pipe.output.drain(DEADLINE)
    pipe.close()
    assert len(pipe.read) < 2 * MOST_WAITING
    assert pipe.read.endswith(b"\x1b[?25h")  # what switches modes was kept


def test_after_a_thaw_pictures_are_drawn_again(pipe: Pipe) -> None:
    freeze(pipe)
    pipe.thaw()
    assert pipe.caught_up.wait(DEADLINE)
    pipe.caught_up.clear()
    pipe.output.write("whole picture")
    assert pipe.output.drain(DEADLINE)
    assert not pipe.caught_up.is_set()
    pipe.close()
    assert pipe.read.endswith(b"whole picture")


def test_what_a_terminal_that_is_gone_is_told_is_dropped(pipe: Pipe) -> None:
    freeze(pipe)
    os.close(pipe.reading)
    pipe.reading = os.open(os.devnull, os.O_RDONLY)
    assert not pipe.output.drain(DEADLINE)
    assert pipe.output.write("picture") == len("picture")
    assert not pipe.output.drain(DEADLINE)
    assert not pipe.caught_up.is_set()


def test_all_else_of_the_file_is_there(pipe: Pipe) -> None:
    assert pipe.output.fileno() == pipe.file.fileno()
    with pytest.raises(AttributeError):
        pipe.output.nothing  # noqa: B018  # it is the look that is tested
