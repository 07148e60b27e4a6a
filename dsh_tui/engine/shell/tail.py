"""The end of a stream in memory, the whole of it in a file once it outgrows that.

Fed by one thread, read by another. Memory stays flat however much comes. Characters that two
reads or the cut tore apart come out whole; bytes that are no UTF-8 become U+FFFD and are owned
up to. Source: capabilities B2 (retention), B6.
"""

from __future__ import annotations

import codecs
import threading
from collections.abc import Callable
from typing import Final

from dsh_tui.engine.shell.seam import StreamOutput
from dsh_tui.engine.spill.store import SpillFile

KEPT: Final = 64_000
"""Bytes of a stream that stay in memory."""


class StreamTail:
    """One output stream of one command."""

    def __init__(self, open_spill: Callable[[], SpillFile | None], *, kept: int = KEPT) -> None:
        self._open_spill = open_spill
        self._kept = kept
        self._lock = threading.Lock()
        self._buffer = bytearray()
        self._total = 0
        self._read = 0
        self._spill: SpillFile | None = None
        self._finished = False

    def feed(self, data: bytes) -> None:
        """Take in what was read."""
        with self._lock:
            fitted = self._total <= self._kept
            self._buffer += data
            self._total += len(data)
            if self._total > self._kept:
                if fitted:
                    self._spill = self._open_spill()
                    data = bytes(self._buffer)
                if self._spill is not None:
                    self._spill.write(data)
            if len(self._buffer) > 2 * self._kept:
                del self._buffer[: len(self._buffer) - self._kept]

    def finish(self) -> None:
        """The stream is over."""
        with self._lock:
            self._finished = True
            if self._spill is not None:
                self._spill.close()

    def output(self) -> StreamOutput:
        """The end of the stream, all of it where it is short."""
        with self._lock:
            start = max(0, self._total - self._kept)
            return self._since(start, torn=start > 0)[0]

    def read_new(self) -> StreamOutput:
        """What came since the last call; what was too much for memory is left out and counted as cut."""
        with self._lock:
            start = max(self._read, self._total - self._kept)
            missed = start > self._read
            output, held = self._since(start, torn=missed)
            self._read = self._total - held
            return StreamOutput(
                text=output.text,
                truncated=missed,
                spill_path=output.spill_path if missed else None,
                lossy=output.lossy,
            )

    def last_line(self) -> str:
        """The latest line with anything in it."""
        with self._lock:
            recent = bytes(self._buffer[-2_000:]).decode("utf-8", "ignore")
        lines = (line.strip() for line in reversed(recent.replace("\r", "\n").split("\n")))
        return next((line for line in lines if line), "")[-400:]

    def _since(self, start: int, *, torn: bool) -> tuple[StreamOutput, int]:
        """The bytes from ``start`` on as text, and how many of an unfinished character were held back.

        ``torn``: the start may lie within a character.
        """
        length = self._total - start
        data = bytes(self._buffer[len(self._buffer) - length :]) if length else b""
        if torn:
            data = _without_torn_start(data)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(data, final=self._finished)
        held = len(decoder.getstate()[0])
        output = StreamOutput(
            text=text,
            truncated=start > 0,
            spill_path=None if self._spill is None else self._spill.path,
            lossy=_is_lossy(data[: len(data) - held]),
        )
        return output, held


def _without_torn_start(data: bytes) -> bytes:
    for position in range(min(3, len(data))):
        if data[position] & 0xC0 != 0x80:
            return data[position:]
    return data


def _is_lossy(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False
