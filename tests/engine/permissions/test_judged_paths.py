"""What rules make of calls of file tools, and of tools that rules know only by name."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.rule import Effect
from tests.engine.permissions.bash_calls import call_of, rules

CASE = Path(__file__).resolve().parents[4] / "shared" / "cases" / "permission-rules" / "s03-paths.json"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    app = tmp_path / "app"
    for folder in ("src/deep", "secret", ".git", "-odd[1]"):
        (app / folder).mkdir(parents=True)
    for file in ("src/a.py", "src/deep/b.py", "secret/key", "README.md", ".git/config"):
        (app / file).write_text("x")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "o.py").write_text("x")
    (app / "src" / "link.py").symlink_to(app / "secret" / "key")
    (app / "src" / "away").symlink_to(tmp_path / "outside")
    (app / "src" / "loop").symlink_to("loop")
    return app


def decision(project: Path, path: object, *texts: str, tool: str = "edit") -> Effect | None:
    name = "path" if tool in ("glob", "grep") else "file_path"
    return judge(rules(*texts), call_of(tool, project, **{name: path})).decision


@pytest.mark.parametrize(
    ("path", "pattern", "covered"),
    [
        ("src/a.py", "src/*.py", True),
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "./src/a.py", True),
        ("./src/../src/a.py", "src/*", True),
        ("src/new/deep/er.py", "src/**", True),
        ("src/deep/b.py", "**/*.py", True),
        ("README.md", "**/*.md", True),
        ("README.md", "*", True),
        ("README.md", "**", True),
        ("-odd[1]/x", r"-odd\[1\]/*", True),
        ("src/deep/b.py", "src/*.py", False),  # * stays in one folder
        ("src/a.py", "*.py", False),  # anchored at the project
        ("src/a.pyc", "src/*.py", False),
        ("src2/a.py", "src/**", False),
        ("src/../README.md", "src/**", False),
        ("src/link.py", "src/**", False),  # leads to secret/key
        ("src/link.py", "secret/*", True),
        ("src/away/o.py", "src/**", False),
        ("../outside/o.py", "**", False),
        ("../outside/o.py", "src/away/**", False),
        ("src/loop", "**", False),
        ("src/loop/x", "**", False),
        ("a\0b", "**", False),
        ("", "**", False),
        ("file:///etc/passwd", "**", False),
        (5, "**", False),
        (None, "**", False),
        ("~/x", "**", False),
    ],
)
def test_an_allow_is_about_the_file_behind_links(
    project: Path, path: object, pattern: str, covered: bool
) -> None:
    assert decision(project, path, f"allow edit({pattern})") == ("allow" if covered else None)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("secret/key", "secret/**"),
        ("src/../secret/key", "secret/**"),
        ("src/link.py", "secret/**"),
        ("src/link.py", "src/link.py"),
        ("src/away/o.py", "src/away/**"),
        ("secret", "secret/**"),
        ("secret/new", "secret/**"),
        (".git/config", "**/.git/**"),
    ],
)
def test_a_deny_is_about_the_path_as_written_and_as_resolved(project: Path, path: str, pattern: str) -> None:
    for tool in ("read", "write", "edit"):
        assert decision(project, path, f"allow {tool}", f"deny {tool}({pattern})", tool=tool) == "deny"
        assert decision(project, path, f"allow {tool}", f"ask {tool}({pattern})", tool=tool) == "ask"


def test_absolute_patterns_and_patterns_from_the_home_reach_outside(project: Path) -> None:
    outside = project.parent / "outside"
    assert decision(project, "../outside/o.py", f"allow edit({outside}/**)") == "allow"
    assert decision(project, str(outside / "n.py"), f"allow edit({outside}/**)") == "allow"
    assert decision(project, "~/some-new-file", "allow edit(~/**)") == "allow"
    assert decision(project, "~/some-new-file", "deny edit(~/*)", "allow edit") == "deny"


def test_a_path_that_cannot_be_resolved_may_be_a_denied_one(project: Path) -> None:
    assert decision(project, "src/loop", "allow edit", "deny edit(secret/**)") == "ask"
    assert decision(project, "src/loop", "allow edit") is None
    assert decision(project, "src/loop", "deny edit") == "deny"


def test_what_git_acts_on_and_what_has_other_names_is_covered_only_when_named(project: Path) -> None:
    assert decision(project, ".git/config", "allow edit(**)", "allow edit") is None
    assert decision(project, ".GIT/config", "allow edit(**)") is None
    assert decision(project, ".dsh/plugins/x.py", "allow edit(**)") is None
    assert decision(project, ".git/config", "allow edit(.git/config)") == "allow"
    assert decision(project, ".git/config", "allow read(**)", tool="read") == "allow"
    os.link(project / "README.md", project.parent / "outside" / "other-name")
    assert decision(project, "README.md", "allow edit(**)") is None


def test_a_search_is_judged_by_the_folder_that_it_searches(project: Path) -> None:
    for tool in ("glob", "grep"):
        assert decision(project, "src", f"allow {tool}(src/**)", tool=tool) == "allow"
        assert decision(project, "src/deep", f"allow {tool}(src/**)", tool=tool) == "allow"
        assert decision(project, None, f"allow {tool}(src/**)", tool=tool) is None
        assert decision(project, None, f"allow {tool}(**)", tool=tool) == "allow"
        assert decision(project, "/", f"allow {tool}(**)", tool=tool) is None


def test_a_search_above_a_denied_folder_asks(project: Path) -> None:
    texts = ("allow grep", "deny grep(secret/**)")
    assert decision(project, "secret", *texts, tool="grep") == "deny"
    assert decision(project, None, *texts, tool="grep") == "ask"
    assert decision(project, "..", *texts, tool="grep") == "ask"
    assert decision(project, "src", *texts, tool="grep") == "allow"
    assert decision(project, "src", "allow grep", "deny grep(**/*.pem)", tool="grep") == "ask"


def test_a_rule_is_about_its_own_tool_only(project: Path) -> None:
    assert decision(project, "src/a.py", "deny write(**)", "allow edit(src/**)") == "allow"
    todo = call_of("todo_write", project)
    assert judge(rules("allow todo_write"), todo).decision == "allow"
    assert judge(rules("allow todo_write", "ask todo_write"), todo).decision == "ask"
    assert judge(rules("allow todo_write", "deny todo_write"), todo).decision == "deny"
    assert judge(rules("allow bash", "allow todo"), todo).decision is None
    assert judge([], todo).decision is None


def _case_rows() -> list[tuple[str, tuple[str, ...]]]:
    if not CASE.exists():
        return []
    return [
        (row["path"], (row["expect"], row.get("also_acceptable", [""])[0].split(",")[0]))
        for row in json.loads(CASE.read_text())["rows"]
    ]


@pytest.mark.parametrize(("path", "expected"), _case_rows())
def test_cases_are_inside_or_outside_as_they_say(path: str, expected: tuple[str, ...]) -> None:
    inside = decision(Path("/work/app"), path, "allow read(**)", tool="read") == "allow"
    assert ("inside" in expected) if inside else not {"outside", "refused"}.isdisjoint(expected)


@pytest.mark.parametrize(
    ("pattern", "covered"),
    [("**", False), ("src/**", False), ("src/deep/**", True), ("src/deep/b.py", True), ("**/deep/*", True)],
)
def test_a_kept_folder_has_to_be_named_by_a_rule(project: Path, pattern: str, covered: bool) -> None:
    call = replace(call_of("edit", project, file_path="src/deep/b.py"), kept=(project / "src/deep",))
    assert (judge(rules(f"allow edit({pattern})"), call).decision == "allow") is covered
    looking = replace(call, tool="read", kind="read")
    assert judge(rules(f"allow read({pattern})"), looking).decision == "allow"
