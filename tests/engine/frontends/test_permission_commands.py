"""``dsh-tui permissions list|test`` as programs and people use it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from dsh_tui.cli import main
from dsh_tui.engine.frontends.permissions import test_calls as decide_calls
from tests.fakes.asked_log import asked_log
from tests.fakes.log_folder import LogFolder

Json: TypeAlias = Any  # Any: JSON
Run = Callable[..., tuple[int, str, str]]
CASES = Path(__file__).resolve().parents[4] / "shared" / "cases" / "permission-rules"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DSH_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "none"))
    project = tmp_path / "app"
    (project / "src").mkdir(parents=True)
    (project / "sub").mkdir()
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(project)
    return project


@pytest.fixture
def run(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    assert project

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            status = main(["permissions", *arguments])
        except SystemExit as left:
            status = int(str(left.code))
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def decide(project: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[Json], list[Mapping[str, Json]]]:
    assert project

    def decide(given: Json) -> list[Mapping[str, Json]]:
        assert decide_calls(json.dumps(given).encode(), as_json=True) == 0
        decisions: list[Mapping[str, Json]] = json.loads(capsys.readouterr().out)["decisions"]
        return decisions

    return decide


def settings(project: Path, text: str) -> None:
    (project.parent / "home" / "settings.yaml").write_text(text)


def bash(command: str) -> dict[str, Json]:
    return {"tool": "bash", "arguments": {"command": command}}


def past(project: Path) -> None:
    logs = LogFolder(project.parent / "home" / "sessions")
    logs.store(
        asked_log(
            "s1", [("git log -3", "allowed-once"), ("git log -p", "rejected"), ("npm test", "rejected")]
        )
    )
    logs.store(asked_log("s2", [("git log", "allowed-once"), ("git log; curl x", "allowed-once")]))


def test_rules_from_stdin_are_judged_in_mode_ask(decide: Callable[[Json], list[Json]], project: Path) -> None:
    settings(project, "mode: full\npermissions: {allow: ['bash(curl *)']}\n")
    decisions = decide(
        {
            "rules": ["allow bash(git log *)", "deny bash(rm *)"],
            "calls": [
                bash("git log -3"),
                bash("git log -3 | rm x"),
                bash("curl x"),
                {"tool": "read", "arguments": {"file_path": "src/a.py"}},
                {"tool": "read", "arguments": {"file_path": "/etc/passwd"}},
                {"tool": "none", "arguments": {}},
                {"tool": "bash", "arguments": '{"command": "git log"}'},
            ],
        }
    )
    assert [(one["decision"], one["rule"]) for one in decisions] == [
        ("allow", "allow bash(git log *)"),
        ("deny", "deny bash(rm *)"),
        ("ask", None),
        ("allow", None),
        ("ask", None),
        ("ask", None),
        ("allow", "allow bash(git log *)"),
    ]
    assert "mode ask" in decisions[3]["why"]
    assert all(isinstance(one["why"], str) and one["why"] for one in decisions)


def test_without_rules_those_in_force_here_are_judged_in_the_mode_of_the_settings(
    decide: Callable[[Json], list[Json]], project: Path
) -> None:
    settings(project, "mode: full\npermissions: {deny: ['bash(rm *)'], ask: ['bash(git push *)']}\n")
    decisions = decide({"calls": [bash("ls"), bash("rm x"), bash("git push")]})
    assert [one["decision"] for one in decisions] == ["allow", "deny", "ask"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"{", "is not JSON"),
        (b"[]", '"calls"'),
        (b'{"calls": [7]}', "call 0"),
        (b'{"calls": [{"tool": "bash", "arguments": 7}]}', "call 0"),
        (b'{"rules": "allow bash", "calls": []}', '"rules"'),
        (b'{"rules": ["allow bash(ls"], "calls": []}', "is no rule"),
        (b"\xff", "is not JSON"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    project: Path, capsys: pytest.CaptureFixture[str], given: bytes, said: str
) -> None:
    assert project
    assert decide_calls(given, as_json=True) == 2
    told = capsys.readouterr()
    assert (told.out, said in told.err, told.err.count("\n")) == ("", True, 1)


def test_broken_settings_are_one_line_and_exit_2(run: Run, project: Path) -> None:
    settings(project, "permissions:\n  allow:\n    - bash(ls\n")
    status, out, err = run("list")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "settings.yaml:3: permissions.allow.0: " in err


def test_a_rule_is_tried_on_all_past_calls(run: Run, project: Path) -> None:
    past(project)
    status, out, _ = run("test", "bash(git log *)")
    assert status == 0
    assert out.splitlines()[0] == "allow bash(git log *): would allow 3 of 5, among them 1 you refused"
    assert "git log -p" in out.splitlines()[1]
    status, out, _ = run("test", "--json", "deny bash(git log *)")
    told = json.loads(out)
    assert (told["calls"], told["denied"], len(told["deniedButAllowed"])) == (5, 4, 3)


def test_a_bad_rule_is_one_line_and_exit_2(run: Run) -> None:
    status, out, err = run("test", "bash(")
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_the_rules_in_force_are_listed_with_their_hits(run: Run, project: Path) -> None:
    settings(project, "permissions:\n  deny: ['bash(rm *)']\n  allow: ['bash(git log *)']\n")
    status, out, _ = run("list", "--json")
    assert status == 0
    assert json.loads(out) == [
        {"rule": "allow bash(git log *)", "scope": "user", "hits": 0},
        {"rule": "deny bash(rm *)", "scope": "user", "hits": 0},
    ]
    status, out, _ = run("list")
    assert "deny bash(rm *)" in out.splitlines()[1]


def test_rules_that_cant_be_read_are_listed_first_and_ask(
    run: Run, decide: Callable[[Json], list[Json]], project: Path
) -> None:
    settings(project, "mode: full\npermissions: {allow: [bash]}\n")
    (project / ".dsh").mkdir()
    (project / ".dsh/settings.yaml").write_text("permissions: {deny: ['bash(a; b)'], allow: [edit]}\n")
    assert main(["plugins", "trust", "--yes"]) == 0
    run("list")
    _, out, err = run("list", "--json")
    unread, *readable = json.loads(out)
    assert (unread["rule"], unread["scope"], unread["hits"]) == ("deny bash(a; b)", "project", None)
    assert "write one rule for each" in unread["unread"]
    assert readable == [{"rule": "allow bash", "scope": "user", "hits": 0}]
    assert err.count("until it is mended") == 1
    assert "unread  deny bash(a; b)  (every call of bash asks)" in run("list")[1]
    (decision,) = decide({"calls": [bash("ls")]})
    assert (decision["decision"], "deny bash(a; b)" in decision["why"]) == ("ask", True)


def test_no_rules_are_said_to_be_none(run: Run) -> None:
    status, out, err = run("list")
    assert (status, out) == (0, "")
    assert "no rules are in force here" in err


def test_calls_come_through_a_pipe(project: Path) -> None:
    given = json.dumps({"rules": ["allow bash(ls *)"], "calls": [bash("ls -la")]})
    done = subprocess.run(
        [sys.executable, "-m", "dsh_tui", "permissions", "test", "--json", "-"],
        input=given, capture_output=True, text=True, check=True, cwd=project,
        env={"PYTHONPATH": str(Path(__file__).resolve().parents[3]), "DSH_TUI_HOME": str(project / "home")},
    )  # fmt: skip
    assert json.loads(done.stdout)["decisions"][0]["decision"] == "allow"


@pytest.mark.skipif(not CASES.is_dir(), reason="the table of cases is not here")
@pytest.mark.parametrize("name", ["s01-chains", "s02-spellings"])
def test_every_command_of_the_table_is_decided_as_it_says(
    decide: Callable[[Json], list[Json]], name: str
) -> None:
    table = json.loads((CASES / f"{name}.json").read_text())
    rules = [f"{effect} bash({words} *)" for effect, texts in table["rules"].items() for words in texts]
    rows = table["rows"]
    decisions = decide({"rules": rules, "calls": [bash(row["command"]) for row in rows]})
    wrong = [
        (row["command"], decision["decision"], decision["why"])
        for row, decision in zip(rows, decisions, strict=True)
        if decision["decision"] not in (row["expect"], *row.get("also_acceptable", ()))
    ]
    assert wrong == []


@pytest.mark.skipif(not CASES.is_dir(), reason="the table of cases is not here")
def test_every_path_of_the_table_is_inside_or_not_as_it_says(
    decide: Callable[[Json], list[Json]], project: Path
) -> None:
    rows = json.loads((CASES / "s03-paths.json").read_text())["rows"]
    paths = [row["path"].replace("/work", str(project.parent)) for row in rows]
    decisions = decide(
        {"rules": [], "calls": [{"tool": "read", "arguments": {"file_path": p}} for p in paths]}
    )
    wrong = [
        (row, decision)
        for row, decision in zip(rows, decisions, strict=True)
        if (decision["decision"] == "allow") is not (row["expect"] == "inside")
    ]
    assert wrong == []
