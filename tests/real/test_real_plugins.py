"""A plugin saved while a turn streams: an error is shown, the mended one is offered, nothing is lost."""

from __future__ import annotations

from tests.fakes.model_server import reply
from tests.real.stage import Stage

GOOD = """
from pydantic import BaseModel

from dsh_tui.engine.tools.definition import ToolDefinition, ToolOutput
from dsh_tui.engine.tools.registry import TOOLS

inject = (TOOLS,)


class Args(BaseModel):
    name: str


async def greet(args, call):
    return ToolOutput(f"Greetings, {args.name}, from version {VERSION}.")


def apply(ctx, config):
    definition = ToolDefinition(
        name="greet", description="Greets.", parameters=Args, execute=greet, kind="other", changes=False
    )
    ctx[TOOLS].register(ctx, definition)
"""


def version(number: int) -> str:
    return f"VERSION = {number}\n{GOOD}"


def test_a_plugin_saved_broken_then_good_in_mid_turn_is_offered_in_the_next_request(stage: Stage) -> None:
    plugin = stage.home / "plugins" / "greeter.py"
    gate = stage.model.gate()
    stage.model.push(reply("The story begins and goes on to its end.", gate=gate.event, gate_after=4))
    with stage.app() as app:
        app.type("tell a story\r")
        app.wait_for("The story begins", "running")
        plugin.write_text("def apply(ctx, config)\n    pass\n")
        app.wait_for("greeter.py:1: SyntaxError")
        plugin.write_text(version(1))
        app.wait_for("Plugin greeter is live, reload 1")
        gate.open()
        app.wait_for("goes on to its end.", "ready")
        assert "greet" not in stage.model.offered(0)
        stage.model.push(reply(tool_calls=[("greet", {"name": "Ada"})]), "It greeted.")
        app.type("greet Ada\r")
        app.wait_for("It greeted.", "ready")
        assert stage.model.offered().count("greet") == 1
        assert "Greetings, Ada, from version 1." in stage.model.said()

        temporary = plugin.with_name(".greeter.py.tmp")
        temporary.write_text(version(2))
        temporary.rename(plugin)
        app.wait_for("Plugin greeter is live, reload 2")
        stage.model.push(reply(tool_calls=[("greet", {"name": "Bob"})]), "It greeted again.")
        app.type("greet Bob\r")
        app.wait_for("It greeted again.", "ready")
        assert stage.model.offered().count("greet") == 1
        assert "Greetings, Bob, from version 2." in stage.model.said()

        plugin.write_text("raise RuntimeError('[bold]boom[/]')\n")
        app.wait_for("greeter.py:1: RuntimeError: [bold]boom[/]")
        stage.model.push(reply(tool_calls=[("greet", {"name": "Cy"})]), "Still there.")
        app.type("greet Cy\r")
        app.wait_for("Still there.", "ready")
        assert "Greetings, Cy, from version 2." in stage.model.said()

        plugin.unlink()
        app.wait_for("Plugin greeter is gone")
        stage.model.push("Without it.")
        app.type("and now?\r")
        app.wait_for("Without it.", "ready")
        assert "greet" not in stage.model.offered()
    stage.model.assert_all_accepted()
    assert stage.ends() == ["completed"] * 5


def test_broken_plugins_at_the_start_are_told_and_stop_nothing(stage: Stage) -> None:
    plugins = stage.home / "plugins"
    plugins.mkdir()
    (plugins / "syntax.py").write_text("def broken(:\n    pass\n")
    (plugins / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    (plugins / "interrupts.py").write_text("raise KeyboardInterrupt\n")
    (plugins / "greeter.py").write_text(version(1))
    stage.model.push("All fine.")
    with stage.app(columns=120) as app:
        app.wait_for("plugin")
        app.type("hello\r")
        app.wait_for("All fine.", "ready")
        assert "greet" in stage.model.offered()
        app.press("ctrl+q")
        assert app.wait_exit() == 0
    stage.model.push("Fine too.")
    done = stage.exec("hello")
    assert (done.returncode, done.stdout) == (0, "Fine too.\n")
    assert [line for line in done.stderr.splitlines() if not line.startswith("dsh-tui: ")] == []
    for name in ("syntax.py", "leaves.py", "interrupts.py"):
        assert name in done.stderr
    stage.model.assert_all_accepted()


def test_what_a_plugin_prints_never_meets_the_screen(stage: Stage) -> None:
    plugins = stage.home / "plugins"
    plugins.mkdir()
    (plugins / "loud.py").write_text(
        "import os, subprocess\n\n\ndef apply(ctx, config):\n"
        "    print('SCRIBBLE 1')\n    os.write(1, b'SCRIBBLE 2')\n    os.write(2, b'SCRIBBLE 3')\n"
        "    subprocess.run(['echo', 'SCRIBBLE 4'])\n"
    )
    with stage.app() as app:
        app.type("hello\r")
        app.wait_for("Ok.", "ready")
        app.resize(100, 30)
        app.wait_until(lambda: app.lines[28].startswith("╰"), "the window's new size")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        app.assert_restored()
        assert b"SCRIBBLE" not in app.raw
        assert "Resume: dsh-tui --resume " in app.after_app
    kept = stage.home / "logs" / "output.log"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert [f"SCRIBBLE {n}" in kept.read_text() for n in (1, 2, 3, 4)] == [True] * 4


def test_an_editor_has_the_terminal_while_it_runs(stage: Stage) -> None:
    editor = stage.root / "editor.sh"
    editor.write_text('#!/bin/sh\ntest -t 1 && test -t 2 && echo "from the editor" > "$1"\n')
    editor.chmod(0o755)
    with stage.app(env={"EDITOR": str(editor)}) as app:
        app.press("ctrl+g")
        app.wait_for("│ from the editor")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
        app.assert_restored()
