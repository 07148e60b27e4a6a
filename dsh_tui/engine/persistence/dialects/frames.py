"""Zstd frames: which bytes of a log are good text, and where it is damaged or cut off.

Each frame carries a checksum and is decoded on its own, so that one bad frame costs no other. A frame
that runs beyond the end of the file was being written; the text that it gives is kept as far as it goes.
Source: upstream format §2, §8; RFC 8878.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from dsh_tui.engine.persistence.errors import PersistenceError

_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = b"\x2a\x4d\x18"  # behind a first byte of 0x50 to 0x5f
_CHECKSUM = 0b100
_SINGLE_SEGMENT = 0b10_0000
_RESERVED_BLOCK, _RLE_BLOCK = 3, 1


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of one frame, or what is wrong at this place."""

    at: int
    """First byte of it in the file."""
    text: bytes = b""
    problem: str = ""
    torn: bool = False
    """The file ends inside this frame, so its text may end anywhere."""


def decoded_frames(data: bytes) -> Iterator[Piece]:
    """The frames in order. Damage is one piece with a problem; reading goes on at the next good frame.

    Raises:
        PersistenceError: the decoder is not installed.
    """
    at = 0
    while at < len(data):
        end = _frame_end(data, at)
        piece = None if end is None else _whole(data, at, end)
        if piece is not None and end is not None:
            yield piece
            at = end
            continue
        following = _next_good(data, at + 1)
        if following is None and end is None and _begins_frame(data, at):
            yield Piece(at, _prefix(data[at:]), torn=True)
            return
        yield Piece(at, problem=f"the frame at byte {at} is damaged")
        if following is None:
            return
        at = following


def _whole(data: bytes, at: int, end: int) -> Piece | None:
    if data[at : at + 4] != _MAGIC:
        return Piece(at)  # a skippable frame: nothing of the log is in it
    text = _decompress(data[at:end])
    return None if text is None else Piece(at, text)


def _next_good(data: bytes, at: int) -> int | None:
    """Where the next frame begins that decodes."""
    at = data.find(_MAGIC, at)
    while at >= 0:
        end = _frame_end(data, at)
        if end is not None and _whole(data, at, end) is not None:
            return at
        at = data.find(_MAGIC, at + 1)
    return None


def _begins_frame(data: bytes, at: int) -> bool:
    head = data[at : at + 4]
    return _MAGIC.startswith(head) or head == _MAGIC


def _frame_end(data: bytes, at: int) -> int | None:
    """Where the frame ends by its block headers; None if that is beyond the data, or it is no frame."""
    head = data[at : at + 4]
    if len(head) == 4 and head[0] & 0xF0 == 0x50 and head[1:] == _SKIPPABLE:
        end = at + 8 + int.from_bytes(data[at + 4 : at + 8], "little")
        return end if end <= len(data) else None
    if head != _MAGIC or at + 5 > len(data):
        return None
    descriptor = data[at + 4]
    single = bool(descriptor & _SINGLE_SEGMENT)
    size_bytes = (int(single), 2, 4, 8)[descriptor >> 6]
    at += 5 + (not single) + (0, 1, 2, 4)[descriptor & 3] + size_bytes
    last = False
    while not last:
        if at + 3 > len(data):
            return None
        header = int.from_bytes(data[at : at + 3], "little")
        last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        if kind == _RESERVED_BLOCK:
            return None
        at += 3 + (1 if kind == _RLE_BLOCK else size)
    at += 4 if descriptor & _CHECKSUM else 0
    return at if at <= len(data) else None


def _decompress(frame: bytes) -> bytes | None:
    """The content of one whole frame; None if it fails its checksum or does not decode."""
    zstandard = _decoder()
    stream = zstandard.ZstdDecompressor().decompressobj()
    try:
        text: bytes = stream.decompress(frame)
    except zstandard.ZstdError:
        return None
    return text if stream.eof and not stream.unused_data else None


def _prefix(frame: bytes) -> bytes:
    """What a cut-off frame gives. Fed in small steps: an error at the end must not cost the rest."""
    zstandard = _decoder()
    stream = zstandard.ZstdDecompressor().decompressobj()
    parts: list[bytes] = []
    with contextlib.suppress(zstandard.ZstdError):
        parts.extend(stream.decompress(frame[at : at + 4096]) for at in range(0, len(frame), 4096))
    return b"".join(parts)


def _decoder() -> ModuleType:
    """The module, imported by nobody who has no such log."""
    try:
        import zstandard
    except ImportError as error:
        raise PersistenceError("logs in zstd need the package zstandard: pip install zstandard") from error
    return zstandard
