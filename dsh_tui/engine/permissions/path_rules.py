"""What rules for file tools make of a call.

An allow is about the file behind all links and ``..``; deny and ask are about that and about the
path as written, so that no link leads around them. Source: design §3.15.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from dsh_tui.engine.fs.errors import FsError
from dsh_tui.engine.fs.paths import follow, resolve
from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.path_pattern import PathPattern, read_path_pattern
from dsh_tui.engine.permissions.rule import PATH_ARGUMENTS, Rule
from dsh_tui.engine.permissions.verdict import Verdict
from dsh_tui.engine.sandbox.bounds import GUARDED


def path_of(call: CallFacts) -> str | None:
    """The path that the call names; None if it names none."""
    raw = call.arguments.get(PATH_ARGUMENTS[call.tool])
    if call.kind == "search" and (raw is None or raw == ""):
        return "."
    return raw if isinstance(raw, str) else None


def real_path(call: CallFacts) -> Path | None:
    """The file behind the path; None if there is no telling."""
    raw = path_of(call)
    if raw is None:
        return None
    try:
        if raw not in call.paths:
            call.paths[raw] = follow(resolve(call.cwd, raw))
        return call.paths[raw]
    except (FsError, OSError, ValueError, RuntimeError):
        return None


def judge_path(rules: Sequence[Rule], call: CallFacts) -> Verdict:
    """The verdict on a call of a file tool; ``rules`` are those for the tool."""
    raw = path_of(call)
    real = real_path(call)
    project = real_project(call)
    if raw is None or real is None or project is None:
        return _without_path(rules)
    at_home = raw == "~" or raw.startswith("~/")
    written = Path(os.path.normpath(Path.home() / raw[2:] if at_home else call.cwd / raw))
    for effect in ("deny", "ask"):
        for rule in rules:
            if rule.effect == effect and _speaks(rule, call, (real, written), project):
                word = "Denied" if effect == "deny" else "Has to be asked for"
                return Verdict(effect, rule, f"{word}, by {rule.text}.")
    if call.kind == "search" and (below := _below(rules, (real, written), (project, call.cwd))):
        return Verdict("ask", below, f"It searches folders of which {below.text} speaks.")
    return _allowed([rule for rule in rules if rule.effect == "allow"], call, real, project)


def _without_path(rules: Sequence[Rule]) -> Verdict:
    """A path that can't be resolved is never allowed, and may be one that is denied."""
    for effect in ("deny", "ask"):
        for rule in rules:
            if rule.effect == effect and rule.pattern is None:
                return Verdict(effect, rule, f"{rule.text} covers every call of {rule.tool}.")
    strict = next((rule for rule in rules if rule.effect != "allow"), None)
    if strict is not None:
        return Verdict("ask", strict, f"The path can't be resolved, so that {strict.text} may apply.")
    return Verdict(None, None, "The path can't be resolved.")


def _speaks(rule: Rule, call: CallFacts, paths: tuple[Path, ...], project: Path) -> bool:
    if rule.pattern is None:
        return True
    pattern = read_path_pattern(rule.pattern)
    return any(pattern.matches(path, root) for path in paths for root in (project, call.cwd))


def _below(rules: Sequence[Rule], folders: tuple[Path, ...], roots: tuple[Path, ...]) -> Rule | None:
    """A deny or ask rule about something inside what is searched."""
    for rule in rules:
        if rule.effect == "allow" or rule.pattern is None:
            continue
        pattern = read_path_pattern(rule.pattern)
        if any(pattern.may_lie_below(folder, root) for folder in folders for root in roots):
            return rule
    return None


def _allowed(rules: Sequence[Rule], call: CallFacts, real: Path, project: Path) -> Verdict:
    why = f"{call.tool} of this path is not covered by any rule."
    for rule in rules:
        pattern = None if rule.pattern is None else read_path_pattern(rule.pattern)
        if pattern is not None and not pattern.matches(real, project):
            continue
        objection = _reaches_beyond(pattern, call, real, project)
        if not objection:
            return Verdict("allow", rule, f"Allowed by {rule.text}.")
        why = f"{rule.text} does not cover {objection}."
    return Verdict(None, None, why)


def _reaches_beyond(pattern: PathPattern | None, call: CallFacts, real: Path, project: Path) -> str:
    """What makes a change more than one of the file that the rule means."""
    if call.kind in ("read", "search"):
        return ""
    guarded = guarding_folder(call, real, project)
    if guarded and (pattern is None or not pattern.spells(guarded)):
        return f"{guarded}, which git or dsh-tui acts on by itself and a rule has to name"
    try:
        shared = real.is_file() and real.stat().st_nlink > 1
    except OSError:
        return "a file that can't be looked at"
    return "a file that has other names too (hard links)" if shared else ""


def guarding_folder(call: CallFacts, real: Path, project: Path) -> str:
    """The name of the folder because of which a change of the file is no ordinary one; empty for others."""
    if own := next((folder.name for folder in call.kept if real.is_relative_to(folder)), ""):
        return own
    relative = real.relative_to(project) if real.is_relative_to(project) else real
    return next((part for part in relative.parts if part.lower() in GUARDED), "")


def real_project(call: CallFacts) -> Path | None:
    """The project behind all links; None if there is no telling."""
    try:
        return follow(call.cwd)
    except (FsError, OSError, ValueError):
        return None
