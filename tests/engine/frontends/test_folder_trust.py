"""``plugins trust`` and ``plugins list`` in a project: nothing hidden, nothing trusted unasked."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from dsh_tui import cli

ODD = "a\x1b[2J\n[b].py"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    (root / ".dsh/plugins").mkdir(parents=True)
    (root / ".dsh/plugins/one.py").write_text("def apply(ctx, config): ...\n")
    (root / ".dsh/plugins" / ODD).write_text("")
    (root / ".dsh/settings.yaml").write_text("permissions: {}\nbase_url: http://elsewhere\n")
    (root / "AGENTS.md").write_text("be kind")
    monkeypatch.setenv("DSH_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "none"))
    monkeypatch.chdir(root)
    return root


def test_all_of_it_is_listed_and_without_a_terminal_nothing_is_trusted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plugins", "trust"]) == 1
    said = capsys.readouterr()

    def digest(name: str) -> str:
        return hashlib.sha256((project / name).read_bytes()).hexdigest()[:16]

    assert said.out.splitlines() == [
        str(project),
        f"  new      plugin        .dsh/plugins/one.py  28 bytes  {digest('.dsh/plugins/one.py')}",
        f"  new      rules         .dsh/settings.yaml  43 bytes  {digest('.dsh/settings.yaml')}",
        "           base_url: never taken from a project",
        f"  new      instructions  AGENTS.md  7 bytes  {digest('AGENTS.md')}",
        "  never    .dsh/plugins/a␛[2J␊[b].py: its name is no plugin's",
    ]
    assert said.err == "dsh-tui: nothing was trusted: without a terminal to ask on, --yes is needed\n"
    assert cli.main(["plugins", "trust"]) == 1


def test_yes_trusts_what_is_listed_and_revoke_takes_it_back(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plugins", "trust", "--yes"]) == 0
    assert "  trusted  plugin " in capsys.readouterr().out
    assert cli.main(["plugins", "trust", str(project)]) == 0
    (project / "AGENTS.md").write_text("be evil")
    assert cli.main(["plugins", "trust"]) == 1
    assert "  changed  instructions" in capsys.readouterr().out
    assert cli.main(["plugins", "trust", "--revoke"]) == 0
    capsys.readouterr()
    assert cli.main(["plugins", "trust", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert {entry["state"] for entry in report["entries"]} == {"new"}


def test_json_says_how_all_of_it_stands_and_changes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert cli.main(["plugins", "trust", "--json"]) == 1
        report = json.loads(capsys.readouterr().out)
        assert (report["project"], report["trusted"]) == (str(project), False)
        assert [entry["path"] for entry in report["entries"]] == [
            ".dsh/plugins/one.py",
            ".dsh/settings.yaml",
            "AGENTS.md",
        ]
        assert report["leftOut"] == [{"path": f".dsh/plugins/{ODD}", "why": "its name is no plugin's"}]
    assert cli.main(["plugins", "trust", "--json", "--yes"]) == 0
    assert json.loads(capsys.readouterr().out)["trusted"] is True


def test_the_list_says_whose_a_plugin_is_and_whether_it_is_trusted(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home/plugins").mkdir(parents=True)
    (tmp_path / "home/plugins/mine.py").write_text("def apply(ctx, config): ...\n")
    assert cli.main(["plugins", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["name"], row["source"], row["state"], row["trusted"]) for row in rows] == [
        ("mine", "user", "active", True),
        ("one", "project", "untrusted", False),
    ]
    cli.main(["plugins", "trust", "--yes"])
    capsys.readouterr()
    assert cli.main(["plugins", "list"]) == 0
    assert (
        f"one                      active    project {project}/.dsh/plugins/one.py" in capsys.readouterr().out
    )


def test_a_project_without_any_of_it_says_so(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plugins", "trust", str(tmp_path)]) == 0
    assert "nothing here would take effect" in capsys.readouterr().out
    assert project.exists()


@pytest.mark.parametrize(
    "arguments",
    [["list", "somewhere"], ["check", "--yes"], ["trust", "--yes", "--revoke"], ["trust", "no-such-folder"]],
)
def test_wrong_usage_is_one_line(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["plugins", *arguments])
    assert left.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert project.exists()
