"""The session browser over ten thousand stored sessions: opened warm, filtered, searched."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path

from dsh_tui.engine.base.lossless import dump_bytes
from dsh_tui.engine.persistence.jsonl.format import encode_header
from dsh_tui.engine.persistence.jsonl.paths import log_path
from dsh_tui.engine.persistence.jsonl.sums import summed
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.session import Session
from tests.bench.echo import idle_echo
from tests.bench.figures import Sample, percentile
from tests.bench.one_shot import timed
from tests.bench.scene import Take
from tests.bench.terminal import Terminal
from tests.fakes.model_script import markdown
from tests.fakes.session_logs import answer, close_turn, open_step, open_turn

SESSIONS = 10_000
PROJECTS = 20
DAYS = 400
COMMON, RARE = "orchard-a", "xylophone-a"
"""Said in every second session and in one; their last letters tell, others end in b."""
KEYS = 25
"""As many as the filter shows at once."""
_PLACE_ID, _PLACE_CWD = "id-of-the-session", "/cwd/of/the/session"


def browser(take: Take) -> Sample:
    """Keys and paints as a person meets them; the index was made before."""
    program, count = replace(take.program, home=take.folder), SESSIONS  # a home of its own: it is a full one
    program.folder.mkdir()
    write_sessions(program.home / "dsh-tui" / "sessions", count)
    command = (*program.command, "sessions", "reindex")
    reindexed, _ = timed(command, program.folder, program.environment())
    with program.start() as terminal:
        if terminal.visible(lambda text: program.ready in text, 30) is None:
            raise RuntimeError(f"the app does not start:\n{terminal.display.text()}")
        terminal.settle(0.5)
        time.sleep(1.0)
        paint = opened(terminal, count)
        terminal.write("\x1b")
        time.sleep(1.0)
        terminal.settle(0.5)
        again = opened(terminal, count)
        time.sleep(1.0)
        terminal.write("/")
        time.sleep(0.3)
        terminal.settle(0.3)
        waits = idle_echo(terminal, KEYS, take.number)
        time.sleep(1.0)
        terminal.settle(0.5)
        return {
            "browser_reindex_s": reindexed,
            "browser_paint_ms": paint,
            "browser_paint_again_ms": again,
            "browser_key_p95_ms": percentile(waits, 0.95),
            "browser_search_ms": searched(terminal, RARE, "Said in 1 session"),
            "browser_search_common_ms": searched(terminal, COMMON, f"Said in {count // 2:,} sessions"),
        }


def opened(terminal: Terminal, count: int) -> float:
    """From the key that asks for it until all sessions are listed."""
    terminal.write("\x18")
    time.sleep(0.1)
    pressed = time.perf_counter()
    terminal.write("l")
    listed = f"of {count:,}"
    seen = terminal.visible(lambda text: listed in text, 20)
    if seen is None:
        raise RuntimeError(f"the browser does not open:\n{terminal.display.text()}")
    return 1_000 * (seen - pressed)


def searched(terminal: Terminal, word: str, found: str) -> float:
    """From the last key of a word until the places where it was said are listed."""
    for key in word[:-1]:
        terminal.write(key)
        time.sleep(0.1)
    time.sleep(0.5)
    terminal.settle(0.5)
    pressed = time.perf_counter()
    terminal.write(word[-1])
    seen = terminal.visible(lambda text: found in text, 10)
    if seen is None:
        raise RuntimeError(f"{word} is not found:\n{terminal.display.text()}")
    terminal.write("\x1b")
    time.sleep(0.5)  # a key right behind it would be taken for one with alt
    terminal.write("/")
    time.sleep(0.3)
    return 1_000 * (seen - pressed)


def write_sessions(sessions: Path, count: int) -> None:
    """Logs of one to six turns over `PROJECTS` directories and `DAYS` days, cut from a few templates."""
    chance, now = random.Random(1), time.time_ns() // 1_000_000
    models = [_model(turns, chance) for turns in range(1, 7)]
    for number in range(count):
        session_id, cwd = f"s{number:05}", f"/work/project-{number % PROJECTS}"
        created = now - chance.randrange(DAYS * 86_400_000)
        header = new_header(session_id, created, {"cwd": cwd})
        words = [COMMON if number % 2 else f"{COMMON[:-1]}b"]
        if number in (0, 1):
            words.append(RARE if number else f"{RARE[:-1]}b")
        rows = chance.choice(models).replace(b"NUMBER", str(number).encode())
        rows = rows.replace(b"REMARK", " ".join(words).encode())
        path = log_path(sessions, cwd, session_id)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(b"\n".join([encode_header(header)[:-1], *map(summed, rows.split(b"\n")), b""]))


def _model(turns: int, chance: random.Random) -> bytes:
    """The rows, without their sums."""
    session = Session(new_header(_PLACE_ID, 1_700_000_000_000, {"cwd": _PLACE_CWD}))
    for turn in range(turns):
        open_turn(session, f"Question NUMBER of {turn}: why is part {chance.randrange(99)} slow?")
        open_step(session)
        answer(session, "REMARK " + "".join(markdown(120, f"{turn}{chance.random()}")))
        close_turn(session)
    return b"\n".join(dump_bytes(row.to_json()) for row in session.events.rows())
