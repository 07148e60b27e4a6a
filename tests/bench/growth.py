"""Many turns in one session: do they get slower, and what does each leave in memory?"""

from __future__ import annotations

import statistics
import time

from tests.bench.echo import idle_echo, write_prompt
from tests.bench.figures import Sample, percentile
from tests.bench.meter import pss
from tests.bench.scene import Take

TOKENS = 150


def growth(take: Take) -> Sample:
    """Turn time is from Enter to the last word on the screen; the very first turn is warm-up."""
    with take.program.start() as terminal:
        terminal.visible(lambda text: take.program.ready in text, 20)
        time.sleep(1.0)
        terminal.settle(0.5)
        memory, times = pss(terminal.pid), list[float]()
        for turn in range(1, take.effort.turns + 2):
            end = f"END-OF-REPLY-{7_000 + turn}"
            write_prompt(terminal, f"bench n={TOKENS} r=0 id={7_000 + turn}")
            pressed = time.perf_counter()
            terminal.write("\r")
            done = terminal.visible(lambda text, end=end: end in text, 20)  # type: ignore[misc]  # the default binds it
            if done is None:
                raise RuntimeError(f"{take.program.name}: turn {turn} hangs:\n{terminal.display.text()}")
            times.append(1_000 * (done - pressed))
            if turn == 1:
                memory = pss(terminal.pid)
            time.sleep(0.05)
        time.sleep(1.0)
        grown = pss(terminal.pid) - memory
        waits = idle_echo(terminal, 20, take.number)
        first, last = statistics.median(times[1:11]), statistics.median(times[-10:])
        return {
            "turn_first_ms": first,
            "turn_last_ms": last,
            "turn_ratio": last / first,
            "mb_per_100_turns": 100 * grown / take.effort.turns,
            "grown_key_p95_ms": percentile(waits, 0.95),
        }
