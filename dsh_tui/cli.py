"""argv → app | exec | sessions | replay | permissions | plugins | doctor; each imported when it is asked for.

Every fault of the user's is one line on stderr: 2 for usage and settings, 1 for the rest.
Source: design §4.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from dsh_tui import __version__
from dsh_tui.engine.base import collector
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.modes.mode import CONFINED, MODES_KNOWN
from dsh_tui.launch import ExecOptions, ForkPoint, LaunchOptions

EFFORTS = ("off", "low", "high", "max")
USAGE_ERROR = 2
INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """argparse with one-line errors."""

    def error(self, message: str) -> NoReturn:
        fail(f"{message}; see `{self.prog} --help`", USAGE_ERROR)


def fail(message: str, code: int) -> NoReturn:
    """Say what is wrong in one line and leave."""
    print(f"dsh-tui: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201  # the one place that speaks for the command line
    raise SystemExit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit status."""
    _open_closed_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    command = COMMANDS.get(arguments[0]) if arguments else None
    try:
        status = command(arguments[1:]) if command else _app(arguments)
        _flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except HarnessError as error:  # such as a home that can't be told
        fail(error.message, 1)
    except BrokenPipeError:
        # Whoever read our output left; stdout must not be flushed again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    return status


def _open_closed_streams() -> None:
    """Whoever closed one wants nothing of it; else a log would get its number, and what is printed."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115  # open as long as the program


def _flush() -> None:
    """At exit nobody could tell any more that it failed."""
    from dsh_tui.engine.frontends.speak import told_when_lost

    with told_when_lost():
        sys.stdout.flush()


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", "--model", metavar="PROVIDER/MODEL", help="model to use")
    parser.add_argument("--effort", choices=EFFORTS, help="how much the model thinks")
    parser.add_argument(
        "--mode", choices=MODES_KNOWN, help="what runs without asking (else as the settings say)"
    )
    parser.add_argument("--invariants", action="store_true", help=argparse.SUPPRESS)


def _app(arguments: list[str]) -> int:
    parser = _Parser(
        prog="dsh-tui",
        description="A coding agent in your terminal.",
        epilog=f"other commands: {', '.join(COMMANDS)}; each has its own --help",
    )
    parser.add_argument(
        "directory", nargs="?", default=".", metavar="DIR", help="where to work (default: here)"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "-c", "--continue", dest="continue_last", action="store_true", help="last session here"
    )
    which.add_argument("-r", "--resume", nargs="?", const="", metavar="ID", help="a session, or choose one")
    which.add_argument("--fork", metavar="ID[@SEQ]", help="start from a copy of a session")
    _common(parser)
    parser.add_argument("--demo", action="store_true", help="play the bundled recording")
    parser.add_argument("--version", action="version", version=f"dsh-tui {__version__}")
    options = parser.parse_args(arguments)
    cwd = _directory(options.directory)
    _require_mode(options.mode)
    fork = None if options.fork is None else ForkPoint.parse(options.fork)
    if named := options.resume or (fork and fork.session_id):
        _require_session(named)
    return _start(
        LaunchOptions(
            cwd=cwd,
            continue_last=options.continue_last,
            resume=options.resume,
            fork=fork,
            model=options.model,
            effort=options.effort,
            mode=options.mode,
            invariants=options.invariants,
            demo=options.demo,
        )
    )


def _require_mode(mode: str | None) -> None:
    """Leave with one line where the mode can't be kept on this machine."""
    if mode != CONFINED:
        return
    from dsh_tui.engine.sandbox.backends import first_working, system_backends
    from dsh_tui.engine.sandbox.seam import SandboxUnavailableError

    try:
        first_working(system_backends())
    except SandboxUnavailableError as error:
        fail(f"--mode sandbox: {error.message}", 1)


def _require_session(session_id: str) -> None:
    """Leave with one line where there is no such session, before a screen is drawn."""
    from dsh_tui.engine.base.errors import HarnessError
    from dsh_tui.engine.persistence.jsonl.paths import find_log
    from dsh_tui.engine.settings.home import Home

    home = Home.from_environment(os.environ)
    try:
        if find_log(home.sessions, session_id) is not None:
            return
        from dsh_tui.engine.frontends.stored_session import StoredSessions

        StoredSessions(home, os.environ).require(session_id)
    except HarnessError as error:
        fail(error.message, 1)


def _start(options: LaunchOptions) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        fail("the app needs a terminal; use `dsh-tui exec PROMPT` in scripts and pipes", USAGE_ERROR)
    if os.environ.get("TERM") == "dumb":
        fail("a terminal with TERM=dumb can't show the app; use `dsh-tui exec PROMPT`", USAGE_ERROR)
    if not sys.stderr.isatty():
        fail("the app draws on stderr; start it without redirecting that", USAGE_ERROR)
    os.environ.setdefault("TEXTUAL_FPS", "120")  # read when textual is imported; a user's own value wins
    start_lightly()
    from dsh_tui.start import run_app

    return run_app(options)


