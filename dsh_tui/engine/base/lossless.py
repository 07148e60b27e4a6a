"""JSON text, one way to write it: compact, UTF-8, one line, safe to grep and to print.

Chinese stays readable; lone surrogates (half of a pair cut between two deltas),
C0/C1 control characters and U+2028/9 are escaped, so that a log line is valid
UTF-8, is one line for every reader, and never drives a terminal.
Source: spec core §3.
"""

from __future__ import annotations

import json
import re
from typing import Any

# json.dumps already escapes C0; DEL, C1, line separators and surrogates are left to us.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False
).encode


def dumps(value: Any) -> str:  # Any: any frozen JSON value
    """One line of JSON text. Round-trips exactly through `loads`."""
    text = _encode(value)
    if _UNSAFE.search(text) is None:
        return text
    return _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def dump_bytes(value: Any) -> bytes:  # Any: any frozen JSON value
    """`dumps` as UTF-8."""
    return dumps(value).encode("utf-8")


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def loads(text: str | bytes) -> Any:  # Any: the shape is for the caller to check
    """Parse one JSON text; NaN and Infinity are refused.

    Raises:
        ValueError: not JSON.
    """
    return json.loads(text, parse_constant=_refuse_constant)
