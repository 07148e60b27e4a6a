from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dsh_tui.external_editor import EditorFailed, edit, editor_command


@contextmanager
def lent() -> Iterator[None]:
    yield


def editor(folder: Path, script: str) -> dict[str, str]:
    path = folder / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"EDITOR": str(path), "PATH": os.environ["PATH"], "DEEPSEEK_API_KEY": "sk-secret"}


def test_the_text_comes_back_and_the_editor_sees_no_secret(tmp_path: Path) -> None:
    environment = editor(tmp_path, f'echo more >> "$1"; env > "{tmp_path}/env"')
    assert edit("draft\n", lent(), environment) == "draft\nmore"
    assert "sk-secret" not in (tmp_path / "env").read_text()


def test_nobody_else_can_read_the_draft_meanwhile(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        environment = editor(tmp_path, 'stat -c %a "$1" "${1%/*}" > "$1.modes"; cat "$1.modes" > "$1"')
        assert edit("draft", lent(), environment) == "600\n700"
    finally:
        os.umask(before)


def test_an_editor_that_fails_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(EditorFailed, match="ended with 3; the draft is unchanged"):
        edit("draft", lent(), editor(tmp_path, "exit 3"))
    with pytest.raises(EditorFailed, match=r"Set \$EDITOR"):
        edit("draft", lent(), {"EDITOR": "/nowhere/editor"})


def test_an_editor_that_is_no_command_and_a_draft_that_is_gone_are_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(EditorFailed, match="EDITOR can't be read: No closing quotation"):
        edit("draft", lent(), {"EDITOR": "vi 'x"})
    with pytest.raises(EditorFailed, match="can't be lent out: No such file"):
        edit("draft", lent(), editor(tmp_path, 'rm "$1"'))


def test_visual_wins_and_vi_is_the_last_resort() -> None:
    assert editor_command({"VISUAL": "code -w", "EDITOR": "nano"}) == ["code", "-w"]
    assert editor_command({}) == ["vi"]
