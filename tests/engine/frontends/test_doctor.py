"""What the doctor says, and what it keeps to itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dsh_tui.cli import main
from dsh_tui.engine.frontends.doctor import Finding, examine
from tests.fakes.closed_files import modes_obeyed
from tests.fakes.odd_files import ODD_FILES


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("DSH_TUI_HOME", str(home))
    monkeypatch.setenv("DEEPSEEK_API_KEY", "")
    monkeypatch.setenv("DEEPSEEK_BASE_URL", "")
    return home


def told(name: str) -> list[Finding]:
    return [one for one in examine() if one.name == name]


def faults() -> list[Finding]:
    return [one for one in examine() if one.verdict == "fault" and one.name != "bash"]


def test_a_new_home_has_no_fault(home: Path) -> None:
    assert faults() == []
    assert (home / "sessions").is_dir()


def test_every_fault_of_the_settings_is_a_line_and_what_the_app_opens_on_is_said(home: Path) -> None:
    settings = home / "settings.yaml"
    settings.write_text("modle: x\npermissions:\n  deny:\n    - bash(rm *)\ntheem: y\n")
    first, second, meanwhile = told("settings")
    assert first.detail.startswith(f"{settings}:1: unknown key `modle`; did you mean ")
    assert second.detail.startswith(f"{settings}:5: unknown key `theem`; did you mean `theme`")
    assert (first.verdict, second.verdict, meanwhile.verdict) == ("fault", "fault", "note")
    assert meanwhile.detail == (
        "exec refuses; the app opens: Your deny and ask rules and otherwise defaults are in use"
    )


BREAK_UP: dict[str, tuple[str, str, str]] = {
    "settings.yaml": ("settings", "- a\n", "must be a mapping"),
    "credentials.yaml": ("key", "deepseek: [sk-secret\n", "is not YAML"),
    "AGENTS.md": ("instructions", "\xff\n", "line 1 is not UTF-8"),
    "trust.json": ("trust", "{", "is damaged"),
}


@pytest.mark.parametrize("file", [*BREAK_UP, "plugins/p.py"])
@pytest.mark.parametrize("kind", ODD_FILES)
def test_what_lies_in_the_place_of_a_file_is_one_fault_each(home: Path, file: str, kind: str) -> None:
    (home / "plugins").mkdir()
    ODD_FILES[kind](home / file)
    (fault,) = faults()
    assert fault.name == BREAK_UP.get(file, ("plugins",))[0]
    assert f"{home / file}: is " in fault.detail


@pytest.mark.parametrize("file", BREAK_UP)
def test_a_broken_file_is_a_fault_with_its_place_and_without_its_secrets(home: Path, file: str) -> None:
    name, content, says = BREAK_UP[file]
    (home / file).write_text(content, "latin-1")
    (fault,) = faults()
    assert fault.name == name
    assert says in fault.detail
    assert str(home / file) in fault.detail
    assert "sk-secret" not in fault.detail


def _closed(home: Path) -> None:
    (home / "plugins").mkdir()
    (home / "plugins").chmod(0o300)


def _taken(home: Path) -> None:
    (home / "sessions").write_text("in the way")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [(_closed, "plugins can't be used: Permission denied; give"), (_taken, "in the way")],
)
def test_a_folder_that_can_not_be_used_is_a_fault(
    home: Path, spoil: Callable[[Path], None], says: str
) -> None:
    spoil(home)
    with modes_obeyed():
        (fault,) = [one for one in faults() if one.name == "home"]
    assert says in fault.detail


def test_a_home_that_is_no_folder_is_one_fault(home: Path) -> None:
    home.rmdir()
    home.write_text("in the way")
    assert [one.name for one in faults()] == ["home"]


def test_a_home_that_nobody_can_tell_is_a_fault_and_one_line_for_every_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DSH_TUI_HOME", "~nobody-of-that-name/x")
    assert [one.name for one in faults()] == ["home"]
    for command in ("exec hi", "sessions list", "plugins trust", "permissions list"):
        with pytest.raises(SystemExit) as left:
            raise SystemExit(main(command.split()))
        said = capsys.readouterr().err
        assert left.value.code != 0
        assert said.count("\n") == 1
        assert "can't tell where ~nobody-of-that-name/x is; set DSH_TUI_HOME to a folder" in said


def test_a_password_in_the_servers_address_is_not_shown(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-0123456789abcdef")
    monkeypatch.setenv("DEEPSEEK_BASE_URL", "https://me:hunter2@models.example/v1")
    (home / "settings.yaml").write_text("providers: {deepseek: {base_url: 'http://me:hunter2@local:1'}}\n")
    assert [one.detail for one in told("server")] == [
        "DEEPSEEK_BASE_URL is set: https://…@models.example/v1",
        "http://…@local:1, from settings.yaml; DEEPSEEK_BASE_URL wins over it",
    ]
    assert not any("hunter2" in one.detail or "sk-0123" in one.detail for one in examine())


def test_an_address_that_is_none_is_a_fault(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home
    monkeypatch.setenv("DEEPSEEK_BASE_URL", "localhost:8080")
    (fault,) = faults()
    assert fault.detail == "DEEPSEEK_BASE_URL is no http:// or https:// address: localhost:8080"


def test_a_broken_file_of_keys_is_told_although_the_environment_has_one(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-0123456789abcdef")
    (home / "credentials.yaml").write_text("deepseek: [sk-secret\n")
    told_of, found = told("key")
    assert (told_of.verdict, "is not YAML" in told_of.detail) == ("note", True)
    assert (found.verdict, found.detail) == ("ok", "from DEEPSEEK_API_KEY")
