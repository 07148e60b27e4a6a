"""Commands whose purpose is to run another: ``sudo``, ``xargs``, ``sh -c``, ``timeout`` and the like.

An option that is not in the table makes the inner command uncertain, never invisible.
Source: design §4 (``permissions test``); manuals of coreutils, util-linux, findutils, sudo, bash.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from dsh_tui.engine.permissions.command_line import UNKNOWN, SimpleCommand, Word
from dsh_tui.engine.permissions.inside import EVERYTHING, MOST_STARTS, Inside, joined, names, script, suffixes

Words = tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class _Form:
    """How a wrapper is called: options, then its own operands, then the command."""

    flags: str = ""
    values: str = ""
    """Options that take the next word, or the rest of theirs."""
    operands: int = 0
    assignments: bool = False
    transparent: bool = False

    def inner(self, words: Words) -> int | None:
        """Where the inner command begins (perhaps behind the end); None if that is uncertain."""
        at = 1
        while at < len(words) and words[at].literal and words[at].text.startswith("-"):
            option = words[at].text
            if option == "--":
                at += 1
                break
            width = self._width(option)
            if width is None or not all(word.literal for word in words[at : at + width]):
                return None
            at += width
        at += self.operands
        while self.assignments and at < len(words) and _ASSIGNMENT.match(words[at].text):
            at += 1
        return at if all(word.literal for word in words[: at + 1]) else None

    def _width(self, option: str) -> int | None:
        """How many words the option takes; None: it is not known."""
        flags, values = self.flags.split(), self.values.split()
        if option in flags:
            return 1
        if option in values:
            return 2
        if option.startswith("--"):
            return 1 if option.partition("=")[0] in values else None
        if option[:2] in values or ("-#" in flags and option[1:].isdecimal()):
            return 1
        return 1 if len(option) > 1 and all(f"-{letter}" in flags for letter in option[1:]) else None


_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")

_FORMS: Final = {
    "builtin": _Form(),
    "busybox": _Form(),
    "chroot": _Form("--skip-chdir", "--userspec --groups", operands=1),
    "chrt": _Form("-a -b -d -f -i -o -r -R -v", "-T -P -D", operands=1),
    "command": _Form(transparent=True),
    "coproc": _Form(),
    "doas": _Form("-L -n", "-C -u -a"),
    "env": _Form("- -i -0 -v --ignore-environment --null --debug", "-u -C --unset --chdir", assignments=True),
    "exec": _Form("-c -l", "-a"),
    "flock": _Form("-e -F -n -o -s -u -x --exclusive --nonblock --shared --verbose", "-E -w", operands=1),
    "ionice": _Form("-t --ignore", "-c -n --class --classdata", transparent=True),
    "nice": _Form("-#", "-n --adjustment", transparent=True),
    "nohup": _Form(),
    "setsid": _Form("-c -f -w --ctty --fork --wait"),
    "stdbuf": _Form("", "-i -o -e --input --output --error", transparent=True),
    "strace": _Form("-c -C -f -ff -q -r -t -tt -ttt -T -v -x -y", "-a -b -e -E -I -o -O -p -P -s -S -u"),
    "sudo": _Form(
        "-A -b -B -E -H -k -n -N -P -S --background --non-interactive --preserve-env --set-home --stdin",
        "-C -D -g -h -p -R -r -t -T -U -u --chdir --chroot --group --host --preserve-env --prompt --user",
        assignments=True,
    ),
    "taskset": _Form("-a -c --all-tasks --cpu-list", operands=1),
    "time": _Form("-p", transparent=True),
    "timeout": _Form(
        "-f -p -v --foreground --preserve-status --verbose",
        "-k -s --kill-after --signal",
        operands=1,
        transparent=True,
    ),
    "toybox": _Form(),
}
_LOOSE: Final = names(
    "bwrap cpulimit dbus-run-session dumb-init entr eatmydata fakeroot firejail gosu linux32 linux64 ltrace "
    "capsh catchsegv chronic daemonize direnv expect faketime flatpak gdb gtime hyperfine nodemon prlimit "
    "rustup sg ssh-agent start-stop-daemon trickle watchexec "
    "nsenter numactl parallel perf pkexec proot proxychains proxychains4 rlwrap runuser screen script "
    "setarch setpriv su systemd-inhibit systemd-run tini tmux torsocks unbuffer unshare valgrind xvfb-run"
)
"""Wrappers whose options are too many to know."""
_LOADER = re.compile(r"ld(?:-linux[\w-]*|-musl[\w-]*)?\.so(?:\.[0-9]+)?")
_RUN_FLAGS: Final = (
    "-q -v -y --quiet --verbose --silent --frozen --locked --offline --no-sync --isolated --active --dev "
    "--no-dev --all-extras --yes"
)
_RUNNERS: Final = {
    "bundle exec": _Form(_RUN_FLAGS),
    "conda run": _Form(_RUN_FLAGS, "-n -p --name --prefix --cwd"),
    "hatch run": _Form(_RUN_FLAGS),
    "npm exec": _Form(_RUN_FLAGS, "-p --package -w --workspace"),
    "npx": _Form(_RUN_FLAGS, "-p --package -w --workspace"),
    "pdm run": _Form(_RUN_FLAGS),
    "pipenv run": _Form(_RUN_FLAGS),
    "pnpm exec": _Form(_RUN_FLAGS),
    "poetry run": _Form(_RUN_FLAGS),
    "rye run": _Form(_RUN_FLAGS),
    "uv run": _Form(_RUN_FLAGS, "-p --python --with --extra --group --package --project --directory"),
    "yarn exec": _Form(_RUN_FLAGS),
}
"""Run a program in the environment of a project."""
_SHELLS: Final = frozenset(
    {"ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "rbash", "sh", "tcsh", "zsh"}
)
_SHELL_FLAG = re.compile(r"[-+][abefhiklmnpruvxBCEHPT]+|--(?:login|noprofile|norc|posix|verbose)")
_SHELL_SCRIPT = re.compile(r"-[abefhiklmnpruvxBCEHPT]*c[abefhiklmnpruvxBCEHPT]*")
_RUN_LATER: Final = names("at batch crontab")
_ELSEWHERE: Final = "a shell whose commands come from elsewhere"
_XARGS: Final = _Form(
    "-0 -o -p -r -t -x --null --exit --interactive --no-run-if-empty --open-tty --verbose",
    "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-chars --max-lines --max-procs --replace",
)
_SSH: Final = _Form(
    "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -tt -V -v -vv -vvv -X -x -Y -y",
    "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w",
    operands=1,
)
_WATCH: Final = _Form(
    "-b -c -d -e -g -t -x --beep --color --errexit --chgexit --no-title --exec", "-n --interval"
)


def wrapped(command: SimpleCommand) -> Inside | None:
    """What a wrapper runs; None if the command is none."""
    words, program = command.words, command.program
    if program is None:
        return None
    if program in _SHELLS:
        return _shell(words)
    if program in _LOOSE or _LOADER.fullmatch(program):
        return _loose(words)
    match program:
        case "eval" | "trap":
            inside = joined(words[1:], EVERYTHING) if program == "eval" else _trap(words)
            return replace(inside, spelled=EVERYTHING)
        case "." | "source":
            return Inside((SimpleCommand(words[1:]),), EVERYTHING, doubt="a file of commands")
        case "xargs":
            return _xargs(words)
        case "ssh" | "watch":
            return _remote(words, _SSH if program == "ssh" else _WATCH)
        case "command" if len(words) > 1 and words[1].text in ("-v", "-V"):
            return None
        case "env" if any(_splits(word) for word in words):
            return _split_env(words)
    form = _FORMS.get(program)
    if form is None:
        return _runner(words, program)
    at = form.inner(words)
    if at is None:
        return _loose(words)
    inner = (SimpleCommand(words[at:]),) if at < len(words) else ()
    by_name = "/" not in words[0].text  # ./timeout is somebody's own
    return Inside(inner, min(at + 1, len(words)), at, form.transparent and by_name and bool(inner))


def _runner(words: Words, program: str) -> Inside | None:
    """``uv run pytest``, ``npx eslint``; ``at now``, which reads what to run."""
    if program in _RUN_LATER and all(word.text != "-l" for word in words):
        return Inside(spelled=EVERYTHING, doubt=_ELSEWHERE)
    for width in (1, 2):
        names_it = " ".join((program, *(word.text for word in words[1:width])))
        form = _RUNNERS.get(names_it)
        if form is None:
            continue
        at = form.inner(words[width - 1 :])
        if at is None:
            return _loose(words)
        begins = at + width - 1
        inner = (SimpleCommand(words[begins:]),) if begins < len(words) else ()
        return Inside(inner, min(begins + 1, len(words)), begins, offered=True)
    return None


def _shell(words: Words) -> Inside:
    """``sh -c 'text'``, ``sh file`` or a shell that reads its commands from a pipe."""
    at, reads_script = 1, False
    while at < len(words) and words[at].literal and words[at].text[:1] in ("-", "+"):
        option = words[at].text
        if _SHELL_SCRIPT.fullmatch(option):
            reads_script = True
        elif option in ("-o", "+o", "-O", "+O"):
            at += 1
        elif option in ("--help", "--version"):
            return Inside()
        elif option in ("--", "-"):
            at += 1
            break
        elif not _SHELL_FLAG.fullmatch(option):
            return suffixes(words, f"an option of a shell ({option})")
        at += 1
    if at >= len(words) or not words[at].literal:
        return Inside(spelled=EVERYTHING, doubt=_ELSEWHERE)
    return script(words[at], at + 1) if reads_script else Inside((SimpleCommand(words[at:]),), at + 1)


def _loose(words: Words) -> Inside:
    """All that could be the inner command, and the scripts of ``-c``."""
    inside = suffixes(words, f"what `{words[0].text}` runs")
    scripts = [
        script(following, EVERYTHING).commands
        for word, following in pairwise(words)
        if word.literal and re.fullmatch(r"-[a-z]*c|--command", word.text)
    ]
    scripts += [script(Word(word.text[10:]), 0).commands for word in words if word.text[:10] == "--command="]
    return replace(inside, commands=(*inside.commands, *(found for some in scripts for found in some)))


def _trap(words: Words) -> Inside:
    action = next((word for word in words[1:] if not word.text.startswith("-")), None)
    return Inside() if action is None else script(action, EVERYTHING)


def _xargs(words: Words) -> Inside:
    at = _XARGS.inner(words)
    if at is None:
        return _loose(words)
    if at >= len(words):
        return Inside()
    options = [word.text for word in words[1:at]]
    marks = [one[2:] or two for one, two in pairwise((*options, "")) if one.startswith("-I")]
    marks += [option.partition("=")[2] or "{}" for option in options if option.startswith("--replace")]
    inner = words[at:]
    for mark in marks:
        inner = fill(inner, mark)
    return Inside((SimpleCommand(inner if marks else (*inner, UNKNOWN)),), at + 1, at)


def fill(words: Words, mark: str) -> Words:
    """The words, with those unknown that hold a mark which is replaced when they run."""
    return tuple(
        Word(word.text.partition(mark)[0], literal=False) if mark and mark in word.text else word
        for word in words
    )


def _remote(words: Words, form: _Form) -> Inside:
    """Words that are joined and given to a shell; options may stand behind the host too."""
    at = form.inner(words)
    if at is None:
        return _loose(words)
    if at < len(words):
        return joined(words[at:], len(words))
    return Inside(spelled=EVERYTHING, doubt=_ELSEWHERE) if form is _SSH else Inside(spelled=len(words))


def _splits(word: Word) -> bool:
    return word.text.startswith(("-S", "--split-string")) or bool(re.match(r"-[iv0]+S", word.text))


def _split_env(words: Words) -> Inside:
    """``env -S 'command with words'``."""
    at = next(at for at, word in enumerate(words) if _splits(word))
    text = re.sub(r"^(?:-[iv0]*S|--split-string=?)", "", words[at].text)
    rest = (Word(text, words[at].literal), *words[at + 1 :])
    inner = joined(rest, EVERYTHING).commands
    tails = [SimpleCommand(found.words[start:]) for found in inner for start in range(len(found.words))]
    return Inside(tuple(tails[:MOST_STARTS]), EVERYTHING, doubt="what `env -S` runs")
