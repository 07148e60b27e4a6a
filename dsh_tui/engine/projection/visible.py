"""Control characters as visible symbols: text of models and tools never drives a terminal.

Source: design §3.17.
"""

from __future__ import annotations

_C1 = {code: f"\\x{code:02x}" for code in range(0x80, 0xA0)}
_C0 = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
_BIDI = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_VISIBLE = {**_C0, **_C1, **_BIDI, 0x7F: "␡"}


def visible(text: str) -> str:
    """``text`` with every control character but tab and line feed as a visible symbol."""
    return text.replace("\r\n", "\n").translate(_VISIBLE)
