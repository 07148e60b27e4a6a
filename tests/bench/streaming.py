"""Key echo while a reply streams at the pace of a model."""

from __future__ import annotations

import time

from tests.bench.echo import busy_echo, submit
from tests.bench.figures import Sample, percentile
from tests.bench.meter import cpu_seconds
from tests.bench.scene import Take
from tests.bench.terminal import Terminal

RATE = 200
"""Tokens a second."""
KEYS = 40


def streaming(take: Take) -> Sample:
    """In a fresh session."""
    with take.program.start() as terminal:
        terminal.visible(lambda text: take.program.ready in text, 20)
        time.sleep(1.0)
        terminal.settle(0.5)
        return type_into_stream(terminal, take.number)


def type_into_stream(terminal: Terminal, number: int) -> Sample:
    """Ask for a reply of some eight seconds and type meanwhile."""
    submit(terminal, f"bench n={8 * RATE} r={RATE} id={number + 200}")
    time.sleep(1.5)
    before, start = cpu_seconds(terminal.pid), time.perf_counter()
    waits = busy_echo(terminal, KEYS, number)
    share = (cpu_seconds(terminal.pid) - before) / (time.perf_counter() - start)
    terminal.written(f"END-OF-REPLY-{number + 200}".encode(), 20)
    return {
        "busy_p50_ms": percentile(waits, 0.5),
        "busy_p95_ms": percentile(waits, 0.95),
        "busy_cpu_percent": 100 * share,
    }
