"""A settings file that breaks: what was good stays in force, and it is said what is in use."""

from __future__ import annotations

import os
import stat
from datetime import datetime
from pathlib import Path

import pytest

from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.settings.last_good import LastGood
from dsh_tui.engine.settings.loader import SettingsError
from dsh_tui.engine.settings.settings_file import SettingsFile
from tests.fakes.odd_files import ODD_FILES

DENY = Rule.parse("deny bash(rm *)")
GOOD = "mode: plan\npermissions: {deny: ['bash(rm *)']}\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.yaml"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / "settings.last-good.yaml"


def opened(path: Path, copy: Path) -> SettingsFile:
    """As the app opens it."""
    return SettingsFile(path, tolerant=True, last_good=LastGood(copy))


def keep(path: Path, copy: Path, text: str = GOOD) -> None:
    """A start with good settings."""
    path.write_text(text)
    opened(path, copy).keep()


def test_a_broken_save_keeps_the_last_good_values_until_it_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("mode: plan\n")
    settings = SettingsFile(path)
    path.write_text("mode: plan\nmodle: x\n")
    assert settings.reload()
    assert settings.current.mode == "plan"
    assert settings.notice.startswith(f"What was in use before stays until this is mended: {path}:2: ")
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


def test_what_was_last_in_use_stands_in_and_says_since_when(path: Path, copy: Path) -> None:
    keep(path, copy)
    os.utime(copy, (1_700_000_000, 1_700_000_000))
    since = datetime.fromtimestamp(1_700_000_000).astimezone()
    path.write_text("mode: [\n")
    file = opened(path, copy)
    assert (file.current.mode, file.current.permissions.rules) == ("plan", (DENY,))
    assert file.notice.startswith(
        f"Your last good settings ({since:%Y-%m-%d %H:%M}) are in use "
        f"until this is mended: {path}:2: is not YAML"
    )
    assert path.read_text() == "mode: [\n"
    file.keep()
    assert copy.read_text() == GOOD


@pytest.mark.parametrize("kind", ODD_FILES)
def test_whatever_takes_the_place_of_the_file_its_rules_stay_in_force(
    path: Path, copy: Path, kind: str
) -> None:
    keep(path, copy)
    path.unlink()
    ODD_FILES[kind](path)
    file = opened(path, copy)
    assert file.current.permissions.rules == (DENY,)
    assert f"{path}: is " in file.notice


def test_without_a_copy_what_the_file_denies_holds_and_what_it_allows_not(path: Path, copy: Path) -> None:
    path.write_text(
        "mode: full\npermissions:\n  allow: [bash]\n  ask: [edit]\n  deny: ['bash(rm *)']\nmodle: x\n"
    )
    file = opened(path, copy)
    assert (file.current.mode, file.current.permissions.rules) == ("ask", (Rule.parse("ask edit"), DENY))
    assert file.unread == ()
    assert file.notice.startswith(
        f"Your deny and ask rules and otherwise defaults are in use until this is mended: {path}:6: "
    )


def test_a_file_without_rules_leaves_none_out(path: Path, copy: Path) -> None:
    path.write_text("modle: x\n")
    file = opened(path, copy)
    assert file.notice.startswith("Defaults are in use until this is mended: ")
    assert file.unread == ()


@pytest.mark.parametrize(
    ("text", "rules", "asks"),
    [
        ("permissions: {deny: ['bash(rm *)', 'bash(rm']}\n", (DENY,), "every call of bash asks"),
        ("permissions: [\n", (), "every call asks"),
        ("permission: {deny: [bash]}\n", (), "every call asks"),
        ("permissions: \xff\n", (), "every call asks"),
        ("- a\n", (), "every call asks"),
        (None, (), "every call asks"),
    ],
)
def test_where_nobody_can_tell_what_is_denied_that_asks(
    path: Path, copy: Path, text: str | None, rules: tuple[Rule, ...], asks: str
) -> None:
    path.mkdir() if text is None else path.write_text(text, "latin-1")
    file = opened(path, copy)
    assert file.current.permissions.rules == rules
    named = "Your deny and ask rules and otherwise defaults" if rules else "Defaults"
    assert file.notice.startswith(
        f"{named} are in use, and since not every rule can be read, {asks} until this"
    )
    assert any(one.may_mean("bash") for one in file.unread)


@pytest.mark.parametrize("kind", [*ODD_FILES, "broken"])
def test_a_copy_that_is_none_stops_nothing(path: Path, copy: Path, kind: str) -> None:
    path.write_text(f"{GOOD}modle: x\n")
    if kind == "broken":
        copy.write_text("modle: x\n")
    else:
        ODD_FILES[kind](copy)
    file = opened(path, copy)
    assert file.notice.startswith("Your deny and ask rules")
    path.write_text(GOOD)
    assert file.reload()
    file.keep()
    assert copy.is_dir() or copy.read_text() == GOOD


def test_the_copy_is_private_and_written_only_when_it_changes(path: Path, copy: Path) -> None:
    keep(path, copy)
    first = copy.stat()
    assert stat.S_IMODE(first.st_mode) == 0o600
    opened(path, copy).keep()
    assert copy.stat() == first
    keep(path, copy, "mode: edits\n")
    assert copy.read_text() == "mode: edits\n"
    assert sorted(one.name for one in copy.parent.iterdir()) == [copy.name, path.name]


def test_without_a_settings_file_the_defaults_are_what_was_last_in_use(path: Path, copy: Path) -> None:
    keep(path, copy)
    path.unlink()
    opened(path, copy).keep()
    assert not copy.exists()
    path.write_text("mode: [\n")
    assert opened(path, copy).current.mode == "ask"


@pytest.mark.parametrize("gone", [False, True])
def test_a_file_that_is_empty_or_gone_for_a_moment_switches_nothing_off(
    path: Path, copy: Path, gone: bool
) -> None:
    keep(path, copy)
    file = opened(path, copy)
    for text in (GOOD + "effort: low\n", GOOD):  # as editors save: empty or away first, then written
        path.unlink() if gone else path.write_text("")
        assert not file.reload()
        assert file.current.permissions.rules == (DENY,)
        path.write_text(text)
        assert file.reload()
    path.unlink() if gone else path.write_text("")
    assert not file.reload()
    assert file.reload()
    assert file.current.permissions.rules == ()


def test_a_mended_file_is_taken_up_and_is_the_last_good_one(path: Path, copy: Path) -> None:
    keep(path, copy)
    path.write_text("mode: [\n")
    file = opened(path, copy)
    path.write_text("mode: edits\n")
    assert file.reload()
    assert (file.current.mode, file.fault, file.notice) == ("edits", "", "")
    file.keep()
    assert copy.read_text() == "mode: edits\n"


def test_the_next_save_may_tell_the_rules_although_it_is_broken_too(path: Path, copy: Path) -> None:
    path.write_text("permissions: [\n")
    file = opened(path, copy)
    path.write_text(f"{GOOD}modle: x\n")
    assert file.reload()
    assert (file.current.permissions.rules, file.unread) == ((DENY,), ())
    path.write_text("permissions: [\n\n")
    assert file.reload()
    assert (file.current.permissions.rules, len(file.unread)) == ((), 1)
    path.write_text(GOOD)
    assert file.reload()
    assert (file.current.permissions.rules, file.unread) == ((DENY,), ())


def test_a_front_end_that_refuses_keeps_nothing_of_a_broken_file(path: Path, copy: Path) -> None:
    keep(path, copy)
    path.write_text("mode: [\n")
    with pytest.raises(SettingsError):
        SettingsFile(path, last_good=LastGood(copy))
    assert copy.read_text() == GOOD
