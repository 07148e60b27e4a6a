"""The address of a server is kept in a file that stays its owner's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dsh_tui.engine.settings.edit import save_base_url
from dsh_tui.engine.settings.loader import SettingsError, load_settings
from tests.fakes.odd_files import ODD_FILES

URL = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, f"providers:\n  deepseek:\n    base_url: {URL}\n"),
        ("mode: plan  # mine", f"mode: plan  # mine\nproviders:\n  deepseek:\n    base_url: {URL}\n"),
        (
            "# top\nproviders:\n  deepseek:\n    base_url: http://wrong:1  # at work\nmode: plan\n",
            f"# top\nproviders:\n  deepseek:\n    base_url: {URL}  # at work\nmode: plan\n",
        ),
    ],
)  # fmt: skip
def test_an_address_is_added_or_replaced_and_all_else_stays(
    tmp_path: Path, before: str | None, after: str
) -> None:
    path = tmp_path / "settings.yaml"
    if before is not None:
        path.write_text(before)
    save_base_url(path, "deepseek", f" {URL} ")
    assert path.read_text() == after
    assert load_settings(path).providers["deepseek"].base_url == URL


@pytest.mark.parametrize(
    "before",
    [
        "providers: {deepseek: {base_url: 'http://a'}}\n",
        "providers:\n  other:\n    base_url: http://a\n",
        "providers:\n  deepseek:\n    models: [a]\n",
    ],
)
def test_a_file_that_cant_be_edited_safely_is_left_alone(tmp_path: Path, before: str) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(before)
    with pytest.raises(SettingsError, match=r"set providers\.deepseek\.base_url there"):
        save_base_url(path, "deepseek", URL)
    assert path.read_text() == before


def test_a_link_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    (tmp_path / "elsewhere").write_text("mode: plan\n")
    path.symlink_to("elsewhere")
    save_base_url(path, "deepseek", URL)
    assert path.is_symlink()
    assert (tmp_path / "elsewhere").read_text().startswith("mode: plan\nproviders:\n")


@pytest.mark.parametrize("kind", ODD_FILES)
def test_what_is_no_file_is_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "settings.yaml"
    ODD_FILES[kind](path)
    with pytest.raises(SettingsError):
        save_base_url(path, "deepseek", URL)
    assert os.path.lexists(path)


def test_what_is_no_address_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    with pytest.raises(SettingsError):
        save_base_url(path, "deepseek", "http://a: b")
    assert not path.exists()
