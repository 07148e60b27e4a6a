"""Settings: one clear line for each fault, and no fault for a good file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_tui.engine.settings.home import Home, HomeError
from dsh_tui.engine.settings.loader import SettingsError, load_settings, parse_settings
from tests.fakes.closed_files import modes_obeyed
from tests.fakes.odd_files import ODD_FILES

HERE = Path("settings.yaml")


def test_no_file_means_defaults(tmp_path: Path) -> None:
    loaded = load_settings(tmp_path / "settings.yaml")
    assert (loaded.model, loaded.mode, loaded.lease.ttl_ms) == (
        "deepseek/deepseek-flash",
        "ask",
        300_000,
    )


def test_a_good_file_is_taken_as_it_is() -> None:
    loaded = parse_settings(
        HERE, b"model: deepseek/deepseek-v4-pro\nproviders:\n  deepseek:\n    base_url: http://127.0.0.1:1\n"
    )
    assert loaded.model == "deepseek/deepseek-v4-pro"
    assert loaded.providers["deepseek"].base_url == "http://127.0.0.1:1"


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
        (b"titles: !!bool x\n", None, "is not YAML"),
        (b"theme: 2026-99-99\n", None, "is not YAML: month must be in 1..12"),
        (b"{? [a] : b}\n", 1, "is not YAML: found unhashable key"),
        (b"a\\u2028b: x\n", 1, "unknown key"),
        (b'"a\\nb\\x1b[0m": x\n', 1, "unknown key `a b [0m`"),
        (b"notifications: {desktop: osc8}\n", 1, "notifications.desktop: input should be a valid boolean"),
    ],
)
def test_a_broken_file_is_one_line_that_names_the_place(text: bytes, line: int | None, says: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_settings(HERE, text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.line == line


def test_every_fault_is_told_in_the_order_of_the_file() -> None:
    text = b"""theme: 3
modle: x
lease:
  ttl: 5
permissions:
  deny: [bash(rm *), 'bash(rm']
  deny: []
keymap: {a: 1, b: 2}
"""
    with pytest.raises(SettingsError) as caught:
        parse_settings(HERE, text)
    assert [line.partition(": ")[0] for line in caught.value.all] == [
        f"settings.yaml:{line}" for line in (1, 2, 4, 7, 8, 8)
    ]
    assert caught.value.line == 1
    assert str(caught.value) == (
        "settings.yaml:1: theme: input should be a valid string; and 5 more (lines 2, 4, 7, 8)"
    )


def test_one_more_fault_and_very_many_are_one_line_still() -> None:
    with pytest.raises(SettingsError, match=r"known here: .*; and 1 more \(line 2\)$"):
        parse_settings(HERE, b"xxx: 1\nyyy: 2\n")
    with pytest.raises(SettingsError, match=r"; and 99 more \(lines 2, 3, 4, 5, 6, 7, …\)$"):
        parse_settings(HERE, b"".join(b"xxx%d: 1\n" % at for at in range(100)))


def test_a_value_that_is_merged_in_stands_there_once() -> None:
    text = b"plugins:\n  a: &a {x: 1}\n  b: {<<: *a, x: 2}\n"
    assert parse_settings(HERE, text).plugins["b"] == {"x": 2}


PIECES = (
    *"abc:-[]{}&*!?|>%@`'\"#,. \n\t",
    *("\n  ", ": ", "- ", "!!int ", "!!set ", "<<: ", "&a ", "*a ", "\x1b", "é", "2026-13-40"),
    *("model", "mode", "permissions", "deny", "plugins", "bash(rm *)"),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_whatever_stands_there_is_settings_or_a_line_that_says_what_is_wrong(parts: list[str]) -> None:
    said: tuple[str, ...] = ()
    try:
        parse_settings(HERE, "".join(parts).encode())
    except SettingsError as error:
        said = (str(error), *error.all)
    for line in said:
        assert line.startswith("settings.yaml:")
        assert line.isprintable()


@pytest.mark.parametrize("kind", ODD_FILES)
def test_what_is_no_file_is_refused_in_one_line_and_stays(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "settings.yaml"
    ODD_FILES[kind](path)
    with pytest.raises(SettingsError) as caught:
        load_settings(path)
    assert str(caught.value).startswith(f"{path}: is ")
    assert os.path.lexists(path)


def test_a_closed_file_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.touch(0)
    with (
        modes_obeyed(),
        pytest.raises(SettingsError, match=r"Permission denied\); give yourself the right to"),
    ):
        load_settings(path)


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
