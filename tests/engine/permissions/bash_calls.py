"""Calls and rules written briefly, for tests of permissions."""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.permissions.verdict import Verdict
from dsh_tui.engine.tools.definition import ToolKind

KINDS: dict[str, ToolKind] = {
    "bash": "execute",
    "read": "read",
    "write": "edit",
    "edit": "edit",
    "glob": "search",
    "grep": "search",
}
PROJECT = Path(__file__).parent


def call_of(tool: str, cwd: Path = PROJECT, **arguments: object) -> CallFacts:
    return CallFacts(tool=tool, kind=KINDS.get(tool, "other"), arguments=arguments, cwd=cwd)


def bash(command: str, cwd: Path = PROJECT, **arguments: object) -> CallFacts:
    return call_of("bash", cwd, command=command, **arguments)


def rules(*texts: str) -> list[Rule]:
    """``allow bash(…)`` may be written as its pattern alone."""
    return [
        Rule.parse(text if text.startswith(("allow ", "ask ", "deny ")) else f"allow bash({text})")
        for text in texts
    ]


def judged(command: str, *texts: str, cwd: Path = PROJECT) -> Verdict:
    return judge(rules(*texts), bash(command, cwd))
