"""A session of 2,000 turns, written to a log by the product's own code, then opened and typed into."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.paths import log_path
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.session import Session
from tests.bench.echo import idle_echo
from tests.bench.figures import Sample, percentile
from tests.bench.scene import Take
from tests.bench.streaming import type_into_stream
from tests.fakes.model_script import markdown
from tests.fakes.session_logs import answer, close_turn, open_step, open_turn

TURNS = 2_000
DELTAS = 44
"""A turn of this many deltas is one of 50 events: 100,000 in all."""


def long_session(take: Take) -> Sample:
    """Opens by its end: the newest turn on the screen is what counts."""
    program = take.program
    session_id = f"long-{take.number}"
    write_log(program.home / "dsh-tui" / "sessions", session_id, program.folder)
    last = f"END-OF-REPLY-{TURNS}"
    with program.start("--resume", session_id) as terminal:
        opened = terminal.visible(lambda text: last in text, 60)
        if opened is None:
            raise RuntimeError(f"the long session does not open:\n{terminal.display.text()}")
        time.sleep(1.0)
        terminal.settle(0.5)
        waits = idle_echo(terminal, take.effort.keys, take.number)
        busy = type_into_stream(terminal, take.number)
        return {
            "long_open_ms": 1_000 * (opened - terminal.started),
            "long_key_p95_ms": percentile(waits, 0.95),
            "long_busy_p95_ms": busy["busy_p95_ms"],
        }


def write_log(sessions: Path, session_id: str, cwd: Path) -> None:
    """The log of a session of `TURNS` turns and 100,000 events."""
    header = new_header(session_id, time.time_ns() // 1_000_000, {"cwd": str(cwd)})
    session = Session(header)
    for turn in range(1, TURNS + 1):
        pieces = markdown(DELTAS, str(turn))
        number = open_turn(session, f"Question {turn} about part {turn % 17}")
        open_step(session)
        for chunk in _chunks(pieces):
            session.append_chunk(number, 1, chunk)
        answer(session, "".join(pieces))
        close_turn(session)
    path = log_path(sessions, str(cwd), session_id)
    path.parent.mkdir(parents=True, mode=0o700)
    path.write_bytes(encode_header(header) + encode_rows(session.events.rows(0, len(session.events))))
    path.chmod(0o600)


def _chunks(pieces: tuple[str, ...]) -> Iterator[Chunk]:
    for piece in pieces:
        yield freeze({"type": "text-delta", "index": 0, "text": piece})  # type: ignore[misc]  # valid by shape
