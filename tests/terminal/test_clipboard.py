from __future__ import annotations

import os
from pathlib import Path

import pytest

from dsh_tui.terminal.clipboard import MOST_FOR_TERMINAL, Copied, commands, copy


def fake_command(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_command_fits_the_environment() -> None:
    assert commands({}, "linux") == []
    assert commands({}, "darwin") == [["pbcopy"]]
    assert [c[0] for c in commands({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0", "TMUX": "t"}, "linux")] == [
        "wl-copy",
        "xclip",
        "xsel",
        "tmux",
    ]


async def test_a_command_that_took_it_is_named_and_gets_no_secret(tmp_path: Path) -> None:
    fake_command(tmp_path, "wl-copy", f'cat > "{tmp_path}/got"; env > "{tmp_path}/env"')
    sent: list[str] = []
    environment = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "WAYLAND_DISPLAY": "w",
        "DEEPSEEK_API_KEY": "sk-secret",
    }
    done = await copy("中文 text", sent.append, environment)
    assert (tmp_path / "got").read_text(encoding="utf-8") == "中文 text"
    assert "sk-secret" not in (tmp_path / "env").read_text()
    assert sent == ["中文 text"]
    assert str(done) == "Copied 7 characters with wl-copy"


async def test_a_failing_command_is_not_called_a_copy(tmp_path: Path) -> None:
    fake_command(tmp_path, "wl-copy", "cat > /dev/null; exit 1")
    done = await copy("x", lambda text: None, {"PATH": f"{tmp_path}:/bin:/usr/bin", "WAYLAND_DISPLAY": "w"})
    assert done == Copied(1, "", True)
    assert str(done).startswith("Sent 1 character to the terminal's clipboard")


async def test_what_no_terminal_takes_is_not_sent_and_not_called_copied() -> None:
    sent: list[str] = []
    done = await copy("x" * (MOST_FOR_TERMINAL + 1), sent.append, {"PATH": ""})
    assert sent == []
    assert str(done).startswith("Not copied")


@pytest.mark.parametrize("text", ["", "one"])
async def test_without_any_command_the_terminal_is_asked(text: str) -> None:
    sent: list[str] = []
    assert (await copy(text, sent.append, {})).sent_to_terminal
    assert sent == [text]
