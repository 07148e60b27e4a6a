"""A directory is the same over whatever link it is reached; what is no path stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.engine.base.real_folder import real_folder


def test_a_link_is_where_it_leads_even_over_several(tmp_path: Path) -> None:
    (tmp_path / "target" / "in").mkdir(parents=True)
    (tmp_path / "one").symlink_to(tmp_path / "target")
    (tmp_path / "two").symlink_to("one")
    assert real_folder(str(tmp_path / "two" / "in")) == str(tmp_path / "target" / "in")


@pytest.mark.parametrize(
    "path", ["", "relative/path", "/work/with\0nul", "/work/half\ud83d", "/gone/for/good"]
)
def test_what_is_not_there_stays_as_it_is(path: str) -> None:
    assert real_folder(path) == path
