"""Every request of a session of 500 steps, rebuilt and printed by a fresh process."""

from __future__ import annotations

from dataclasses import replace

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.paths import log_path
from dsh_tui.engine.session.session import Session
from tests.bench.figures import Sample
from tests.bench.one_shot import timed
from tests.bench.scene import Take
from tests.fakes.session_logs import answer, bare_session, call, close_turn, open_step, open_turn, result

STEPS = 500
CONFIG = {"provider": "deepseek", "model": "deepseek-flash"}
RESULT = "a line of what the tool said\n" * 15


def rebuilding(take: Take) -> Sample:
    """Wall time of ``sessions requests ID --raw``: some hundred megabytes, since each request repeats all."""
    program = replace(take.program, home=take.folder)
    program.folder.mkdir()
    session = many_steps(STEPS)
    path = log_path(program.home / "dsh-tui" / "sessions", session.header.get("cwd"), session.id)
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_header(session.header) + encode_rows(session.events.rows()))
    command = ("sh", "-c", '"$@" > requests', "sh", *program.command, "sessions", "requests", session.id)
    wall, _ = timed((*command, "--raw"), program.folder, program.environment())
    printed = (program.folder / "requests").read_bytes().count(b"\n")
    if printed != STEPS:
        raise RuntimeError(f"{printed} requests were rebuilt, not {STEPS}")
    return {"rebuild_s": wall}


def many_steps(steps: int) -> Session:
    """One turn with a call in every step."""
    session = bare_session("steps")
    turn = open_turn(session, "Go through all of them.")
    for step in range(1, steps + 1):
        open_step(session, step)
        if step == 1:
            header = {"system": "You are an agent. " * 400, "config": CONFIG}
            session.append("request/header", {"header": header, "reason": "initial"})
            session.append("request/context", CONFIG)
        finish = {"type": "finish", "reason": {"kind": "tool-calls"}}
        session.append_chunk(turn, step, freeze(finish))  # type: ignore[arg-type]  # valid by shape
        answer(session, "Now the next one. " * 8, f"c{step}")
        call(session, f"c{step}")
        result(session, f"c{step}", RESULT)
        session.append("step/end", {"turn": turn, "step": step})
    close_turn(session)
    return session
