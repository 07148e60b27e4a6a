"""Settings: one clear line for each fault, and no fault for a good file."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.settings.home import Home, HomeError
from dsh_tui.engine.settings.loader import SettingsError, load_settings, parse_settings
from dsh_tui.engine.settings.settings_file import SettingsFile

HERE = Path("settings.yaml")


def test_no_file_means_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "settings.yaml")
    assert (settings.model, settings.mode, settings.lease.ttl_ms) == (
        "deepseek/deepseek-flash",
        "ask",
        300_000,
    )


def test_a_good_file_is_taken_as_it_is() -> None:
    settings = parse_settings(
        HERE, b"model: deepseek/deepseek-v4-pro\nproviders:\n  deepseek:\n    base_url: http://127.0.0.1:1\n"
    )
    assert settings.model == "deepseek/deepseek-v4-pro"
    assert settings.providers["deepseek"].base_url == "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (b"mode: ask\nmodle: x\n", 2, "unknown key `modle`; did you mean `mode` or `model`?"),
        (b"lease:\n  ttl: 5\n", 2, "did you mean `ttl_ms`?"),
        (b"providers:\n  deepseek:\n    base_urll: http://x\n", 3, "did you mean `base_url`?"),
        (b"\n\nmode: fast\n", 3, "mode: input should be 'ask', 'edits', 'plan', 'sandbox' or 'full'"),
        (b"lease: {ttl_ms: 5, renew_interval_ms: 5}\n", 1, "renew_interval_ms must be smaller"),
        (b"compaction: {threshold: 1.5}\n", 1, "threshold: input should be less than or equal to 1"),
        (b"compaction: {retain: 0.8}\n", 1, "retain must be smaller than threshold"),
        (b"model: [\n", 2, "is not YAML"),
        (b"model: \xff\n", 1, "not UTF-8"),
        (b"- a\n", 1, "must be a mapping"),
        (
            b"permissions:\n  deny:\n    - bash(rm *)\n  deny: []\n",
            4,
            "`deny` stands there twice",
        ),
        (b"model: x\nmode: \x00\n", None, "is not YAML"),
    ],
)
def test_a_broken_file_is_one_line_that_names_the_place(text: bytes, line: int | None, says: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_settings(HERE, text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.line == line


def test_an_empty_file_is_all_defaults() -> None:
    assert parse_settings(HERE, b"# nothing yet\n").mode == "ask"


def test_home_is_private_and_comes_from_the_environment(tmp_path: Path) -> None:
    home = Home.from_environment({"DSH_TUI_HOME": str(tmp_path / "home")})
    home.prepare()
    assert home.sessions.stat().st_mode & 0o777 == 0o700
    assert home.root.stat().st_mode & 0o777 == 0o700


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(HomeError, match="set DSH_TUI_HOME"):
        Home(tmp_path / "file" / "home").prepare()


def test_a_broken_save_keeps_the_last_good_values_until_it_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("mode: plan\n")
    settings = SettingsFile(path)
    path.write_text("mode: plan\nmodle: x\n")
    assert settings.reload()
    assert (settings.current.mode, settings.fault[-30:] != "") == ("plan", True)
    assert not settings.reload()
    path.write_text("mode: edits  # mended\n")
    assert settings.reload()
    assert (settings.current.mode, settings.fault) == ("edits", "")


def test_a_file_that_is_broken_from_the_start_means_defaults_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("mode: [\n")
    settings = SettingsFile(path, tolerant=True)
    assert settings.current.mode == "ask"
    assert str(path) in settings.fault
    assert path.read_text() == "mode: [\n"
