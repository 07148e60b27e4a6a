"""A terminal that is gone: what is written to it is dropped, and nobody waits for it."""

from __future__ import annotations

import errno
import io
import threading
from typing import IO, cast

import pytest
from textual.drivers._writer_thread import MAX_QUEUED_WRITES, WriterThread

from dsh_tui.terminal_driver import SteadyOutput


class Gone(io.StringIO):
    """The file of a terminal whose window was closed."""

    def write(self, text: str) -> int:
        raise OSError(errno.EIO, "Input/output error")

    def flush(self) -> None:
        raise OSError(errno.EIO, "Input/output error")


def test_the_writing_thread_outlives_its_terminal() -> None:
    writer = WriterThread(cast("IO[str]", SteadyOutput(Gone())))
    writer.start()

    def write_much() -> None:
        for _ in range(MAX_QUEUED_WRITES * 3):
            writer.write("frame")
        writer.stop()

    app = threading.Thread(target=write_much, daemon=True)
    app.start()
    app.join(timeout=5)
    assert not app.is_alive()


def test_what_a_terminal_takes_is_written_and_all_else_of_the_file_is_there() -> None:
    file = io.StringIO()
    output = SteadyOutput(file)
    assert output.write("shown") == 5
    output.flush()
    assert file.getvalue() == "shown"
    assert not output.isatty()
    with pytest.raises(AttributeError):
        output.nothing  # noqa: B018  # it is the look that is tested
