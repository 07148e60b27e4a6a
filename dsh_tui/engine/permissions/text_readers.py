"""Programs that take what they read for text, and for nothing else: what a here-document may be given to.

An interpreter runs what it reads, and of most programs nobody here knows: for those no rule covers it.
Nor for one that may start an editor: that reads the same, and an editor takes it for its commands.
Source: design §3.15; manuals of coreutils, grep, git, gh.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from dsh_tui.engine.permissions.command_line import SimpleCommand, Word
from dsh_tui.engine.permissions.git_messages import message_of
from dsh_tui.engine.permissions.inside import names
from dsh_tui.engine.permissions.programs import MOST_DEPTH, look_inside

_PROGRAMS: Final = names(
    "base32 base64 cat cksum cmp column comm cut diff egrep expand fgrep fmt fold grep head hexdump iconv jq "
    "join md5sum nl od paste rev sha1sum sha224sum sha256sum sha384sum sha512sum sort strings sum tac tail "
    "tee tr unexpand uniq wc xxd"
)
_GIT: Final = names("cat-file check-ignore hash-object")
_GH: Final = names("issue pr release")
_GH_FILES: Final = names("-F --body-file --notes-file")
_GH_EDITOR: Final = re.compile(r"-\w*e|--editor")


def reads_text(command: SimpleCommand) -> bool:
    """Whether the command, or the one behind transparent wrappers, is one of them."""
    for _ in range(MOST_DEPTH):
        inside = look_inside(command)
        if not inside.transparent:
            break
        command = inside.commands[0]
    name, *rest = command.words
    if not name.literal:
        return False
    match name.text:
        case "git":
            return _is_among(_GIT, rest) or message_of(command.words).is_read
        case "gh":
            return _is_among(_GH, rest) and _gh_reads(rest)
    return name.text in _PROGRAMS


def _is_among(subcommands: frozenset[str], words: Sequence[Word]) -> bool:
    return bool(words) and words[0].literal and words[0].text in subcommands


def _gh_reads(words: Sequence[Word]) -> bool:
    """Whether what it reads is the text, and no editor can get at it."""
    texts = [word.text for word in words]
    if not all(word.literal for word in words) or any(map(_GH_EDITOR.match, texts)):
        return False
    given = {f"{file}{between}-" for file in _GH_FILES for between in ("", " ", "=")}
    return any(one in given or f"{one} {two}" in given for one, two in pairwise((*texts, "")))
