"""Programs that can be told on their command line to run something else, or to write somewhere.

A rule for the program covers that only where it spells it out: ``git *`` does not reach
``git -c core.pager=…``. Options that say so are in `options`; here is what
takes more than a look at single words. Source: design §4; manuals of findutils, make, sed, Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from dsh_tui.engine.permissions.command_line import SimpleCommand, Word
from dsh_tui.engine.permissions.git_programs import look_inside_git
from dsh_tui.engine.permissions.inside import EVERYTHING, MOST_STARTS, Inside, names
from dsh_tui.engine.permissions.options import spelled_options
from dsh_tui.engine.permissions.wrappers import fill, wrapped

Words = tuple[Word, ...]
MOST_DEPTH: Final = 6
"""Commands inside each other that are looked at."""

CHANGE_THE_SHELL: Final = names(
    ". alias bind compgen complete compopt declare enable eval exec export fc getopts hash let local mapfile "
    "read readarray readonly set shopt source trap typeset unalias unset wait"
)
"""Builtins after which names and words may mean something else, or which evaluate their arguments."""

_FIND_RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_CHANGES: Final = frozenset({"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"})
_NUMBER_OF_MAKE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=[0-9]*")
"""The one setting that can't name what a Makefile then runs; ``CC=…`` and ``X=$(shell …)`` can."""
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_PYTHON_OPTION = re.compile(r"-[bBdEhiIOPqRsSuvVx?]*([cmWX])(.*)", re.DOTALL)
_SED_COMMAND = re.compile(
    r"\s*(?:(?:[0-9]+|\$|/(?:\\.|[^/\\\n])*/)(?:,(?:\+?[0-9]+|\$|/(?:\\.|[^/\\\n])*/))?)?\s*!?"
    r"(?:[dDgGhHlnNpPx=]|[qQ][0-9]*|[sy]([/|#,:@])(?:\\.|(?!\1)[^\\\n])*\1(?:\\.|(?!\1)[^\\\n])*\1[0-9gpiIM]*)"
    r"\s*(?:;|\n|$)"
)
"""A command of sed that neither runs nor writes anything."""
_SED_SCRIPT = re.compile(r"-[nErsuz]*e")
_SED_FLAG = re.compile(r"-[nErsuz]+|--(?:quiet|silent|regexp-extended|null-data|unbuffered|posix|debug)")
_MODULES: Final = {"dsh_tui": "dsh-tui"}
"""Modules of Python that are a program of another name."""
DECIDE_FOR_A_PERSON: Final = frozenset({("plugins", "trust"), ("sessions", "delete")})
"""Subcommands of dsh-tui that do what only a person should."""


def look_inside(command: SimpleCommand, depth: int = 0) -> Inside:
    """What the command runs besides itself."""
    inside = wrapped(command)
    if inside is None:
        program = command.program or ""
        special = _python if _PYTHON.fullmatch(program) else _SPECIAL.get(program)
        inside = Inside() if special is None else special(command.words)
        return replace(inside, spelled=max(inside.spelled, spelled_options(program, command.words)))
    if not inside.begins or not inside.commands:
        return inside
    inner = inside.commands[0]
    if depth >= MOST_DEPTH or inner.program in CHANGE_THE_SHELL:
        return replace(inside, spelled=EVERYTHING)
    more = look_inside(inner, depth + 1).spelled
    return replace(inside, spelled=max(inside.spelled, inside.begins + more if more else 0))


def _find(words: Words) -> Inside:
    commands: list[SimpleCommand] = []
    spelled = 0
    for at, word in enumerate(words):
        if at and word.can_be_option() and not word.literal:
            spelled = EVERYTHING
        if word.text in _FIND_CHANGES:
            spelled = max(spelled, at + 1)
        elif word.text in _FIND_RUNS:
            if len(commands) == MOST_STARTS:
                return Inside(tuple(commands), EVERYTHING, doubt="more commands than are looked at")
            rest = words[at + 1 :]
            end = next((i for i, w in enumerate(rest) if w.text == ";" or _ends_batch(rest, i)), len(rest))
            inner = SimpleCommand(fill(rest[:end], "{}"))
            commands.append(inner)
            more = EVERYTHING if inner.program == "find" else look_inside(inner, MOST_DEPTH).spelled
            spelled = max(spelled, at + 2, at + 1 + more)
    return Inside(tuple(commands), spelled)


