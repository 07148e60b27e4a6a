"""Programs that can be told on their command line to run something else, or to write somewhere.

A rule for the program covers that only where it spells it out: ``git *`` does not reach
``git -c core.pager=…``. Source: design §4; manuals of git, findutils, make, tar, rsync, ripgrep.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from dsh_tui.engine.permissions.command_line import SimpleCommand, Word
from dsh_tui.engine.permissions.inside import EVERYTHING, MOST_STARTS, Inside, joined, names, script
from dsh_tui.engine.permissions.wrappers import fill, wrapped

Words = tuple[Word, ...]
MOST_DEPTH: Final = 6
"""Commands inside each other that are looked at."""

CHANGE_THE_SHELL: Final = names(
    ". alias bind compgen complete compopt declare enable eval exec export fc getopts hash let local mapfile "
    "read readarray readonly set shopt source trap typeset unalias unset wait"
)
"""Builtins after which names and words may mean something else, or which evaluate their arguments."""

_OPTIONS: Final = {
    "fd": "-x -X --exec --exec-batch",
    "fdfind": "-x -X --exec --exec-batch",
    "git": "--upload-pack --receive-pack --exec --extcmd --open-files-in-pager --output --ext-diff "
    "--template --sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd",
    "go": "-exec -toolexec -vettool --exec --toolexec --vettool",
    "jobs": "-x",
    "make": "--eval",
    "man": "-P -H --pager --html",
    "printf": "-v",
    "rg": "--pre --hostname-bin --search-zip",
    "rsync": "-e --rsh --rsync-path",
    "scp": "-o -S -D",
    "sftp": "-o -S -D",
    "sort": "--compress-program -o --output",
    "tar": "-I -F --to-command --checkpoint-action --use-compress-program --info-script --rmt-command "
    "--rsh-command",
    "tcpdump": "-z",
    "test": "-v -R",
    "[": "-v -R",
    "zip": "-TT --unzip-command",
}
"""Options that name what is run or written; long ones also in their abbreviations."""
_FIND_RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_CHANGES: Final = frozenset({"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"})
_MAKE_VARIABLE = re.compile(r"(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|MAKE)\s*[:+?!]{0,3}=")
_GIT_VALUES: Final = names(
    "-C -c --attr-source --config-env --exec-path --git-dir --namespace --super-prefix --work-tree"
)


def look_inside(command: SimpleCommand, depth: int = 0) -> Inside:
    """What the command runs besides itself."""
    inside = wrapped(command)
    if inside is None:
        program = command.program or ""
        special = _SPECIAL.get(program)
        inside = Inside() if special is None else special(command.words)
        return replace(inside, spelled=max(inside.spelled, _spelled_options(program, command.words)))
    if not inside.begins or not inside.commands:
        return inside
    inner = inside.commands[0]
    if depth >= MOST_DEPTH or inner.program in CHANGE_THE_SHELL:
        return replace(inside, spelled=EVERYTHING)
    more = look_inside(inner, depth + 1).spelled
    return replace(inside, spelled=max(inside.spelled, inside.begins + more if more else 0))


def _spelled_options(program: str, words: Words) -> int:
    """Up to where the last option stands that has to be spelled out."""
    options = _OPTIONS.get(program, "").split()
    spelled = 0
    looked_at = words[:2] if program == "printf" else words if options else ()  # printf: first or never
    for at, word in enumerate(looked_at, start=1):
        if word.literal and word.text == "--" and program not in ("test", "["):
            break
        old_tar = program == "tar" and at == 2 and not word.text.startswith("-")
        given = Word(f"-{word.text}", word.literal) if old_tar else word
        if any(_may_be(given, option) for option in options):
            spelled = at
    return spelled


def _may_be(word: Word, option: str) -> bool:
    """True if the word is the option, abbreviated or among other letters, or may turn into it."""
    name = word.text.partition("=")[0]
    if not word.literal and (option.startswith(word.text) or word.text.startswith(option)):
        return True
    if option.startswith("--"):
        return len(name) > 3 and option.startswith(name)
    is_letter = len(option) == 2
    return word.text.startswith(option) or (
        is_letter and bool(re.match(rf"-[A-Za-z]*{option[1]}", word.text))
    )


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


def _git(words: Words) -> Inside:
    """Global options are looked through; those that change what git runs have to be spelled out."""
    at, spelled = 1, 0
    while at < len(words) and words[at].literal and words[at].text.startswith("-"):
        name, equals, _ = words[at].text.partition("=")
        width = 2 if name in _GIT_VALUES and not equals and name != "--exec-path" else 1
        if name in _GIT_VALUES:
            spelled = at + width
        at += width
    plain = words[:1] + words[at:]
    commands = (SimpleCommand(plain),) if at > 1 else ()
    run = _git_runs(plain)
    beyond = run.spelled + at - 1 if run.spelled else 0
    return Inside((*commands, *run.commands), max(spelled, beyond), doubt=run.doubt)


def _git_runs(words: Words) -> Inside:
    """What the subcommand is told to run."""
    texts = [word.text for word in words]
    match texts[1:3]:
        case ["bisect", "run"]:
            return Inside((SimpleCommand(words[3:]),), 4)
        case ["submodule", "foreach"]:
            rest = [word for word in words[3:] if word.text not in ("--recursive", "-q", "--quiet")]
            return joined(rest, len(words))
        case ["filter-branch", *_]:
            return Inside(spelled=EVERYTHING, doubt="what `git filter-branch` runs")
        case ["config" | "alias" | "credential" | "upload-pack" | "receive-pack" | "shell", *_]:
            return Inside(spelled=2)
        case ["rebase" | "grep" | "difftool" | "clone" as name, *_]:
            letter = {"rebase": "-x", "grep": "-O", "difftool": "-x", "clone": "-u"}[name]
            return _told(words, (letter, "--exec", "--extcmd"))
        case _:
            return Inside()


def _told(words: Words, options: tuple[str, ...]) -> Inside:
    """Scripts that are values of options."""
    commands: list[SimpleCommand] = []
    spelled = 0
    for at, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if name in options:
            text = Word(value, word.literal) if equals else words[at + 1] if at + 1 < len(words) else Word("")
            commands += script(text, 0).commands
            spelled = at + (1 if equals else 2)
        elif word.text[:2] == options[0]:
            commands += script(Word(word.text[2:], word.literal), 0).commands
            spelled = at + 1
    return Inside(tuple(commands), spelled)


def _make(words: Words) -> Inside:
    settings = [
        at for at, word in enumerate(words) if _MAKE_VARIABLE.match(word.text) or (at and not word.literal)
    ]
    return Inside(spelled=settings[-1] + 1 if settings else 0)


def _fd(words: Words) -> Inside:
    for at, word in enumerate(words):
        if word.text in ("-x", "-X", "--exec", "--exec-batch"):
            return Inside((SimpleCommand(fill(words[at + 1 :], "{}")),), at + 2)
    return Inside()


_SPECIAL: Final[dict[str, Callable[[Words], Inside]]] = {
    "fd": _fd,
    "fdfind": _fd,
    "find": _find,
    "git": _git,
    "gmake": _make,
    "make": _make,
}
