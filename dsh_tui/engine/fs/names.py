"""Names and text of files as a model can read them: one line, no control characters, reversible.

A name with anything invisible in it is written in double quotes with escapes, much as git
does; `unquote` gives the very same name back, so a listed name can be opened. Bytes that are
not UTF-8 are ``\\xNN``. Source: design §3.17.
"""

from __future__ import annotations

import re
from pathlib import Path

from dsh_tui.engine.base.visible import is_plain

_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_ESCAPE = re.compile(r"\\(?:n|t|r|\"|\\|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
_BREAK = re.compile(r"[\n\t]")
_LONG = {text: char for char, text in _SHORT.items()}


def show_name(name: str) -> str:
    """The name itself where it is plain, else its quoted form."""
    if not name or name != name.strip() or name.startswith('"') or not is_plain(name) or _BREAK.search(name):
        return '"' + "".join(map(_escaped, name)) + '"'
    return name


def show_path(path: Path | str) -> str:
    """`show_name` for a path."""
    return show_name(str(path))


def unquote(text: str) -> str | None:
    """The name behind a quoted form; None if the text is not one."""
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):
        return None
    return unescape(text[1:-1])


def unescape(text: str) -> str:
    """Text with the escapes of `show_name` resolved."""
    return _ESCAPE.sub(_original, text)


def _escaped(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # surrogateescape: a raw byte
        return f"\\x{code - 0xDC00:02x}"
    if is_plain(char):
        return char
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _original(match: re.Match[str]) -> str:
    byte, four, eight = match.groups()
    if byte is not None:
        code = int(byte, 16)
        return chr(code) if code < 0x80 else chr(0xDC00 + code)
    if four is not None:
        return chr(int(four, 16))
    if eight is not None:
        code = int(eight, 16)
        return chr(code) if code < 0x110000 else match.group()
    return _LONG[match.group()]
