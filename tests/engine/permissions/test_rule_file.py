"""A settings file as a place for rules: what is written, and what is rather left alone."""

from __future__ import annotations

import fcntl
import os
import stat
import threading
from pathlib import Path

import pytest

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.permissions.rule_file import RuleFile, RuleFileError
from dsh_tui.engine.settings.loader import LARGEST
from dsh_tui.engine.settings.rules import read_user_rules
from tests.fakes.odd_files import ODD_FILES
from tests.fakes.permission_bench import rules

LS, PWD = rules("allow bash(ls *)", "allow bash(pwd)")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "settings.yaml"


@pytest.fixture
def file(path: Path) -> RuleFile:
    return RuleFile(path, read_user_rules)


def held(path: Path) -> set[Rule]:
    return set(read_user_rules(path, path.read_bytes()))


def test_a_file_that_is_not_there_is_made_for_its_owner_only(file: RuleFile, path: Path) -> None:
    file.add((LS, LS, PWD))
    assert path.read_text() == "permissions:\n  allow:\n    - bash(ls *)\n    - bash(pwd)\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_that_others_may_read_stays_so(file: RuleFile, path: Path) -> None:
    path.parent.mkdir()
    path.write_text("model: x\n")
    path.chmod(0o644)  # a project's, in a checkout that several people use
    file.add((LS,))
    file.remove(LS)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_lock_that_is_not_given_back_is_told_and_changes_nothing(file: RuleFile, path: Path) -> None:
    path.parent.mkdir()
    file.lock_s = 0.05
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with pytest.raises(RuleFileError, match="locked by another program"):
            file.add((LS,))
    finally:
        os.close(folder)
    assert not path.exists()


def test_what_is_there_already_changes_nothing(file: RuleFile, path: Path) -> None:
    file.add((LS,))
    before = path.stat()
    assert file.add((LS,)) == path.read_bytes()
    file.remove(PWD)
    assert path.stat() == before


def test_a_link_leads_to_the_file_that_is_written(file: RuleFile, path: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "settings.yaml"
    target.parent.mkdir()
    target.write_text("model: x\n")
    path.parent.mkdir()
    path.symlink_to(target)
    file.add((LS,))
    assert path.is_symlink()
    assert held(target) == {LS}


@pytest.mark.parametrize(
    "text",
    [
        "model: [broken\n",
        "unknown: 1\n",
        "permissions:\n  allow: [bash(]\n",
        # One list under two names: a rule would become a variable's name too.
        "shell:\n  pass_environment: &both [HOME]\npermissions:\n  allow: *both\n",
        "permissions: {deny: [bash]}\npermissions: {deny: [edit]}\n",
    ],
)
def test_what_cannot_be_edited_safely_is_left_as_it_is(file: RuleFile, path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(HarnessError) as caught:
        file.add((LS,))
    assert "settings.yaml" in caught.value.message
    assert "\n" not in caught.value.message
    assert path.read_text() == text


def test_a_file_that_is_not_as_expected_is_left_alone(file: RuleFile, path: Path) -> None:
    path.parent.mkdir()
    path.write_text("model: x\n")
    with pytest.raises(RuleFileError):
        file.add((LS,), expected=b"")
    assert path.read_text() == "model: x\n"


def test_no_rule_makes_a_file_too_large_to_be_read(file: RuleFile, path: Path) -> None:
    path.parent.mkdir()
    before = "model: x\n" + "#" * (LARGEST - 10)
    path.write_text(before)
    with pytest.raises(RuleFileError, match="is larger than 256 KiB"):
        file.add((LS,))
    assert path.read_text() == before


def test_somebody_who_saves_meanwhile_loses_nothing(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("model: x\n")
    looks = 0

    def read(where: Path, content: bytes) -> tuple[Rule, ...]:
        nonlocal looks
        looks += 1
        if looks == 2:  # the edited text is checked: an editor saves just then
            path.write_text("model: y\n")
        return read_user_rules(where, content)

    with pytest.raises(RuleFileError):
        RuleFile(path, read).add((LS,))
    assert path.read_text() == "model: y\n"


def test_writers_wait_for_each_other(file: RuleFile, path: Path) -> None:
    each = [Rule.parse(f"allow bash(tool{number} *)") for number in range(12)]
    threads = [threading.Thread(target=file.add, args=((rule,),)) for rule in each]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert held(path) == set(each)


@pytest.mark.parametrize("kind", sorted(ODD_FILES.keys() - {"dangling link"}))
def test_what_is_no_file_is_told_and_left_alone(file: RuleFile, path: Path, kind: str) -> None:
    path.parent.mkdir()
    ODD_FILES[kind](path)
    with pytest.raises(RuleFileError, match=r": is .*; "):
        file.add((LS,))
    assert os.path.lexists(path)
