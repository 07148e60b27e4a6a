"""Writing processes that are killed at random, one after the other, and what they leave is checked.

Each is a whole engine (loop, tools, store, lease) in a forked process of its own, working on one of a
few sessions in turn, as fast as it can, with a model as strict as the real one. It says which length
of its log was acknowledged as durable. Run as a program, it prints one JSON object of counts::

    python -m tests.fakes.killed_writers FOLDER ROUNDS SEED
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final, NoReturn

from dsh_tui.engine.agent import plugin as agents_plugin
from dsh_tui.engine.agent.agent import Agent, AgentOptions
from dsh_tui.engine.agent.registry import AGENTS, CreateAgent, ResumeAgent
from dsh_tui.engine.kernel import Context, create_root
from dsh_tui.engine.llm import plugin as llm_plugin
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.llm.deepseek.wire import request_body
from dsh_tui.engine.llm.models import ModelInfo
from dsh_tui.engine.llm.request import AnyRequest
from dsh_tui.engine.llm.service import LLM
from dsh_tui.engine.loop import plugin as loop_plugin
from dsh_tui.engine.persistence import checkpoint
from dsh_tui.engine.persistence.errors import AlreadyOwnedError, SessionOwnershipLostError
from dsh_tui.engine.persistence.jsonl import plugin as jsonl
from dsh_tui.engine.persistence.jsonl.paths import log_path
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.lease import plugin as leases
from dsh_tui.engine.persistence.seam import PERSISTENCE
from dsh_tui.engine.session import plugin as sessions_plugin
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.repair import closers
from dsh_tui.engine.session.session import END_SEED
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.session.verify import verify_log
from dsh_tui.engine.system_prompt import plugin as system_prompt_plugin
from dsh_tui.engine.tools import plugin as tools_plugin
from dsh_tui.engine.tools.definition import ToolCall
from dsh_tui.engine.tools.registry import TOOLS
from tests.fakes.sample_tools import doing
from tests.fakes.scripted_provider import calls, text
from tests.fakes.strict_api import refusal

CWD: Final = "/work"
SESSIONS_AT_ONCE: Final = 12
"""So many that the lease of a killed writer has run out when its session's turn comes again."""
ROUNDS_A_SESSION: Final = 10
TTL_MS, RENEW_MS = 400, 100
LONGEST_LIFE: Final = 0.12
"""Seconds until the kill, at most; a kill may also come before the first byte."""


