"""Folder trust in a real terminal: keys typed ahead never trust, and `exec` runs nothing untrusted."""

from __future__ import annotations

from tests.real.stage import Stage

PLUGIN = (
    "from pathlib import Path\nimport os\nPath(os.environ['MARK']).write_text('ran')\ndef apply(c, d): ...\n"
)


def with_plugin(stage: Stage) -> None:
    (stage.project / ".dsh/plugins").mkdir(parents=True)
    (stage.project / ".dsh/plugins/evil.py").write_text(PLUGIN)
    (stage.project / "AGENTS.md").write_text("Speak of herons.")
    stage.env["MARK"] = str(stage.root / "mark")


def test_enter_typed_ahead_never_trusts_and_two_keys_after_a_pause_do(stage: Stage) -> None:
    with_plugin(stage)
    mark = stage.root / "mark"
    with stage.app(ready="") as app:
        app.type("\r" * 30, gap=0.05)
        app.wait_for("Trust this folder?", "evil.py", "enter answers")
        assert not mark.exists()
        app.press("right")
        app.press("enter")
        app.wait_for("Plugin evil is live")
        assert mark.read_text() == "ran"


def test_exec_runs_nothing_untrusted_and_says_what_it_left_out(stage: Stage) -> None:
    with_plugin(stage)
    mark = stage.root / "mark"
    stage.model.push("Fine.", "Fine.")
    done = stage.run("exec", "hello")
    assert done.returncode == 0
    assert done.stderr == (
        "dsh-tui: not trusted, so without effect: .dsh/plugins/evil.py, AGENTS.md "
        f"(`dsh-tui plugins trust {stage.project}` lists it and asks)\n"
    )
    assert not mark.exists()
    assert "herons" not in str(stage.model.requests[-1].body)
    trusted = stage.run("plugins", "trust", "--yes")
    assert trusted.returncode == 0
    assert not mark.exists()
    assert stage.run("exec", "hello").stderr == ""
    assert mark.exists()
    assert "herons" in str(stage.model.requests[-1].body)


def test_the_command_line_asks_and_enter_alone_is_a_no(stage: Stage) -> None:
    with_plugin(stage)
    for answer, status in (("", 1), ("y", 0)):
        with stage.app("plugins", "trust", ready="[y/N]") as app:
            app.type(f"{answer}\r")
            assert app.wait_exit() == status