def start_lightly() -> None:
    """Before the many imports of the app and of exec."""
    collector.hold()
    # Else pydantic looks for plugins of its own in the metadata of every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def _here() -> Path:
    """Where we were started; leaves with one line where that is gone."""
    try:
        return Path.cwd()
    except OSError as error:
        fail(f"the current directory can't be used: {error.strerror}; go to another one", USAGE_ERROR)


def _directory(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_absolute():
        path = _here() / path
    if path.is_dir():
        return path
    near = get_close_matches(text, list(COMMANDS), n=1) if os.sep not in text else []
    hint = f"; did you mean the command `{near[0]}`?" if near else ""
    fail(f"{text}: no such directory{hint}", USAGE_ERROR)


def _exec(arguments: list[str]) -> int:
    parser = _Parser(prog="dsh-tui exec", description="Run one task; the answer goes to stdout.")
    parser.add_argument("prompt", nargs="?", default="-", metavar="PROMPT", help="the task; - reads stdin")
    parser.add_argument("-C", dest="directory", metavar="DIR", help="where to work")
    parser.add_argument("--resume", metavar="ID", help="go on with a session")
    parser.add_argument("--output", choices=("text", "json", "stream-json"), default="text")
    _common(parser)
    options = parser.parse_args(arguments)
    prompt = options.prompt
    if prompt == "-":
        if sys.stdin.isatty():
            fail("no PROMPT; give one, or pipe it in", USAGE_ERROR)
        prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not prompt.strip():
        fail("the prompt is empty", USAGE_ERROR)
    start_lightly()
    from dsh_tui.engine.frontends.exec import run_exec

    return run_exec(
        ExecOptions(
            cwd=_directory(options.directory or "."),
            cwd_given=options.directory is not None,
            prompt=prompt,
            resume=options.resume,
            output=options.output,
            model=options.model,
            effort=options.effort,
            mode=options.mode,
            invariants=options.invariants,
        )
    )


def _sessions(arguments: list[str]) -> int:
    from dsh_tui.session_commands import run_sessions

    return run_sessions(_Parser(prog="dsh-tui sessions", description="Stored sessions."), arguments)


def _replay(arguments: list[str]) -> int:
    parser = _Parser(prog="dsh-tui replay", description="Play a session log on the real screen; read-only.")
    parser.add_argument("file", type=Path, metavar="FILE", help="a session.jsonl")
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        metavar="N",
        help="times faster than it was recorded (default: 1)",
    )
    options = parser.parse_args(arguments)
    from dsh_tui.bridge.recording import RecordingError, load_recording

    try:
        load_recording(options.file)
    except RecordingError as error:
        fail(error.message, 1)
    return _start(LaunchOptions(cwd=_here(), replay=options.file, speed=options.speed))


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.01 <= speed <= 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no speed; give a number such as 0.5 or 4")
    return speed


def _permissions(arguments: list[str]) -> int:
    from dsh_tui.permission_commands import run_permissions

    _here()
    return run_permissions(_Parser(prog="dsh-tui permissions", description="Permission rules."), arguments)


def _plugins(arguments: list[str]) -> int:
    parser = _Parser(prog="dsh-tui plugins", description="Look at the plugin folders; trust a project's.")
    parser.add_argument("verb", choices=("list", "check", "trust"))
    parser.add_argument("directory", nargs="?", metavar="DIR", help="trust: the project (default: here)")
    parser.add_argument("--yes", action="store_true", help="trust: without asking")
    parser.add_argument("--revoke", action="store_true", help="trust: nothing of it any more")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    if options.verb == "trust":
        from dsh_tui.engine.frontends.folder_trust import trust_folder

        if options.yes and options.revoke:
            parser.error("--yes trusts and --revoke ends trust; give one of them")
        project = _directory(options.directory or ".")
        return trust_folder(project, yes=options.yes, revoke=options.revoke, as_json=options.json)
    if options.directory or options.yes or options.revoke:
        parser.error(f"DIR, --yes and --revoke belong to `plugins trust`, not to `plugins {options.verb}`")
    from dsh_tui.engine.frontends.plugins import check_plugins

    _here()
    return check_plugins(as_json=options.json)


def _doctor(arguments: list[str]) -> int:
    parser = _Parser(prog="dsh-tui doctor", description="Check what dsh-tui needs.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    from dsh_tui.engine.frontends.doctor import run_doctor

    return run_doctor(as_json=options.json)


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "exec": _exec,
    "sessions": _sessions,
    "replay": _replay,
    "permissions": _permissions,
    "plugins": _plugins,
    "doctor": _doctor,
}
