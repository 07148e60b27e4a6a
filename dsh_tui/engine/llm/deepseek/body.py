"""Answer bodies: reads in, JSON payloads out, for an event stream and for an answer in one piece.

Some gateways answer a streaming request with plain JSON, after blank lines that keep the connection
alive. Source: capabilities A3 (SSE).
"""

from __future__ import annotations

import json
from typing import NoReturn, Protocol

from dsh_tui.engine.llm.deepseek.failures import malformed
from dsh_tui.engine.llm.deepseek.sse import EventReader
from dsh_tui.engine.llm.errors import LlmError

DONE = "[DONE]"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode  # `json.loads` builds one a call


class BodyReader(Protocol):
    """``done`` turns true with the last payload, or when the body has ended."""

    done: bool

    def feed(self, data: bytes) -> list[object]: ...

    def close(self) -> list[object]: ...


class EventBody:
    """A stream of events that ends with ``[DONE]``."""

    def __init__(self) -> None:
        self.done = False
        self._events = EventReader()

    def feed(self, data: bytes) -> list[object]:
        """The payloads that this read completes.

        Raises:
            LlmError: ``MALFORMED_RESPONSE``, an event is not JSON.
        """
        payloads: list[object] = []
        for text in self._events.feed(data):
            if text == DONE:
                self.done = True
                break
            payloads.append(_payload(text))
        return payloads

    def close(self) -> list[object]:
        """A last event without its blank line counts if it is whole."""
        self.done = True
        payloads: list[object] = []
        for text in self._events.close():
            try:
                payloads.append(_decode(text))
            except (ValueError, RecursionError):
                break  # `[DONE]`, or cut in the middle
        return payloads


class JsonBody:
    """One JSON text, whole only at the end of the body."""

    def __init__(self) -> None:
        self.done = False
        self._pieces: list[bytes] = []

    def feed(self, data: bytes) -> list[object]:
        self._pieces.append(data)
        return []

    def close(self) -> list[object]:
        """The one payload; none for an empty body.

        Raises:
            LlmError: ``MALFORMED_RESPONSE``.
        """
        self.done = True
        text = b"".join(self._pieces).decode("utf-8-sig", "replace").strip()
        return [_payload(text)] if text else []


def body_reader(content_type: str) -> BodyReader:
    """The reader for a ``Content-Type`` header; a missing one is taken for events.

    Raises:
        LlmError: neither events nor JSON, such as the login page of a proxy.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind in ("text/event-stream", ""):
        return EventBody()
    if kind == "application/json":
        return JsonBody()
    raise LlmError(
        f"The answer is not an event stream but {kind[:64]}: is the base URL right, or a proxy in between?",
        code="MALFORMED_RESPONSE",
    )


def _payload(text: str) -> object:
    try:
        return _decode(text)
    except (ValueError, RecursionError):
        raise malformed(text) from None
