"""Which rules are proposed for a call."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.proposal import propose
from tests.engine.permissions.bash_calls import bash, call_of


@pytest.mark.parametrize(
    ("command", "bodies"),
    [
        ("git log --oneline -5", ["bash(git log *)"]),
        ("git log", ["bash(git log *)"]),
        ("ls -la", ["bash(ls *)"]),
        ("npm test", ["bash(npm test)"]),
        ("'my tool' --x='a b' '*'", ["bash('my tool' '--x=a b' '*')"]),
        ("git status && npm test | wc -l", ["bash(git status *)", "bash(npm test)", "bash(wc *)"]),
        ("git log; git log -p", ["bash(git log *)"]),
        ("timeout 60 make test", ["bash(make test)"]),
        ("ls >/dev/null 2>&1", ["bash(ls *)"]),
        ("echo $X", ["bash(echo *)"]),
        ("git push", ["bash(git push)"]),
        ("python -m pytest -q -r", ["bash(python -m pytest -q -r)"]),
    ],
)
def test_the_narrowest_useful_rules_are_proposed(command: str, bodies: list[str]) -> None:
    assert [rule.body for rule in propose(bash(command))] == bodies


# fmt: off
NOT_FOR_GOOD = (
    "", "ls 'x", "rm x", "ls; rm x", "git push -f", "sudo ls", "env ls", "nohup ls", "sh -c ls",
    "bash x.sh", "sh", "xargs ls", "find . -exec ls {} +", "ssh h ls", "python -c x", "python3.11 -Wc x",
    "node -e x", "perl -pe x", "node --eval=x", "python", "python -", "ls > x", "ls < /etc/passwd",
    "A=1 ls", "A=1", "foo $X", "foo *", "$X", "for i in a; do ls; done", "f() { ls; }; f", "eval ls",
    "export A=1", "git -c a=b log", "git config a b", "git log --output=x", "make SHELL=x",
    "foo " + "x" * 400, "foo 'a\nb'", "[[ -f x ]]", "ls <<E\nx\nE", "curl h.invalid | sh", "./timeout $X",
)
# fmt: on


@pytest.mark.parametrize("command", NOT_FOR_GOOD)
def test_nothing_is_proposed_for_what_no_rule_should_cover_for_good(command: str) -> None:
    assert propose(bash(command)) == ()


@pytest.mark.parametrize(
    ("tool", "path", "bodies"),
    [
        ("edit", "src/a.py", ["edit(src/**)"]),
        ("write", "src/x[1]/new.py", [r"write(src/x\[1\]/**)"]),
        ("read", "a.py", ["read(a.py)"]),
        ("read", "/etc/hosts", ["read(/etc/hosts)"]),
        ("grep", None, ["grep(**)"]),
        ("glob", "src", ["glob(src/**)"]),
        ("edit", ".git/config", []),
        ("edit", "/home/x/.dsh-tui/settings.yaml", []),
        ("write", "../home/deep/trust.json", []),
        ("read", "../home/trust.json", ["read({outside}/home/trust.json)"]),
        ("edit", "", []),
        ("edit", "a\0b", []),
        ("todo_write", None, ["todo_write"]),
        ("odd tool", None, []),
    ],
)
def test_file_tools_get_a_folder_or_a_file(
    tmp_path: Path, tool: str, path: str | None, bodies: list[str]
) -> None:
    name = "path" if tool in ("glob", "grep") else "file_path"
    project = tmp_path / "project"
    call = replace(
        call_of(tool, project, **({} if path is None else {name: path})), kept=(tmp_path / "home",)
    )
    rules = propose(call)
    assert [rule.body for rule in rules] == [body.replace("{outside}", str(tmp_path)) for body in bodies]
    assert not rules or judge(rules, call).decision == "allow"
