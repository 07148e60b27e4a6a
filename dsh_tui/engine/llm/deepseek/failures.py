"""What went wrong, said once: HTTP answers, error objects and broken connections → `LlmError`.

Codes decide whether a retry makes sense; messages name the cause in the server's own words, one line,
without control characters, and what to do about it. Source: capabilities A3 (HTTP → code).
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from dsh_tui.engine.base.errors import error_chain
from dsh_tui.engine.base.visible import flattened
from dsh_tui.engine.llm.errors import LlmError

MAX_QUOTE = 500
"""Characters of a server's own text that a message repeats."""
MAX_DELAY_MS = 10**12

_OVERFLOW = re.compile(
    r"context[ _-]?(length|window)|maximum context|too many tokens|prompt is too long|input is too long"
    r"|reduce the length",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"(?<![a-z])(balance|quota|credits?|billing)(?![a-z])", re.IGNORECASE)
_RATE = re.compile(r"rate.?limit|too many requests", re.IGNORECASE)
_SERVER = re.compile(r"server|overload|unavailable|internal|capacity", re.IGNORECASE)


def http_error(status: int, headers: Mapping[str, str], body: bytes, *, now_ms: int) -> LlmError:
    """The error for an answer with a status that is not 200."""
    said = quote(body)
    delay = retry_after_ms(headers.get("retry-after"), now_ms=now_ms)
    code = _code(status, said, delayed=delay is not None)
    message = _sentence(code, status, said)
    if status in (301, 302, 303, 307, 308):
        message = f"The provider answered {status}, a redirect; it was not followed. Check the base URL."
    if delay is not None:
        message += f" The server asks to wait {delay / 1000:.0f} s."
    return LlmError(message, code=code, status=status, retry_after_ms=delay, request_id=request_id(headers))


def stream_error(error: object) -> LlmError:
    """The error for an error object inside a 200 answer."""
    said = quote(json.dumps({"error": error}, ensure_ascii=False).encode("utf-8", "replace"))
    number = error.get("code") if isinstance(error, dict) else None
    status = number if isinstance(number, int) and 400 <= number <= 599 else None
    if status is not None:
        code = _code(status, said, delayed=False)
    else:
        kinds = f"{error.get('type', '')} {number or ''}" if isinstance(error, dict) else ""
        code = _code_of_words(f"{said} {kinds}")
    return LlmError(_sentence(code, status, said), code=code, status=status)


def transport_error(error: BaseException, host: str) -> LlmError:
    """The error for a connection that failed before or while it answered."""
    reason = flattened(error_chain(error))[:MAX_QUOTE]
    return LlmError(f"No connection to {host}: {reason}", code="TRANSPORT")


def closed_error() -> LlmError:
    """The stream ended in the middle of the answer."""
    return LlmError("The stream ended before the answer was complete.", code="STREAM_CLOSED")


def malformed(text: str) -> LlmError:
    """The stream holds something that is not the chat protocol."""
    excerpt = flattened(text)[:80]
    return LlmError(
        f"The provider sent something that is no chat event: {excerpt}", code="MALFORMED_RESPONSE"
    )


def idle_error(seconds: float) -> LlmError:
    """Not a byte came for too long."""
    return LlmError(f"The provider sent no data for {seconds:g} s.", code="TIMEOUT")


def retry_after_ms(value: str | None, *, now_ms: int) -> int | None:
    """A ``Retry-After`` header in milliseconds from now; None unless it names a time to come."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        delay = int(text[:12]) * 1000
    else:
        try:
            when = parsedate_to_datetime(text)
        except ValueError:
            return None
        seconds = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now_ms / 1000
        delay = math.ceil(seconds) * 1000  # a date names whole seconds; better late than early
    return min(delay, MAX_DELAY_MS) if delay > 0 else None


def request_id(headers: Mapping[str, str]) -> str | None:
    """The provider's name for this request, for its support."""
    found = headers.get("x-request-id") or headers.get("x-deepseek-request-id") or ""
    return flattened(found)[:128] or None


def quote(body: bytes) -> str:
    """The server's own words out of an error body, on one line."""
    text = body.decode("utf-8", "replace").strip()
    if not text:
        return "(empty body)"
    if text[:1] == "<":
        return "(an HTML page)"
    with contextlib.suppress(ValueError, RecursionError):  # plain text says it as well
        text = _words(json.loads(text)) or text
    return flattened(text)[:MAX_QUOTE]


def _words(value: Any) -> str | None:  # Any: whatever JSON the server sent
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return None
    return next((words for key in ("error", "message", "detail") if (words := _words(value.get(key)))), None)


def _code(status: int, said: str, *, delayed: bool) -> str:
    if status in (400, 413, 422) and _OVERFLOW.search(said):
        return "CONTEXT_WINDOW_EXCEEDED"
    # "quota" together with a time to wait is a rate limit in other words.
    if status == 402 or (status in (400, 403, 429) and not delayed and _QUOTA.search(said)):
        return "QUOTA"
    named = {401: "AUTH", 403: "AUTH", 429: "RATE_LIMIT"}
    if status in named:
        return named[status]
    if status in (400, 413, 422):
        return "INVALID_REQUEST"
    return "SERVER" if 500 <= status <= 599 else f"HTTP_{status}"


def _code_of_words(said: str) -> str:
    for pattern, code in (
        (_OVERFLOW, "CONTEXT_WINDOW_EXCEEDED"),
        (_QUOTA, "QUOTA"),
        (_RATE, "RATE_LIMIT"),
        (_SERVER, "SERVER"),
    ):
        if pattern.search(said):
            return code
    return "PROVIDER_ERROR"


def _sentence(code: str, status: int | None, said: str) -> str:
    number = f" ({status})" if status is not None else ""
    match code:
        case "AUTH":
            return f"The provider refused the API key{number}: {said}. Check the key."
        case "QUOTA":
            return f"The account's balance does not cover the request{number}: {said}. Top it up."
        case "CONTEXT_WINDOW_EXCEEDED":
            return f"The conversation is longer than the model takes{number}: {said}"
        case "RATE_LIMIT":
            return f"Too many requests{number}: {said}."
        case "SERVER":
            return f"The provider has a problem{number}: {said}."
        case _:
            return f"The provider refused the request{number}: {said}"
