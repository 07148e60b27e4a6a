"""What ``git`` is told to run on its command line, and where it is led to write.

Source: design §4; manual of git.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.permissions.command_line import SimpleCommand, Word
from dsh_tui.engine.permissions.inside import EVERYTHING, Inside, joined, names, script
from dsh_tui.engine.permissions.options import Options

Words = tuple[Word, ...]

_VALUES: Final = names(
    "-C -c --attr-source --config-env --exec-path --git-dir --namespace --super-prefix --work-tree"
)
_RUNNERS: Final = names(
    "alias bundle config credential cvsserver daemon fast-import for-each-repo hook http-backend imap-send "
    "instaweb maintenance merge-index p4 receive-pack remote-ext remote-fd send-email shell "
    "submodule--helper svn upload-archive upload-pack web--browse"
)
"""Subcommands that run, serve or set what others run; ``git *`` does not name them."""
_MORE: Final = {
    "apply": Options.of("--unsafe-paths --directory"),
    "archive": Options.of("-o"),
    "bugreport": Options.of("-o --output-directory"),
    "checkout-index": Options.of("--prefix"),
    "clone": Options.of("-c -u --config", "bjo"),
    "diagnose": Options.of("-o --output-directory"),
    "fast-export": Options.of("--export-marks"),
    "format-patch": Options.of("-o --output-directory"),
    "help": Options.of("-w --web"),
    "index-pack": Options.of("-o"),
    "mailsplit": Options.of("-o"),
    "submodule": Options.of("--reference --template"),
}
"""Options of a subcommand's own that have to be spelled out."""


@dataclass(frozen=True, slots=True)
class _Told:
    """An option whose value is a command line."""

    letter: str
    name: str
    values: str = ""
    """Letters that take the rest of their word."""

    def find(self, words: Words, at: int) -> tuple[Word, int] | None:
        """The command line that ``words[at]`` brings, and how many words that takes."""
        word = words[at]
        name, equals, value = word.text.partition("=")
        following = words[at + 1] if at + 1 < len(words) else Word("")
        if len(name) > 3 and self.name.startswith(name):
            return (Word(value, word.literal), 1) if equals else (following, 2)
        short = re.match(rf"-(?:(?![{self.values}-])[A-Za-z0-9])*?{self.letter}", word.text)
        if short is None:
            return None
        rest = word.text[short.end() :]
        return (Word(rest, word.literal), 1) if rest else (following, 2)


_TOLD: Final = {
    "clone": _Told("u", "--upload-pack", "bcjo"),
    "difftool": _Told("x", "--extcmd", "t"),
    "grep": _Told("O", "--open-files-in-pager", "ABCefm"),
    "rebase": _Told("x", "--exec", "sXCW"),
}


def look_inside_git(words: Words) -> Inside:
    """Global options are looked through; those that change what git runs have to be spelled out."""
    at, spelled = 1, 0
    while at < len(words) and words[at].literal and words[at].text.startswith("-"):
        name, equals, _ = words[at].text.partition("=")
        width = 2 if name in _VALUES and not equals and name != "--exec-path" else 1
        if name in _VALUES:
            spelled = at + width
        at += width
    plain = words[:1] + words[at:]
    commands = (SimpleCommand(plain),) if at > 1 else ()
    run = _runs(plain)
    beyond = run.spelled + at - 1 if run.spelled else 0
    return Inside((*commands, *run.commands), max(spelled, beyond), doubt=run.doubt)


def _runs(words: Words) -> Inside:
    """What the subcommand is told to run."""
    texts = [word.text for word in words]
    subcommand = texts[1] if len(words) > 1 else ""
    if texts[1:3] == ["bisect", "run"]:
        return Inside((SimpleCommand(words[3:]),), 4)
    if subcommand == "submodule" and (inside := _foreach(words)) is not None:
        return inside
    if subcommand == "filter-branch":
        return Inside(spelled=EVERYTHING, doubt="what `git filter-branch` runs")
    if subcommand in _RUNNERS:
        return Inside(spelled=2)
    more = _MORE.get(subcommand)
    spelled = 0 if more is None else more.last(words)
    told = _TOLD.get(subcommand)
    return Inside(spelled=spelled) if told is None else _told(words, told, spelled)


def _foreach(words: Words) -> Inside | None:
    """``git submodule --quiet foreach --recursive 'command'``."""
    at = 2
    while at < len(words) and words[at].text.startswith("-"):
        at += 1
    if at >= len(words) or words[at].text != "foreach":
        return None
    rest = [word for word in words[at + 1 :] if word.text not in ("--recursive", "-q", "--quiet")]
    return joined(rest, len(words))


def _told(words: Words, option: _Told, spelled: int) -> Inside:
    commands: list[SimpleCommand] = []
    for at in range(2, len(words)):
        if (found := option.find(words, at)) is not None:
            text, width = found
            commands += script(text, 0).commands
            spelled = max(spelled, at + width)
    return Inside(tuple(commands), spelled)
