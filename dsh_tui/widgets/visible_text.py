"""Outside text as it is drawn: `visible`, an escape sequence as one ``␛``, typesetting hints left out.

Line feeds stay, so line numbers hold. What is to be compared or approved is drawn with nothing left out.
Source: design §3 row 17; terminal sequences after ECMA-48.
"""

from __future__ import annotations

import re

from dsh_tui.engine.base.visible import SOFT, exact, is_plain, visible

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
_NEVER_SEEN = str.maketrans(dict.fromkeys(SOFT))


def drawn(text: str) -> str:
    """Text as prose and output are drawn: `visible`, without what is but noise there."""
    if is_plain(text):
        return text
    return visible(SEQUENCE.sub("\x1b", text).translate(_NEVER_SEEN))


def one_line(text: str) -> str:
    """`drawn`, with line ends and tabs shown as well."""
    text = drawn(text)
    if "\n" in text:
        text = text.replace("\n", "⏎")
    return text.replace("\t", " ")


def exact_line(text: str) -> str:
    """`exact`, with line ends and tabs shown as well: for what a call acts on."""
    return exact(text).replace("\n", "⏎").replace("\t", "␉")
