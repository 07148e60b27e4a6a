"""Programs that take what they read for text, and for nothing else: what a here-document may be given to.

An interpreter runs what it reads, and of most programs nobody here knows: for those no rule covers it.
Source: design §3.15; manuals of coreutils, grep, git, gh.
"""

from __future__ import annotations

from typing import Final

from dsh_tui.engine.permissions.command_line import SimpleCommand
from dsh_tui.engine.permissions.inside import names
from dsh_tui.engine.permissions.programs import MOST_DEPTH, look_inside

_PROGRAMS: Final = names(
    "base32 base64 cat cksum cmp column comm cut diff egrep expand fgrep fmt fold grep head hexdump iconv jq "
    "join md5sum nl od paste rev sha1sum sha224sum sha256sum sha384sum sha512sum sort strings sum tac tail "
    "tee tr unexpand uniq wc xxd"
)
_SUBCOMMANDS: Final = {
    "gh": names("issue pr release"),
    "git": names("cat-file check-ignore commit hash-object tag"),
}


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
    subcommands = _SUBCOMMANDS.get(name.text)
    if subcommands is None:
        return name.text in _PROGRAMS
    return bool(rest) and rest[0].literal and rest[0].text in subcommands
