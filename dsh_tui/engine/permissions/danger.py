"""What makes a call destructive, in a few words; the list is in docs/permissions.md.

A person must have seen such a call as a whole before an allow counts. It errs towards saying so.
Source: spec/ux §4 (approval dock contract).
"""

from __future__ import annotations

import re
from typing import Final

from dsh_tui.engine.fs.workspace import is_inside
from dsh_tui.engine.permissions.command_line import Word
from dsh_tui.engine.permissions.command_rules import (
    MOVERS,
    Found,
    command_of,
    directory_of,
    find_all,
    may_leave,
)
from dsh_tui.engine.permissions.destruction import OVERWRITES, STEERS, Place, destroys
from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.inside import names
from dsh_tui.engine.permissions.programs import look_inside
from dsh_tui.engine.permissions.rule import COMMAND_TOOL, PATH_ARGUMENTS

_DOWNLOADS: Final = names("aria2c curl fetch wget")
_READS_SCRIPTS = re.compile(r"(?:python[0-9.]*|node|perl|ruby|php|deno|bun)")
_SUSPICIOUS = re.compile(
    r"(?<![\w.-])(rm|rmdir|unlink|shred|mkfs[\w.]*|wipefs|dd|truncate|chmod|chown|chgrp|-delete"
    r"|--force[\w-]*|--hard|git\s+clean)(?![\w-])"
)


def danger(call: CallFacts) -> str | None:
    """Why the whole call must be seen before it is allowed; None if nothing is known. Never raises."""
    if call.tool == COMMAND_TOOL:
        return _of_command(call)
    if call.kind in ("delete", "move"):
        return f"{call.kind}s files"
    if call.kind == "edit":
        raw = call.arguments.get(PATH_ARGUMENTS.get(call.tool, "file_path"))
        if isinstance(raw, str) and not is_inside(call.cwd, raw):
            return "changes a file outside the workspace"
        if isinstance(raw, str) and Place(call.cwd, call.cwd, True, call.kept).is_guarded(Word(raw)):
            return STEERS
    return None


def _of_command(call: CallFacts) -> str | None:
    line = command_of(call)
    found = find_all(line)
    place = _place(call, found)
    said = [what for command in found.commands if (what := destroys(command, place))]
    if any(
        ">" in redirect.operator and not redirect.between_descriptors() and place.is_outside(redirect.target)
        for redirect in line.redirects
    ):
        said.append(OVERWRITES)
    if any(
        ">" in redirect.operator and not redirect.between_descriptors() and place.is_guarded(redirect.target)
        for redirect in line.redirects
    ):
        said.append(STEERS)
    if _runs_downloads(found):
        said.append("runs what it downloads")
    if found.doubt and not said:
        text = call.arguments.get("command")
        mention = _SUSPICIOUS.search(text) if isinstance(text, str) else None
        if mention is not None:
            said.append(f"could not be fully understood and mentions {mention[1]}")
    return "; ".join(dict.fromkeys(said)) or None


def _place(call: CallFacts, found: Found) -> Place:
    directory = directory_of(call)
    moves = [command for command in found.commands if command.program in MOVERS]
    line = command_of(call)
    certain = directory is not None and not any(may_leave(call, line, command) for command in moves)
    start = directory or call.cwd
    moved = (start / word.text for command in moves for word in command.words[1:2] if word.literal)
    return Place(call.cwd, start, certain, call.kept, tuple(moved))


def _runs_downloads(found: Found) -> bool:
    """A download, and something that runs a script which it is not given as text."""
    if not any(command.program in _DOWNLOADS for command in found.commands):
        return False
    return any(
        look_inside(command).doubt
        or (_READS_SCRIPTS.fullmatch(command.program or "") and all(w.text == "-" for w in command.words[1:]))
        for command in found.commands
    )
