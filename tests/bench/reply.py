"""One long reply as fast as it comes: how long, how much CPU, and how much memory stays."""

from __future__ import annotations

import time

from tests.bench.echo import idle_echo, submit
from tests.bench.figures import Sample, percentile
from tests.bench.meter import cpu_seconds, pss
from tests.bench.scene import Take

TOKENS = 20_000


def reply(take: Take) -> Sample:
    """CPU is counted until a second after the end, so that work put off counts too."""
    with take.program.start() as terminal:
        terminal.visible(lambda text: take.program.ready in text, 20)
        time.sleep(1.0)
        terminal.settle(0.5)
        before = cpu_seconds(terminal.pid)
        pressed = submit(terminal, f"bench n={TOKENS} r=0 id={take.number + 100}")
        typing = cpu_seconds(terminal.pid) - before
        done = terminal.written(f"END-OF-REPLY-{take.number + 100}".encode(), 120)
        if done is None:
            raise RuntimeError(f"{take.program.name}: no end in sight:\n{terminal.display.text()}")
        time.sleep(max(0.0, done + 1.0 - time.perf_counter()))
        spent = cpu_seconds(terminal.pid) - before - typing
        memory = pss(terminal.pid)
        terminal.settle(0.3)
        waits = idle_echo(terminal, 20, take.number)
        return {
            "reply_wall_s": done - pressed,
            "reply_cpu_s": spent,
            "after_mb": memory,
            "after_key_p95_ms": percentile(waits, 0.95),
        }