def _ends_batch(words: Words, at: int) -> bool:
    return words[at].text == "+" and at > 0 and words[at - 1].text == "{}"


def _make(words: Words) -> Inside:
    settings = [
        at
        for at, word in enumerate(words)
        if at and (not word.literal or ("=" in word.text and not _is_harmless_to_make(word.text)))
    ]
    return Inside(spelled=settings[-1] + 1 if settings else 0)


def _is_harmless_to_make(text: str) -> bool:
    return text.startswith("-") or _NUMBER_OF_MAKE.fullmatch(text) is not None


def _python(words: Words) -> Inside:
    """``python -m module``: what is known of the program of that name holds for the module."""
    at = 1
    while at < len(words) and words[at].literal and words[at].text.startswith("-"):
        option = _PYTHON_OPTION.fullmatch(words[at].text)
        if option is None:
            at += 1
            continue
        letter, rest = option.groups()
        if letter == "c":
            break
        if letter == "m":
            begins = at if rest else at + 1
            module = Word(rest) if rest else words[begins] if begins < len(words) else Word("")
            return _module(module, words[begins + 1 :], begins)
        at += 1 if rest else 2
    return Inside()


def _module(module: Word, arguments: Words, begins: int) -> Inside:
    named = Word(_MODULES.get(module.text, module.text), module.literal)
    inner = SimpleCommand((named, *arguments))
    again = _PYTHON.fullmatch(inner.program or "") is not None
    more = EVERYTHING if again else look_inside(inner, MOST_DEPTH).spelled
    return Inside((inner,), begins + more if more else 0)


def _sed(words: Words) -> Inside:
    """Scripts that may run or write something, and every option that is more than a flag."""
    spelled, script = 0, 0
    at = 1
    while at < len(words):
        word = words[at]
        if _SED_SCRIPT.fullmatch(word.text) and at + 1 < len(words):
            at += 1
            script = at
            spelled = spelled if _only_looks(words[at]) else at + 1
        elif word.can_be_option() and word.text != "-":
            spelled = spelled if word.literal and _SED_FLAG.fullmatch(word.text) else at + 1
        elif not script:
            script = at
            spelled = spelled if _only_looks(word) else at + 1
        at += 1
    return Inside(spelled=spelled)


def _only_looks(script: Word) -> bool:
    at = 0
    while script.literal and at < len(script.text):
        command = _SED_COMMAND.match(script.text, at)
        if command is None:
            return False
        at = command.end()
    return script.literal


def _second_is_written(values: str) -> Callable[[Words], Inside]:
    """Of programs that write what is named second; ``values`` are letters whose value is the next word."""

    def look(words: Words) -> Inside:
        operands, at = 0, 1
        while at < len(words):
            text = words[at].text
            if re.fullmatch(f"-[{values}]", text):
                at += 1
            elif not words[at].literal or text == "-" or not text.startswith("-"):
                operands += 1 if words[at].literal else 2
                if operands > 1:
                    return Inside(spelled=len(words))
            at += 1
        return Inside()

    return look


def _dsh_tui(words: Words) -> Inside:
    return Inside(spelled=3 if tuple(word.text for word in words[1:3]) in DECIDE_FOR_A_PERSON else 0)


def _fd(words: Words) -> Inside:
    for at, word in enumerate(words):
        if word.text in ("-x", "-X", "--exec", "--exec-batch"):
            return Inside((SimpleCommand(fill(words[at + 1 :], "{}")),), at + 2)
    return Inside()


_SPECIAL: Final[dict[str, Callable[[Words], Inside]]] = {
    "dsh-tui": _dsh_tui,
    "fd": _fd,
    "fdfind": _fd,
    "find": _find,
    "git": look_inside_git,
    "gmake": _make,
    "make": _make,
    "sed": _sed,
    "uniq": _second_is_written("fsw"),
    "xxd": _second_is_written("cglosnR"),
}
