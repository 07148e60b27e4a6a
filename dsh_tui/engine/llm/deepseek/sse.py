"""Server-sent events: whole network reads in, the data of complete events out.

Lines are split here, on bytes, and then given to httpx-sse's ``SSEDecoder``, which knows the fields.
Its own line splitter is not used: it holds back a CR at the end of a read until the next byte comes,
so a stream with lone CRs would lag one event behind (for ever, where the server goes silent); it
knows no byte-order mark; and it works on text, so a read that cuts a character needs a decoder in
front. Splitting bytes is safe, because CR and LF never occur inside a UTF-8 character.
Source: capabilities A3; WHATWG HTML, server-sent events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from httpx_sse._decoders import SSEDecoder

_BOM = b"\xef\xbb\xbf"


class EventReader:
    """Feeds on reads cut anywhere; the events come out the same for every way of cutting."""

    def __init__(self) -> None:
        from httpx_sse._decoders import SSEDecoder  # brings httpx along, so only now

        self._fields: SSEDecoder = SSEDecoder()
        self._tail: list[bytes] = []
        """The unfinished last line, in the pieces it came in."""
        self._after_cr = False
        self._at_start = True

    def feed(self, data: bytes) -> list[str]:
        """The data of the events that this read completes. Comments and empty events yield none."""
        if self._at_start:
            data = b"".join((*self._tail, data))
            self._tail = []
            if len(data) < len(_BOM) and _BOM.startswith(data):
                self._tail = [data]
                return []
            self._at_start = False
            data = data.removeprefix(_BOM)
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")  # the other half of a CRLF that was cut
        has_cr = b"\r" in data
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) if has_cr else data.rfind(b"\n")
        if end < 0:
            if data:
                self._tail.append(data)
            return []
        self._after_cr = data.endswith(b"\r")
        lines = b"".join((*self._tail, data[: end + 1])).decode("utf-8", "replace")
        self._tail = [data[end + 1 :]] if end + 1 < len(data) else []
        if has_cr:
            lines = lines.replace("\r\n", "\n").replace("\r", "\n")
        return self._events(lines.split("\n")[:-1])

    def close(self) -> list[str]:
        """What a body that ends without a blank line still holds; may be cut in the middle."""
        last = b"".join(self._tail).decode("utf-8", "replace")
        self._tail = []
        return self._events([last, ""])

    def _events(self, lines: list[str]) -> list[str]:
        decode = self._fields.decode
        # An id is remembered across events, so that a blank line makes an event without data: not ours.
        return [event.data for line in lines if (event := decode(line)) is not None and event.data]
