"""Start: from nothing to a typed key on the screen; then what it costs to sit there, and key echo."""

from __future__ import annotations

import time

from tests.bench.echo import erase, idle_echo
from tests.bench.figures import Sample, percentile
from tests.bench.meter import idle_percent, pss
from tests.bench.scene import Take

SETTLED_S = 2.0


def startup(take: Take) -> Sample:
    """A painted prompt may not listen yet: only a key that shows counts."""
    program, effort = take.program, take.effort
    with program.start() as terminal:
        painted = terminal.visible(lambda text: program.ready in text, 20)
        if painted is None:
            raise RuntimeError(f"{program.name} did not start:\n{terminal.display.text()}")
        terminal.write("§")
        heard = terminal.visible(lambda text: "§" in text, 20)
        assert heard is not None
        erase(terminal, "§")
        time.sleep(SETTLED_S)
        settled = pss(terminal.pid)
        idle = idle_percent(terminal.pid, effort.idle_s)
        waits = idle_echo(terminal, effort.keys, take.number)
        return {
            "paint_ms": 1_000 * (painted - terminal.started),
            "start_ms": 1_000 * (heard - terminal.started),
            "settled_mb": settled,
            "idle_percent": idle,
            "key_p50_ms": percentile(waits, 0.5),
            "key_p95_ms": percentile(waits, 0.95),
        }
