"""Reads the inside of ``[[ … ]]``, as far as it can only look: at texts and at files.

Whatever evaluates an operand (``-v``, ``-eq``), matches a pattern or expands more than a variable is not
understood: an index such as ``a[$(x)]`` can hide in there. Source: Bash Reference Manual, Conditional
Constructs.
"""

from __future__ import annotations

import re
from typing import Final

from dsh_tui.engine.permissions.command_line import NotUnderstood

Span = tuple[int, int]

_TOKEN: Final = re.compile(
    r"""[ \t]+(?:
        (?P<end>\]\])(?=[ \t\n;&|)]|\Z)
        |(?:(?P<joins>&&|\|\|)|(?P<not>!)|(?P<binary>==?|!=|-(?:nt|ot|ef))|(?P<unary>-[a-hknprstuwxzGLNOS])
            |(?P<operand>[A-Za-z0-9_./:@%+,-]+|'[^'\n]*'|"[^"$`\\\n]*"|\$[A-Za-z_][A-Za-z0-9_]*|"\$[A-Za-z_][A-Za-z0-9_]*")
        )(?=[ \t])
    )""",
    re.VERBOSE,
)


def read_condition(text: str, at: int) -> tuple[list[Span], int]:
    """Where the words behind ``[[`` are, with ``]]``, and where it ends; ``at`` is right behind ``[[``.

    Raises:
        NotUnderstood: it may do more than look.
    """
    places: list[Span] = []
    expected, kind = "term", ""
    while kind != "end":
        token = _TOKEN.match(text, at)
        if token is None:
            raise NotUnderstood("`[[` with more than a look at texts and files")
        kind = str(token.lastgroup)
        expected = _following(expected, kind, token[kind])
        places.append(token.span(kind))
        at = token.end()
    return places, at


def _following(expected: str, kind: str, word: str) -> str:
    """What may come behind a word of this kind, where ``expected`` may stand."""
    match expected, kind:
        case "term", "not":
            return "term"
        case "term", "unary":
            return "operand"
        case "term", "operand" if not word.startswith("-"):
            return "operator"
        case "operator", "binary":
            return "operand"
        case "operand", "operand":
            return "joint"
        case (("operator" | "joint"), "joins"):
            return "term"
        case (("operator" | "joint"), "end"):
            return ""
    raise NotUnderstood("`[[` with more than a look at texts and files")