class StrictModel:
    """Answers in words and calls by turns, a chunk at a time. What the real API would refuse is told."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._answers = 0

    async def list_models(self, provider: str) -> tuple[ModelInfo, ...]:
        return (self.resolve_model(provider, "model-a"),)

    def resolve_model(self, provider: str, model: str) -> ModelInfo:
        return ModelInfo(id=model, provider=provider, context_window=1000)

    async def stream(self, request: AnyRequest) -> AsyncIterator[Chunk]:
        refused = refusal(json.loads(json.dumps(request_body(request))))
        tell(self._pipe, "accepted" if refused is None else f"refused {refused}")
        self._answers += 1
        name = f"c{os.getpid()}-{self._answers}"
        wanted = calls((f"{name}-a", "work"), (f"{name}-b", "work"), words="Let me see.")
        for chunk in wanted if self._answers % 2 else text("word " * 12):
            yield chunk
            await asyncio.sleep(0.0005)


def tell(pipe: int, line: str) -> None:
    os.write(pipe, f"{line}\n".encode())


async def engine(folder: Path, pipe: int) -> Context:
    root = create_root()
    plugins = (sessions_plugin, system_prompt_plugin, tools_plugin, llm_plugin, agents_plugin, loop_plugin)
    for plugin in plugins:
        await root.plugin(plugin)
    await root.plugin(leases, leases.LeaseConfig(ttl_ms=TTL_MS, renew_interval_ms=RENEW_MS))
    await root.plugin(jsonl, jsonl.JsonlConfig(root=folder, window_ms=2))
    await root.plugin(checkpoint)
    root[LLM].register_adapter(root, ("scripted",), StrictModel(pipe))

    async def work(_call: ToolCall) -> str:
        await asyncio.sleep(0.003)
        return "done"

    root[TOOLS].register(root, doing(work, "work"))
    return root


async def write_for_ever(folder: Path, session_id: str, pipe: int) -> None:
    """Talk in one session and tell what is durable, until the process is killed."""
    root = await engine(folder, pipe)
    options = AgentOptions(provider="scripted", model="model-a")
    if root[PERSISTENCE].locate(session_id) is None:
        made = CreateAgent(session_id=session_id, options=options, meta={"cwd": CWD})
        handle = root[AGENTS].create(made)
    else:
        handle = await root[AGENTS].resume(ResumeAgent(session_id=session_id, options=options))
    asking = asyncio.create_task(ask_for_ever(handle.agent))
    while not asking.done():
        events = handle.agent.session.events
        length = len(events)
        await root[SESSIONS].flush(handle.agent.session)
        if length and events[length - 1].type != END_SEED:  # a resume alone writes nothing
            tell(pipe, f"durable {length}")
        await asyncio.sleep(0.001)


async def ask_for_ever(agent: Agent) -> None:
    while True:
        agent.send("go on, please")
        await agent.when_idle()


def child(folder: Path, session_id: str, pipe: int) -> NoReturn:
    status = 0
    try:
        asyncio.run(write_for_ever(folder, session_id, pipe))
    except AlreadyOwnedError:
        tell(pipe, "busy")
    except SessionOwnershipLostError:
        tell(pipe, "lost")  # the machine was so busy that the lease was not renewed in time
    except BaseException:
        traceback.print_exc()
        status = 1
    finally:
        os._exit(status)


class Nursery:
    """Starts writers, kills them, and checks each log that they leave."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.counts: Counter[str] = Counter()
        self._chance = random.Random(seed)
        self._stored: dict[str, Sequence[Event]] = {}

    def round(self, number: int) -> None:
        generation = number // (SESSIONS_AT_ONCE * ROUNDS_A_SESSION)
        session_id = f"s{generation}-{number % SESSIONS_AT_ONCE}"
        said = self._let_live_and_kill(session_id, self._chance.uniform(0, LONGEST_LIFE))
        lengths = [int(line.split()[1]) for line in said if line.startswith("durable ")]
        for line in said:
            self.counts[line.split()[0]] += 1
            assert not line.startswith("refused"), line
        self._check(session_id, max(lengths, default=0))

    def _let_live_and_kill(self, session_id: str, life: float) -> list[str]:
        read, write = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(read)
            child(self.folder, session_id, write)
        os.close(write)
        time.sleep(life)
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        assert status in (signal.SIGKILL, 0), f"a writer failed by itself: {status}"
        self.counts["killed"] += status == signal.SIGKILL
        with os.fdopen(read) as pipe:
            return [line for line in pipe.read().split("\n") if line]

    def _check(self, session_id: str, acknowledged: int) -> None:
        path = log_path(self.folder, CWD, session_id)
        if not path.exists():
            assert not acknowledged
            self.counts["before the first byte"] += 1
            return
        loaded = read_log(path)
        assert loaded.status == "ok", loaded.notices
        known, before = loaded.events, self._stored.get(session_id, ())
        assert [event.seq for event in known] == list(range(len(known)))
        assert len(known) >= max(acknowledged, len(before)), (session_id, len(known), acknowledged)
        assert list(known[: len(before)]) == list(before), "what was stored has changed"
        self._stored[session_id] = known
        problem = verify_log([*known, *closers(known)])
        assert problem is None, problem
        self.counts["torn"] += path.stat().st_size != loaded.end
        self.counts["open"] += bool(closers(known))


def main(folder: Path, rounds: int, seed: int) -> None:
    logging.disable()  # a lost lease is counted; only what breaks may speak
    nursery = Nursery(folder, seed)
    for number in range(rounds):
        nursery.round(number)
    print(json.dumps(nursery.counts))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
