"""The timeline of a session of 100,000 events: a key, and that point of it is on the screen."""

from __future__ import annotations

import time

from tests.bench.figures import Sample, percentile
from tests.bench.long_session import TURNS, write_log
from tests.bench.scene import Take
from tests.bench.terminal import Terminal

LEFT, HOME, END = "\x1b[D", "\x1b[H", "\x1b[F"


def scrubbing(take: Take) -> Sample:
    """Turn by turn from the end, as a person presses; and the one long way, there and back."""
    program, session_id = take.program, f"scrubbed-{take.number}"
    write_log(program.home / "dsh-tui" / "sessions", session_id, program.folder)
    with program.start("--resume", session_id) as terminal:
        if terminal.visible(lambda text: f"END-OF-REPLY-{TURNS}" in text, 60) is None:
            raise RuntimeError(f"the long session does not open:\n{terminal.display.text()}")
        time.sleep(2.0)  # its newest turn is there before the engine is
        terminal.settle(0.5)
        pressed = time.perf_counter()
        terminal.write("\x18g")
        opened = _seen(terminal, TURNS, pressed, 20)
        waits = []
        for back in range(take.effort.keys):
            waits.append(_answer(terminal, LEFT, TURNS - back))
            time.sleep(0.15)
        ends = [_answer(terminal, HOME, 1), _answer(terminal, END, TURNS)]
        terminal.write("\x1b")
        terminal.settle(0.5)
    return {
        "timeline_open_ms": opened,
        "scrub_p50_ms": percentile(waits, 0.5),
        "scrub_p95_ms": percentile(waits, 0.95),
        "scrub_far_ms": max(ends),
    }


def _answer(terminal: Terminal, key: str, turn: int) -> float:
    terminal.settle(0.05)
    pressed = time.perf_counter()
    terminal.write(key)
    return _seen(terminal, turn, pressed, 5)


def _seen(terminal: Terminal, turn: int, since: float, seconds: float) -> float:
    words = f"turn {turn:,} of {TURNS:,}"
    seen = terminal.visible(lambda text: words in text, seconds)
    if seen is None:
        raise RuntimeError(f"{words} is not shown:\n{terminal.display.text()}")
    return 1_000 * (seen - since)
