"""What a reader can't see or a terminal would obey, classed once, and the ways to show it.

Unsafe are control characters, direction marks, line and paragraph separators, unpaired surrogates,
tags and whatever else has no picture of its own. Joiners and variation selectors belong to emoji and to
many scripts: they are unsafe where there is nothing in front of them that they could shape.
Tabs and line feeds are text. Source: design §3 row 17; Unicode (default ignorable code points).
"""

from __future__ import annotations

import re
from typing import Final

SOFT: Final = "\u00ad\u200b\u2060\ufeff"
"""Hints for typesetting that do no harm in prose: break here, don't break here, file begins."""
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"
_SEPARATORS = "\u2028\u2029"
_BLANKS = "\u115f\u1160\u17b4\u17b5\u180e\u2061-\u2065\u3164\uffa0\ufff0-\ufffb"
_NEAR = f"{_CONTROLS}{_DIRECTIONS}{_SEPARATORS}{_BLANKS}{SOFT}\ud800-\udfff"
_FAR = "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"  # and tags
_JOINERS = "\u200c\u200d\u034f\u180b-\u180d\u180f\ufe00-\ufe0e"
_FAR_JOINERS = "\U000e0100-\U000e01ef"
_EMOJI = "\ufe0f"

_SHAPELESS = rf"\x00-\x7f{_NEAR}{_FAR}{_JOINERS}{_FAR_JOINERS}"
# Texts, which `re` compiles when it first needs them, and keeps: few runs meet such characters.
_UNSAFE: Final = (
    rf"[{_NEAR}{_FAR}]"
    rf"|(?<![^{_SHAPELESS}])[{_JOINERS}{_FAR_JOINERS}]"
    rf"|(?<![^{_SHAPELESS}{_EMOJI}]){_EMOJI}(?!\u20e3)"  # 1️⃣ is a digit, the selector, a keycap
)
_INVISIBLE: Final = f"[{_NEAR}{_FAR}{_JOINERS}{_FAR_JOINERS}{_EMOJI}]"
_UNREADABLE: Final = rf"[\s{_NEAR}{_FAR}]+"
# Nearly all text is plain. A set within a byte, or within 16 bits, is a bitmap: several times as quick.
_ASCII_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_SHORT: Final = re.compile(f"[{_NEAR}{_JOINERS}{_EMOJI}]")
_LONG: Final = re.compile("[\U0001bca0-\U000e0fff]")


def visible(text: str) -> str:
    """``text`` with a symbol or an escape for each unsafe character; line ends become line feeds."""
    if is_plain(text):
        return text
    return re.sub(_UNSAFE, _symbol, text.replace("\r\n", "\n"))


def exact(text: str) -> str:
    """Every invisible character as a symbol or an escape: for what a person is to approve."""
    return text if is_plain(text) else re.sub(_INVISIBLE, _symbol, text)


def exact_line(text: str) -> str:
    """`exact` on one line: line ends and tabs as symbols, too."""
    return exact(text).replace("\n", "␊").replace("\t", "␉")


def marked(text: str) -> tuple[str, int]:
    """Unsafe characters in brackets that no source code has (``⟦U+202E⟧``), and how many there were."""
    return (text, 0) if is_plain(text) else re.subn(_UNSAFE, _mark, text)


def flattened(text: str) -> str:
    """On one line: white space and what can't be read is one blank."""
    return re.sub(_UNREADABLE, " ", text).strip()


def is_plain(text: str) -> bool:
    """Whether every character of ``text`` shows itself, so that all ways to show it give it back."""
    if text.isascii():
        return text.isprintable() or _ASCII_CONTROLS.search(text) is None
    return _SHORT.search(text) is None and (_LONG.search(text) is None or re.search(_INVISIBLE, text) is None)


def escape(character: str) -> str:
    r"""A character spelled out: ``\x9b``, ``\u202e``, ``\U000e0041``."""
    code = ord(character)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"


def _picture(code: int) -> str | None:
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else None


def _symbol(match: re.Match[str]) -> str:
    return _picture(ord(match.group())) or escape(match.group())


def _mark(match: re.Match[str]) -> str:
    code = ord(match.group())
    return _picture(code) or f"⟦U+{code:04X}⟧"
