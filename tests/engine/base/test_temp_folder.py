from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from dsh_tui.engine.base.atomic_file import OLD_SECONDS, remove_old_temps, temp_of, write_atomic
from dsh_tui.engine.base.temp_folder import REST_SECONDS, TempFolder, remove_abandoned

LATER = time.time() + REST_SECONDS + 60

_KILLED = """
import os, signal
from dsh_tui.engine.base.temp_folder import TempFolder
folder = TempFolder("sandbox")
(folder.path / "built").mkdir()
(folder.path / "built" / "file").write_text("x")
print(folder.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_folder_is_private_and_gone_when_it_is_closed(tmp_path: Path) -> None:
    folder = TempFolder("draft", tmp_path)
    assert (folder.path.parent, folder.path.stat().st_mode & 0o777) == (tmp_path, 0o700)
    (folder.path / "prompt.md").write_text("hello")
    folder.close()
    folder.close()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_program_left_is_taken_away_after_a_day(tmp_path: Path) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    left = Path(killed.stdout.strip())
    assert (killed.returncode, (left / "built" / "file").read_text()) == (-9, "x")
    remove_abandoned(tmp_path, time.time())
    assert left.is_dir()
    remove_abandoned(tmp_path, LATER)
    assert not left.exists()


def test_a_folder_in_use_stays_however_old_it_is(tmp_path: Path) -> None:
    folder = TempFolder("sandbox", tmp_path)
    remove_abandoned(tmp_path, LATER)
    assert folder.path.is_dir()
    folder.close()


def test_nothing_else_is_touched(tmp_path: Path) -> None:
    target = tmp_path / "mine"
    target.mkdir()
    (target / "file").write_text("x")
    (tmp_path / "dsh-tui-sandbox-linked00").symlink_to(target)
    (tmp_path / "dsh-tui-sandbox-file0000").write_text("x")
    for name in ("dsh-tui-projects", "dsh-tui-sandbox-of-my-own", "other-sandbox-abcdefgh"):
        (tmp_path / name).mkdir(mode=0o700)
    (tmp_path / "dsh-tui-sandbox-open0000").mkdir(mode=0o755)
    before = sorted(tmp_path.rglob("*"))
    remove_abandoned(tmp_path, LATER)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_inside_is_taken_away_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("x")
    left = tmp_path / "dsh-tui-draft-abcdefgh"
    left.mkdir(mode=0o700)
    (left / "link").symlink_to(tmp_path / "kept")
    remove_abandoned(tmp_path, LATER)
    assert (tmp_path / "kept" / "file").read_text() == "x"


def test_without_a_folder_for_temporary_files_there_is_nothing_to_do(tmp_path: Path) -> None:
    remove_abandoned(tmp_path / "none", LATER)
    remove_old_temps(tmp_path / "none", LATER)


def test_old_temp_files_of_writes_are_taken_away_and_nothing_else(tmp_path: Path) -> None:
    write_atomic(tmp_path / "settings.yaml", b"a: 1")
    left = temp_of(tmp_path / "settings.yaml")
    left.write_bytes(b"a:")
    (tmp_path / ".mine.tmp").write_bytes(b"")
    (tmp_path / ".settings.yaml.0123456789ab.tmp.d").mkdir()
    remove_old_temps(tmp_path, time.time())
    assert left.exists()
    remove_old_temps(tmp_path, time.time() + OLD_SECONDS + 60)
    assert {path.name for path in tmp_path.iterdir()} == {
        "settings.yaml",
        ".mine.tmp",
        ".settings.yaml.0123456789ab.tmp.d",
    }
