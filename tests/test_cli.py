"""The command line where it is started: faults of the user's are one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh_tui.cli import USAGE_ERROR, main


@pytest.mark.parametrize(
    "command",
    ["", "exec hi", "permissions list", "plugins list", "plugins trust", "exec -C below hi"],
)
def test_a_current_directory_that_is_gone_is_one_line(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(SystemExit) as ended:
        main(command.split())
    assert ended.value.code == USAGE_ERROR
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "the current directory can't be used: No such file or directory" in said
