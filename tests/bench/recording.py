"""Freezing a request and logging its header: their share of a step against an instant model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from dsh_tui.engine.agent.registry import AGENTS, CreateAgent
from dsh_tui.engine.loop import step
from dsh_tui.engine.loop.request_log import RequestLog
from dsh_tui.engine.product import Product, StartOptions
from tests.bench.figures import Sample
from tests.bench.model import model_server
from tests.bench.scene import Take

P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class Stopwatch:
    """Seconds within the functions that it times."""

    seconds: float = 0.0

    def timed(self, function: Callable[P, R]) -> Callable[P, R]:
        def measured(*args: P.args, **kwargs: P.kwargs) -> R:
            start = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds += time.perf_counter() - start

        return measured


def recording(take: Take) -> Sample:
    """Timed from inside, where the loop calls it; the model is a process of its own."""
    steps = take.effort.tool_steps
    calls = [
        {"tool_calls": [["todo_write", {"todos": [{"content": f"Step {number}", "status": "pending"}]}]]}
        for number in range(steps)
    ]
    watch = Stopwatch()
    record, freeze = RequestLog.record, vars(step)["freeze"]
    with model_server([*calls, "Done."], take.folder) as port:
        environ = {**take.program.environment(), "DEEPSEEK_BASE_URL": f"http://127.0.0.1:{port}"}
        RequestLog.record = watch.timed(record)  # type: ignore[method-assign]  # taken back below
        vars(step)["freeze"] = watch.timed(freeze)
        try:
            whole = asyncio.run(_run(take, environ))
        finally:
            RequestLog.record = record  # type: ignore[method-assign]  # as above
            vars(step)["freeze"] = freeze
    return {
        "record_percent": 100 * watch.seconds / whole,
        "record_us": 1e6 * watch.seconds / (steps + 1),
        "step_ms": 1_000 * whole / (steps + 1),
    }


async def _run(take: Take, environ: dict[str, str]) -> float:
    """Seconds of one turn."""
    product = await Product.start(StartOptions(cwd=take.folder, environ=environ, mode="full"))
    try:
        create = CreateAgent(options=product.agent_options, meta={"cwd": str(take.folder)})
        agent = product.engine.root[AGENTS].create(create).agent
        start = time.perf_counter()
        agent.send("Go through all of them.")
        await agent.when_idle()
        return time.perf_counter() - start
    finally:
        await product.dispose()
