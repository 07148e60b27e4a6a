"""What single commands destroy, in a few words for a person.

The list is kept in docs/permissions.md too. It is about what cannot be got back: deleted files,
overwritten places outside the workspace, rewritten history, owners and modes of whole trees.
Source: spec/ux §4 (approval dock contract).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from dsh_tui.engine.fs.errors import FsError
from dsh_tui.engine.fs.paths import follow
from dsh_tui.engine.fs.workspace import is_inside
from dsh_tui.engine.permissions.command_line import SimpleCommand, Word
from dsh_tui.engine.permissions.inside import names
from dsh_tui.engine.sandbox.bounds import GUARDED

HARMLESS_TARGETS: Final = names("/dev/null /dev/stdout /dev/stderr /dev/tty")

_DELETES: Final = {
    "rm": "deletes files",
    "rmdir": "deletes folders",
    "unlink": "deletes a file",
    "shred": "destroys files",
    "srm": "destroys files",
    "wipefs": "erases a disk",
    "blkdiscard": "erases a disk",
    "mkswap": "erases a disk",
    "fdisk": "changes the partitions of a disk",
    "sfdisk": "changes the partitions of a disk",
    "parted": "changes the partitions of a disk",
}
_OF_TREES: Final = {"chmod": "modes", "chown": "owners", "chgrp": "groups", "setfacl": "permissions"}
_CHANGES: Final = names("chgrp chmod chown mkdir setfacl touch")
_WRITERS: Final = names("cp install ln mv rsync scp tee truncate dd sed sponge")
_GIT: Final[dict[str, tuple[str, str]]] = {
    "branch": ("-D -f -M -C --force", "deletes or moves branches, merged or not"),
    "checkout": ("-- . -f -B --force", "throws away changes that are not committed"),
    "gc": ("--prune", "deletes what history no longer reaches"),
    "push": (
        "-f -d --force --force-with-lease --force-if-includes --mirror --delete --prune",
        "overwrites or deletes branches of the remote",
    ),
    "reflog": ("expire delete", "deletes what history no longer reaches"),
    "reset": ("--hard --merge --keep", "throws away changes that are not committed"),
    "stash": ("drop clear", "deletes stashed changes"),
    "switch": ("-f -C --force --discard-changes --force-create", "throws away changes or moves a branch"),
    "tag": ("-d -f --delete --force", "deletes or moves tags"),
    "update-ref": ("-d --delete --stdin", "deletes references"),
    "worktree": ("remove", "deletes a working tree"),
}
"""Words that make a subcommand destructive, and what it then does."""
_GIT_ALWAYS: Final = {
    "filter-branch": "rewrites history",
    "filter-repo": "rewrites history",
    "prune": "deletes what history no longer reaches",
    "rm": "deletes files",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where relative paths of a line lead."""

    project: Path
    directory: Path
    certain: bool
    """False: the line changes to a place that is not known to lie in the project."""
    kept: tuple[Path, ...] = ()
    """Real folders of dsh-tui's own."""
    moved: tuple[Path, ...] = ()
    """Where the line may change to first."""

    def is_outside(self, target: Word) -> bool:
        """True if a file named so lies outside the project, or may."""
        if target.text in HARMLESS_TARGETS or target.text.startswith("/dev/fd/"):
            return False
        if not target.literal or not (self.certain or target.text.startswith("/")):
            return True
        return not is_inside(self.project, str(self.directory / target.text))

    def is_guarded(self, target: Word) -> bool:
        """True if a file named so is one that git or dsh-tui acts on by itself."""
        return target.literal and any(
            self._is_guarded(folder / target.text) for folder in (self.directory, *self.moved)
        )

    def _is_guarded(self, path: Path) -> bool:
        try:
            real, root = follow(path), follow(self.project)
        except (FsError, OSError, ValueError):
            return False
        relative = real.relative_to(root) if real.is_relative_to(root) else real
        return not GUARDED.isdisjoint(part.lower() for part in relative.parts) or any(
            real.is_relative_to(folder) for folder in self.kept
        )


def destroys(command: SimpleCommand, place: Place) -> str:
    """What the command destroys; empty if nothing is known."""
    program = command.program or ""
    words = command.words[1:]
    if program in _DELETES:
        return _DELETES[program] + (
            " recursively" if program == "rm" and has(words, "-r", "-R", "--recursive") else ""
        )
    if program.startswith("mkfs"):
        return "erases a disk"
    if program in _OF_TREES:
        return f"changes {_OF_TREES[program]} recursively" if has(words, "-R", "--recursive") else ""
    if program == "find":
        return "deletes the files that it finds" if has(words, "-delete", exact=True) else ""
    if program == "git":
        return _git(words)
    if program == "dsh-tui":
        return _dsh_tui(words)
    if program in _WRITERS:
        return _writes(program, words, place)
    return ""


