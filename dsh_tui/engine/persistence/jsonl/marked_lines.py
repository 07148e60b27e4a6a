"""Lines of a large log that begin with a mark, found without decoding the others.

A session that was moved or renamed long ago says so somewhere in the middle. Costs about what it costs
to read the bytes, and never holds more than a piece of them. Source: core spec §4.1 (list).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

_PIECE: Final = 1 << 20


def marked_lines(file: BinaryIO, start: int, stop: int, mark: bytes) -> Iterator[bytes]:
    """Lines between two line ends, in order, that begin with ``mark``. The end at ``stop`` belongs to them.

    Raises:
        OSError: the file can't be read.
    """
    sought = b"\n" + mark
    file.seek(start)
    data, left = b"", stop - start
    while left > 0 and (piece := file.read(min(left, _PIECE))):
        left -= len(piece)
        data += piece
        at = 0
        while (found := data.find(sought, at)) >= 0:
            end = data.find(b"\n", found + 1)
            if end < 0:
                break
            yield data[found + 1 : end]
            at = end
        data = data[found if found >= 0 else max(at, len(data) - len(sought) + 1) :]
