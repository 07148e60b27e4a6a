"""What rules for ``bash`` make of a command line.

Deny and ask rules look at every command that the line would run, through wrappers, assignments and
scripts given as text. An allow needs each of them to be covered, and nothing beside them that no
rule can cover. Source: design §3.15 and §4 (``permissions test``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsh_tui.engine.fs.workspace import is_inside
from dsh_tui.engine.permissions.command_line import CommandLine, Redirect, SimpleCommand
from dsh_tui.engine.permissions.command_pattern import Match, read_pattern
from dsh_tui.engine.permissions.destruction import STEERS, Place, may_steer
from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.inside import Inside, names
from dsh_tui.engine.permissions.programs import CHANGE_THE_SHELL, MOST_DEPTH, look_inside
from dsh_tui.engine.permissions.reading import read
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.permissions.text_readers import reads_text
from dsh_tui.engine.permissions.verdict import Verdict

MOST_WORDS: Final = 20_000
"""Words of commands inside commands that are looked at; what has more is not understood."""
MOVERS: Final = frozenset({"cd", "pushd", "popd"})
_BRING_FILES: Final = names("7z bsdtar cp cpio curl gh ln mv patch rsync scp tar tee unzip wget")
_GIT_BRINGS_NONE: Final = names(
    "add blame branch commit describe diff fetch grep log ls-files push rev-parse show status tag"
)
_LOOP = re.compile(r"\b(?:while|until|for)\b")


@dataclass(frozen=True, slots=True)
class Found:
    """All commands that a line would run, as far as it tells."""

    commands: tuple[SimpleCommand, ...]
    doubt: str
    """Why there may be others."""


def command_of(call: CallFacts) -> CommandLine:
    """The command line of a ``bash`` call."""
    text = call.arguments.get("command")
    return read(text) if isinstance(text, str) else CommandLine(doubt="it has no command")


def directory_of(call: CallFacts) -> Path | None:
    """Where it runs; None if that is not certain."""
    folder = call.arguments.get("workdir")
    if not folder:
        return call.cwd
    if not isinstance(folder, str) or "\0" in folder:
        return None
    try:
        return call.cwd / Path(folder).expanduser()
    except (RuntimeError, ValueError):
        return None


def find_all(line: CommandLine) -> Found:
    """The commands of the line, and those inside them."""
    found: dict[SimpleCommand, None] = {}
    doubts = [line.doubt]
    looked_at = 0
    waiting = [(command, 0) for command in reversed(line.commands)]
    while waiting:
        command, depth = waiting.pop()
        if command in found:
            continue
        found[command] = None
        if command.name is None:
            doubts.append("an expansion decides which command runs")
            continue
        inside = look_inside(command)
        doubts.append(inside.doubt)
        looked_at += sum(len(inner.words) for inner in inside.commands)
        if inside.commands and (depth >= MOST_DEPTH or looked_at > MOST_WORDS):
            doubts.append("it has too many commands inside commands")
            continue
        waiting += [(inner, depth + 1) for inner in reversed(inside.commands)]
    return Found(tuple(found), next(filter(None, doubts), ""))


def may_leave(call: CallFacts, line: CommandLine, command: SimpleCommand) -> bool:
    """True if a ``cd`` or its like may lead out of the project. A second one counts from the first."""
    directory, words = directory_of(call), command.words
    if directory is None or len(words) != 2 or not words[1].literal or words[1].text.startswith("-"):
        return True
    if not words[1].text.startswith("/") and _moves_again(call, line):
        return True
    return not is_inside(call.cwd, str(directory / words[1].text))


def _moves_again(call: CallFacts, line: CommandLine) -> bool:
    moves = sum(any(word.text in MOVERS for word in command.words) for command in line.commands)
    return moves > 1 or _LOOP.search(str(call.arguments.get("command"))) is not None


def judge_command(rules: Sequence[Rule], call: CallFacts) -> Verdict:
    """The verdict on a ``bash`` call; ``rules`` are those for ``bash``."""
    line = command_of(call)
    found = find_all(line)
    cwd = directory_of(call) or call.cwd
    unsure: Verdict | None = None
    for effect in ("deny", "ask"):
        for rule in rules:
            if rule.effect != effect:
                continue
            match, what = _match(rule, found, cwd)
            if match == "yes":
                words = "denied" if effect == "deny" else "has to be asked for"
                return Verdict(effect, rule, f"{what} {words}, by {rule.text}.")
            if match == "maybe" and unsure is None:
                unsure = Verdict("ask", rule, f"{what}, so that {rule.text} may apply.")
    return unsure or _allowed([rule for rule in rules if rule.effect == "allow"], line, call)


def _match(rule: Rule, found: Found, cwd: Path) -> tuple[Match, str]:
    """Whether a deny or ask rule speaks of the line, and the subject of a sentence about it."""
    if rule.pattern is None:
        return "yes", "Every command is" if rule.effect == "deny" else "Every command"
    pattern = read_pattern(rule.pattern)
    maybe = ""
    for command in found.commands:
        match = pattern.compare(command, cwd)
        if match == "yes":
            return "yes", f"`{command.show()}` is" if rule.effect == "deny" else f"`{command.show()}`"
        if match == "maybe" and not maybe:
            maybe = f"Expansions decide what `{command.show()}` becomes"
    if not maybe and found.doubt:
        maybe = f"The command could not be fully understood ({found.doubt})"
    return ("maybe", maybe) if maybe else ("no", "")


def _allowed(rules: Sequence[Rule], line: CommandLine, call: CallFacts) -> Verdict:
    if not rules:
        return Verdict(None, None, "No rule covers the command.")
    if line.doubt:
        return Verdict(None, None, f"The command could not be fully understood: {line.doubt}.")
    every = next((rule for rule in rules if rule.pattern is None), None)
    if every is not None:
        return Verdict("allow", every, f"Every command is allowed, by {every.text}.")
    cover = _Cover(rules, line, call)
    if objection := cover.objection():
        return Verdict(None, None, objection)
    assert cover.used is not None
    return Verdict("allow", cover.used, f"Allowed by {cover.used.text}.")


class _Cover:
    """Whether allow rules cover all of a line."""

    def __init__(self, rules: Sequence[Rule], line: CommandLine, call: CallFacts) -> None:
        self._rules = [(rule, read_pattern(rule.pattern)) for rule in rules if rule.pattern is not None]
        self._call = call
        self._line = line
        self._project = call.cwd
        self._directory = directory_of(call)
        moves = [command for command in find_all(line).commands if command.program in MOVERS]
        self._moves = bool(moves)
        """Something in the line changes the directory of what follows."""
        start = self._directory or call.cwd
        moved = (start / word.text for move in moves for word in move.words[1:2] if word.literal)
        self._place = Place(call.cwd, start, True, call.kept, tuple(moved))
        self.used: Rule | None = None
        """The first rule that covered something."""

    def objection(self) -> str:
        """One sentence about the first thing that is not covered; empty if all is."""
        if self._directory is None or not is_inside(self._project, str(self._directory)):
            return "It runs in a directory outside the workspace, which no rule covers."
        if self._line.assignments:
            return f"It sets {self._line.assignments[0]}, which no rule covers."
        if self._line.expands:
            return "Its here-document has expansions, which no rule covers."
        for fed in self._line.fed:
            if fed is None or not reads_text(fed):
                reader = "A group" if fed is None else f"`{fed.show()}`"
                return f"{reader} may run what it reads from a here-document, which no rule covers."
        for redirect in self._line.redirects:
            if not self._is_harmless(redirect):
                return f"It redirects ({redirect.show()}), which no rule covers."
        for command in self._line.commands:
            if why := self._uncovered(command):
                return why
        return "" if self._line.commands else "It runs no command that a rule could cover."

    def _uncovered(self, command: SimpleCommand) -> str:
        """Why neither the command nor, behind transparent wrappers, the one that it runs is covered."""
        objection = self._objection_to(command)
        inside = look_inside(command)
        for _ in range(MOST_DEPTH):
            if not objection or not inside.transparent:
                break
            objection = self._objection_to(inside.commands[0])
            inside = look_inside(inside.commands[0])
        return objection

    def _objection_to(self, command: SimpleCommand) -> str:
        if command.name is None:
            return "An expansion decides which command runs."
        if command.program in CHANGE_THE_SHELL:
            return f"`{command.program}` can change what other commands mean; no rule covers it."
        inside = look_inside(command)
        matching = [rule for rule, pattern in self._rules if pattern.is_exactly(command.words)]
        if not matching:
            return f"`{command.show()}` is not covered by any rule."
        return self._unspelled(command, inside, matching)

    def _unspelled(self, command: SimpleCommand, inside: Inside, matching: Sequence[Rule]) -> str:
        relative = "/" in (command.name or "") and not (command.name or "").startswith("/")
        if relative and (self._moves or self._directory != self._project):
            return f"`{command.name}` depends on the directory, which is changed."
        if command.program == "git" and self._enters_another_repository():
            return "git may act on another repository inside the workspace, whose settings can run programs."
        steers = any(may_steer(one, self._place) for one in (command, *inside.commands))
        leaves = command.program in MOVERS and may_leave(self._call, self._line, command)
        for rule, pattern in self._rules:
            spells_out = not pattern.more if leaves or steers else len(pattern.words) >= inside.spelled
            if rule in matching and spells_out:
                self.used = self.used or rule
                return ""
        if leaves:
            return f"`{command.show()}` may leave the workspace, which {matching[0].text} does not spell out."
        if steers:
            return f"`{command.show()}` {STEERS}, or may, which {matching[0].text} does not spell out."
        return f"`{command.show()}` can run or write more than {matching[0].text} spells out."

    def _enters_another_repository(self) -> bool:
        """Whether git may find another repository, as it is there now or as the line itself brings it."""
        folders = (self._place.directory, *self._place.moved)
        below = [folder for folder in folders if os.path.realpath(folder) != os.path.realpath(self._project)]
        if not below:
            return False
        *before, _ = _up_to_git(find_all(self._line).commands)
        return any(map(_brings_files, before)) or any(
            not folder.is_dir() or any(map(_is_repository, _between(self._project, folder)))
            for folder in below
        )

    def _is_harmless(self, redirect: Redirect) -> bool:
        if redirect.between_descriptors() or redirect.is_document:
            return True
        target = redirect.target
        if not target.literal:
            return False
        if target.text == "/dev/null":
            return redirect.operator in ("<", ">", ">>", ">|", "&>", "&>>", "<>", ">&")
        if redirect.operator != "<" or (self._moves and not target.text.startswith("/")):
            return False
        return is_inside(self._project, str((self._directory or self._project) / target.text))


def _between(project: Path, folder: Path) -> Iterator[Path]:
    """The folder and those above it, up to the project and without it."""
    root, here = Path(os.path.realpath(project)), Path(os.path.realpath(folder))
    while here != root and here.is_relative_to(root):
        yield here
        here = here.parent


def _up_to_git(commands: Sequence[SimpleCommand]) -> Sequence[SimpleCommand]:
    """Those up to the last ``git``, which is the last of them."""
    last = max(at for at, command in enumerate(commands) if command.program == "git")
    return commands[: last + 1]


def _brings_files(command: SimpleCommand) -> bool:
    """Whether it may put files into the workspace that git would then take for a repository."""
    if command.program != "git":
        return command.program in _BRING_FILES
    return len(command.words) < 2 or command.words[1].text not in _GIT_BRINGS_NONE


def _is_repository(folder: Path) -> bool:
    """True if git takes the folder for a repository of its own, bare ones too."""
    if os.path.lexists(folder / ".git"):
        return True
    return all(os.path.lexists(folder / name) for name in ("HEAD", "objects", "refs"))
