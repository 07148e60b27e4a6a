"""Outside text made safe to draw: nothing in it can drive the terminal or hide from the reader.

An escape sequence becomes one ``␛`` and its parameters go; other control characters become their
pictures, direction and line-splitting characters their escapes. Line feeds stay, so line numbers hold.
`exact` keeps every byte readable, for what is to be approved.
Source: design §3 row 17; terminal sequences after ECMA-48.
"""

from __future__ import annotations

import re

TAB = 4
"""Columns between tab stops, wherever text is drawn."""

# Nothing runs past a line's end: an unfinished sequence swallows the rest of its line at most.
SEQUENCE = re.compile(
    r"""(?:\x1b\[|\x9b)[0-?]*[ -/]*(?:[@-~]|(?=[\n\x1b])|\Z)          # CSI: colours, cursor, modes
    |(?:\x1b[\]P^_X]|[\x9d\x90\x9e\x9f\x98])[^\x07\x1b\x9c\n]*(?:\x07|\x9c|\x1b\\)?  # OSC, DCS, …: strings
    |\x1b[ -/]+[0-~]?                                              # character sets
    |\x1b[0-~]?                                                    # everything of one letter
    """,
    re.VERBOSE,
)
_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u00ad\u180e\u200b\u2060-\u2064\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{_DIRECTION}{_INVISIBLE}]")
_HIDDEN = re.compile(f"[\u200b-\u200d\u034f\u115f\u1160\u3164\uffa0{_INVISIBLE}]")
_NEVER_SEEN = re.compile(f"[{_INVISIBLE}]")


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if _NEVER_SEEN.match(match.group()):
        return ""
    return escape(match.group())


def escape(character: str) -> str:
    r"""A character spelled out: ``\x9b``, ``\u202e``."""
    code = ord(character)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"


def visible(text: str) -> str:
    """Text as it may be drawn. Keeps line feeds and tabs."""
    if _UNSAFE.search(text) is None:
        return text
    text = text.replace("\r\n", "\n")
    return _UNSAFE.sub(_picture, SEQUENCE.sub("\x1b", text))


def one_line(text: str) -> str:
    """`visible`, with line ends and tabs shown as well."""
    text = visible(text)
    if "\n" in text:
        text = text.replace("\n", "⏎")
    return text.replace("\t", " ")


def exact(text: str) -> str:
    """Every character to be seen, escape sequences in full: for what a person is to approve."""
    if _UNSAFE.search(text) is None and _HIDDEN.search(text) is None:
        return text
    text = _HIDDEN.sub(lambda match: escape(match.group()), text)
    return _UNSAFE.sub(_picture, text)