def may_steer(command: SimpleCommand, place: Place) -> bool:
    """Whether a file that it changes is, or may be, one that git or dsh-tui acts on by itself."""
    program, words = command.program or "", command.words[1:]
    if program not in _WRITERS and program not in _DELETES and program not in _CHANGES:
        return False
    if program == "sed" and not has(words, "-i", "--in-place"):
        return False
    targets = _TARGETS.get(program, _last)(words) if program in _WRITERS else []
    named = [*_operands(words), *targets]
    return any(map(place.is_guarded, named)) or not all(target.literal for target in targets)


def has(words: Iterable[Word], *options: str, exact: bool = False) -> bool:
    """True if one of the options is given: alone, with a value, abbreviated, or among other letters."""
    for word in words:
        text = word.text.partition("=")[0]
        if text in options:
            return True
        if exact or not text.startswith("-"):
            continue
        if text.startswith("--"):
            if len(text) > 3 and any(option.startswith(text) for option in options):
                return True
        elif any(len(option) == 2 and option[1] in text[1:] for option in options if option[0] == "-"):
            return True
    return False


def _git(words: tuple[Word, ...]) -> str:
    if not words:
        return ""
    subcommand, rest = words[0].text, words[1:]
    if subcommand == "clean":
        return "" if has(rest, "-n", "--dry-run") else "deletes files that git does not track"
    if subcommand == "restore":
        only_index = has(rest, "-S", "--staged") and not has(rest, "-W", "--worktree")
        return "" if only_index else "throws away changes that are not committed"
    if subcommand == "config":
        return _git_config(rest)
    if subcommand in _GIT_ALWAYS:
        return _GIT_ALWAYS[subcommand]
    options, what = _GIT.get(subcommand, ("", ""))
    forced = subcommand == "push" and any(word.text.startswith(("+", ":")) for word in rest)
    return what if forced or has(rest, *options.split()) else ""


def _git_config(words: tuple[Word, ...]) -> str:
    """A setting such as ``core.fsmonitor`` or ``alias.x`` is a program that git runs later."""
    named = _operands(words)
    reads = has(words, "--get", "--get-all", "--get-regexp", "--list", "-l")
    if reads or len(named) < 2 or named[0].text in ("get", "list") or named[0].text.startswith("user."):
        return ""
    return "changes settings by which git may run programs"


def _dsh_tui(words: tuple[Word, ...]) -> str:
    match [word.text for word in words[:2]]:
        case ["plugins", "trust"]:
            return "lets plugins and rules of a project take effect"
        case ["sessions", "delete"]:
            return "deletes sessions"
        case _:
            return "starts an agent in a mode of its own" if has(words, "--mode") else ""


def _writes(program: str, words: tuple[Word, ...], place: Place) -> str:
    if program == "rsync" and any(word.text.startswith("--del") for word in words):
        return "deletes files"
    if (program == "sed" and not has(words, "-i", "--in-place")) or (
        program == "ln" and not has(words, "-f", "--force")
    ):
        return ""
    targets = _TARGETS.get(program, _last)(words)
    if any(place.is_guarded(target) for target in targets):
        return STEERS
    outside = [target for target in targets if place.is_outside(target)]
    if not outside:
        return ""
    if program == "dd" and outside[0].text.startswith("/dev/"):
        return "writes to a device"
    return "moves or overwrites files outside the workspace" if program == "mv" else OVERWRITES


STEERS: Final = "changes files that git or dsh-tui acts on by itself"
OVERWRITES: Final = "may overwrite files outside the workspace"


def _operands(words: tuple[Word, ...]) -> list[Word]:
    return [word for word in words if not word.text.startswith("-")]


def _last(words: tuple[Word, ...]) -> list[Word]:
    """The last operand, or the folder named by ``-t``."""
    for word, following in pairwise((*words, Word(""))):
        if word.text in ("-t", "--target-directory"):
            return [following]
        if word.text.startswith("--target-directory="):
            return [Word(word.text.partition("=")[2], word.literal)]
    return _operands(words)[-1:]


def _moved(words: tuple[Word, ...]) -> list[Word]:
    return [*(word for word in _operands(words)[:-1] if word.literal), *_last(words)]


def _output_files(words: tuple[Word, ...]) -> list[Word]:
    return [Word(word.text[3:], word.literal) for word in words if word.text.startswith("of=")]


_TARGETS: Final[dict[str, Callable[[tuple[Word, ...]], list[Word]]]] = {
    "dd": _output_files,
    "mv": _moved,
    "sed": lambda words: [word for word in _operands(words)[1:] if word.literal],
    "sponge": _operands,
    "tee": _operands,
    "truncate": _operands,
}
