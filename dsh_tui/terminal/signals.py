"""What a terminal can be told beside what it shows: bell, title, desktop notification. Text to bytes, pure.

Outside text never leaves its sequence: it is one line without anything that a terminal would obey.
Source: ECMA-48; xterm control sequences (OSC 2, CSI t); iTerm2 (OSC 9), urxvt (OSC 777), kitty (OSC 99).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from dsh_tui.engine.base.visible import flattened

Protocol: TypeAlias = Literal["osc9", "osc777", "osc99"]

BELL: Final = "\a"
KEEP_TITLE: Final = "\x1b[22;2t"
RESTORE_TITLE: Final = "\x1b[23;2t"
LONGEST: Final = 120
"""Characters of a title or a notification."""
_OSC777_PROGRAMS: Final = ("WezTerm", "ghostty")
_OSC777_TERMINALS: Final = ("rxvt", "foot")
_SILENT: Final = ("linux", "dumb")


def safe(text: str, longest: int = LONGEST) -> str:
    """One line of plain text."""
    line = flattened(text)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def title(text: str) -> str:
    """Names the window."""
    return f"\x1b]2;{safe(text)}\a"


def desktop(head: str, body: str, protocol: Protocol, *, in_tmux: bool) -> str:
    """Shows a notification on the desktop; tmux is asked to hand it on, which its own setting allows."""
    head, body = safe(head), safe(body)
    match protocol:
        case "osc9":
            sequence = f"\x1b]9;{safe(f'{head}: {body}')}\a"
        case "osc777":
            sequence = f"\x1b]777;notify;{head.replace(';', ',')};{body}\a"
        case "osc99":
            sequence = f"\x1b]99;i=dsh-tui:d=0;{head}\a\x1b]99;i=dsh-tui:p=body;{body}\a"
    if not in_tmux:
        return sequence
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}\x1b\\"


def protocol_of(environ: Mapping[str, str]) -> Protocol | None:
    """How this terminal takes notifications; None for one that would print them.

    One way each: several terminals know more than one, and would show the same thing twice.
    """
    terminal, program = environ.get("TERM", ""), environ.get("TERM_PROGRAM", "")
    if terminal in _SILENT:
        return None
    if environ.get("KITTY_WINDOW_ID") or terminal == "xterm-kitty":
        return "osc99"
    if program in _OSC777_PROGRAMS or terminal.startswith(_OSC777_TERMINALS) or environ.get("VTE_VERSION"):
        return "osc777"
    return "osc9"
