"""Credentials: found in the right order, stored privately, never shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dsh_tui.engine.credentials.store import CredentialError, CredentialStore
from tests.fakes.closed_files import modes_obeyed
from tests.fakes.odd_files import ODD_FILES

KEY = "sk-0123456789abcdef"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    CredentialStore(tmp_path / "c.yaml", {}).save("deepseek", "sk-stored")
    credential = CredentialStore(tmp_path / "c.yaml", {"DEEPSEEK_API_KEY": KEY}).resolve("deepseek")
    assert credential is not None
    assert (credential.value, credential.source) == (KEY, "DEEPSEEK_API_KEY")


def test_a_saved_key_is_private_and_found_at_once(tmp_path: Path) -> None:
    store = CredentialStore(tmp_path / "home" / "c.yaml", {})
    assert store.resolve("deepseek") is None
    store.save("deepseek", f"  {KEY}\n")
    found = store.resolve("deepseek")
    assert found is not None
    assert found.value == KEY
    assert (tmp_path / "home" / "c.yaml").stat().st_mode & 0o777 == 0o600


def test_a_link_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    (tmp_path / "elsewhere").write_text("other: sk-other\n")
    path.symlink_to("elsewhere")
    CredentialStore(path, {}).save("deepseek", KEY)
    assert path.is_symlink()
    assert (tmp_path / "elsewhere").read_text() == f"deepseek: {KEY}\nother: sk-other\n"


def test_a_key_never_shows_in_a_repr(tmp_path: Path) -> None:
    store = CredentialStore(tmp_path / "c.yaml", {"DEEPSEEK_API_KEY": KEY})
    assert KEY not in repr(store.resolve("deepseek"))


@pytest.mark.parametrize("value", ["", "   ", "two words", "sk-ключ", "sk\x1b[0m"])
def test_what_is_no_key_is_refused_and_not_repeated(tmp_path: Path, value: str) -> None:
    with pytest.raises(CredentialError) as caught:
        CredentialStore(tmp_path / "c.yaml", {}).save("deepseek", value)
    assert not value.strip() or value not in str(caught.value)
    assert not (tmp_path / "c.yaml").exists()


def test_a_broken_store_is_named_without_its_contents(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(f"deepseek: [{KEY}\n")
    with pytest.raises(CredentialError) as caught:
        CredentialStore(path, {}).resolve("deepseek")
    assert str(path) in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("kind", ODD_FILES)
def test_what_is_no_file_is_told_and_stays(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "c.yaml"
    ODD_FILES[kind](path)
    with pytest.raises(CredentialError) as caught:
        CredentialStore(path, {}).resolve("deepseek")
    assert caught.value.message.startswith(f"{path}: is ")
    with pytest.raises(CredentialError):
        CredentialStore(path, {}).save("deepseek", KEY)
    assert os.path.lexists(path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"deepseek: \xff" + KEY.encode(), "is not UTF-8 text"),
        (b"deepseek: !!bool " + KEY.encode(), "is not YAML"),
        (b"deepseek: 2026-99-99\n", "is not YAML"),
        (b"deepseek: " + b"[" * 5_000, "is not YAML"),
        (b"- " + KEY.encode(), "must map provider names to keys"),
    ],
)
def test_what_stands_in_a_broken_store_is_in_no_message_and_no_cause(
    tmp_path: Path, content: bytes, says: str
) -> None:
    path = tmp_path / "c.yaml"
    path.write_bytes(content)
    with pytest.raises(CredentialError, match=says) as caught:
        CredentialStore(path, {}).resolve("deepseek")
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.touch(0)
    with (
        modes_obeyed(),
        pytest.raises(CredentialError, match=r"\(Permission denied\); give yourself the right"),
    ):
        CredentialStore(path, {}).resolve("deepseek")
