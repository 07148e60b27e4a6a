"""Credentials: found in the right order, stored privately, never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.credentials.store import CredentialError, CredentialStore

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
