"""What a running program costs: CPU and memory of it and all its children. Linux only."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

MEGABYTE = 1 << 20


def cpu_seconds(pid: int) -> float:
    """CPU used so far by a program, its children, and those of them that have ended. In steps of 10 ms."""
    total = 0.0
    for process in _tree(pid):
        times = process.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
    return total


def fine_cpu_seconds(pid: int) -> float:
    """CPU used so far by the threads that live now, to the nanosecond."""
    total = 0
    for process in _tree(pid):
        for task in Path(f"/proc/{process.pid}/task").iterdir():
            with contextlib.suppress(OSError):  # the thread has ended
                total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def idle_percent(pid: int, seconds: float) -> float:
    """CPU of a program that is left alone."""
    before, start = fine_cpu_seconds(pid), time.perf_counter()
    time.sleep(seconds)
    return 100 * (fine_cpu_seconds(pid) - before) / (time.perf_counter() - start)


def pss(pid: int) -> float:
    """Memory in MB; what is shared with other programs counts by its share."""
    total = 0
    for process in _tree(pid):
        for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total / MEGABYTE


def _tree(pid: int) -> Iterator[psutil.Process]:
    root = psutil.Process(pid)
    yield root
    for child in root.children(recursive=True):
        if child.is_running():
            yield child
