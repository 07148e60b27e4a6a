"""Which rules would let calls like this one run without asking. Source: design §3.15.

As narrow as is useful: the command itself, or a command that only looks, with any arguments. A
proposal always covers the call that it was made for, and nothing is proposed for what no rule
should cover for good: destructive calls, code in arguments, whatever is not understood.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final

from dsh_tui.engine.permissions.command_line import SimpleCommand
from dsh_tui.engine.permissions.command_pattern import CommandPattern
from dsh_tui.engine.permissions.command_rules import command_of
from dsh_tui.engine.permissions.danger import danger
from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.inside import names
from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.path_pattern import escape
from dsh_tui.engine.permissions.path_rules import guarding_folder, real_path, real_project
from dsh_tui.engine.permissions.programs import look_inside
from dsh_tui.engine.permissions.rule import COMMAND_TOOL, PATH_ARGUMENTS, Rule, RuleError

LONGEST: Final = 300
"""Characters of a rule; a longer one is not read before it is chosen."""

MOST_RULES: Final = 10
_CODE = re.compile(r"-[a-zA-Z]*[cerEp]|--(?:eval|print|command|run)|-$")
_LOOKS: Final = names("basename date df dirname du echo ls pwd stat uname wc which whoami")
_GIT_LOOKS: Final = names("blame describe diff log ls-files rev-list rev-parse shortlog show status")
"""Commands, and subcommands of git, that only look, whatever their arguments."""
_INTERPRETER = re.compile(r"(?:python|pypy|node|deno|bun|perl|ruby|php|lua|Rscript|osascript)[0-9.]*")


def propose(call: CallFacts) -> tuple[Rule, ...]:
    """The allow rules that together cover the call; empty if it can't be allowed for good."""
    try:
        rules = _proposed(call)
    except RuleError:  # a name that no rule can spell
        return ()
    if call.tool not in PATH_ARGUMENTS and danger(call) is not None:
        return ()
    covers = rules and judge(rules, call).decision == "allow"
    return rules if covers and all(len(rule.text) <= LONGEST for rule in rules) else ()


def _proposed(call: CallFacts) -> tuple[Rule, ...]:
    if call.tool == COMMAND_TOOL:
        line = command_of(call)
        if line.doubt or len(line.commands) > MOST_RULES:
            return ()
        rules = [_for_command(command) for command in line.commands]
        return () if None in rules else tuple(dict.fromkeys(rule for rule in rules if rule is not None))
    if call.tool in PATH_ARGUMENTS:
        return _for_path(call)
    return (Rule.of("allow", call.tool),)


def _for_command(command: SimpleCommand) -> Rule | None:
    inside = look_inside(command)
    while inside.transparent:
        command = inside.commands[0]
        inside = look_inside(command)
    if inside.offered and all(word.literal for word in command.words):
        inner = inside.commands and _for_command(inside.commands[0])
        return _exactly(command) if inner else None
    if inside.spelled or inside.doubt or command.name is None or _is_code(command):
        return None
    words = [word.text for word in command.words if word.literal]
    size = _words_of_looking(words)
    if not size and len(words) < len(command.words):
        return None
    pattern = CommandPattern(tuple(words[: size or None]), more=bool(size))
    return Rule.of("allow", f"{COMMAND_TOOL}({pattern.text})")


def _exactly(command: SimpleCommand) -> Rule:
    pattern = CommandPattern(tuple(word.text for word in command.words), more=False)
    return Rule.of("allow", f"{COMMAND_TOOL}({pattern.text})")


def _words_of_looking(words: list[str]) -> int:
    """How many leading words say that a command only looks; 0: they don't."""
    if words[0] == "git":
        return 2 if len(words) > 1 and words[1] in _GIT_LOOKS else 0
    return 1 if words[0] in _LOOKS else 0


def _is_code(command: SimpleCommand) -> bool:
    """True if the command holds a program in its options, which is another one each time."""
    if not _INTERPRETER.fullmatch(command.program or ""):
        return False
    options = takewhile(lambda word: word.text.startswith("-") and word.text != "-m", command.words[1:])
    return len(command.words) == 1 or any(_CODE.match(word.text) for word in options)


def _for_path(call: CallFacts) -> tuple[Rule, ...]:
    real = real_path(call)
    if real is None:
        return ()
    project = real_project(call)
    if call.kind == "edit" and project is not None and guarding_folder(call, real, project):
        return ()
    if project is None or not real.is_relative_to(project):
        return (Rule.of("allow", f"{call.tool}({escape(str(real))})"),)
    relative = real.relative_to(project)
    folder = relative if call.kind == "search" else relative.parent
    if call.kind != "search" and not folder.parts:
        return (Rule.of("allow", f"{call.tool}({escape(str(relative))})"),)
    return (Rule.of("allow", f"{call.tool}({'/'.join((*map(escape, folder.parts), '**'))})"),)
