"""A session in which much happened to the model's requests, from its first prompt to a crash.

Turns: 1 works and asks, 2 in another effort, 3 with one more tool, 4 after a summary, 5 after the
provider forgot, 6 cut while a command ran.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.repair import closers
from dsh_tui.engine.session.session import Session
from tests.fakes.session_logs import MODEL, bare_session, close_turn, open_step, open_turn, stream, text

START = 1_763_042_520_000
SYSTEM = """You are a coding agent. You work in the person's terminal, on their files.

# Tools

Read before you edit. Run the tests after a change.

# Environment

Directory: /work/payments-api
Git branch: main"""
RETRY = ["     def wait(self, n):", "-    start = time.monotonic()", "+    start = self._clock()"]


class TickingClock:
    """Each look is 400 ms later; `pass_` lets more time go by."""

    def __init__(self) -> None:
        self.ms = START

    def now_ms(self) -> int:
        self.ms += 400
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nothing here waits")

    def pass_(self, seconds: float) -> None:
        self.ms += round(seconds * 1000)


def tool_schema(name: str, about: str) -> Mapping[str, Any]:
    path = {"type": "object", "properties": {"file_path": {"type": "string"}}, "required": ["file_path"]}
    return {"name": name, "description": about, "parameters": path}


TOOLS = [
    tool_schema("bash", "Run a command."),
    tool_schema("edit", "Change a file."),
    tool_schema("read", "Read a file."),
]
CONFIG = {"provider": "deepseek", "model": "deepseek-flash", "reasoningEffort": "high"}


class Teller:
    """Appends what a loop would."""

    def __init__(self) -> None:
        self.clock = TickingClock()
        self.session: Session = bare_session("s1", cwd="/work/payments-api", clock=self.clock)

    def say(self, prompt: str) -> None:
        open_turn(self.session, prompt)

    def step(self, number: int, **header: Any) -> None:
        open_step(self.session, number)
        if header:
            kind = "request/header" if "header" in header else "request/header-delta"
            self.session.append(kind, header)

    def answer(self, words: str, *calls: tuple[str, str, str], hit: int, miss: int, out: int = 120) -> None:
        if words:
            stream(self.session, *(f"{word} " for word in words.split()))
        else:
            stream(self.session, "Now the test.", kind="reasoning-delta")
        content = [
            *(text(words) if words else []),
            *({"type": "tool-call", "id": i, "name": name, "arguments": args} for i, name, args in calls),
        ]
        usage = {"inputTokens": miss, "outputTokens": out, "cacheReadTokens": hit}
        data = self._here(id=f"a{len(self.session.events)}", content=content, source=MODEL, usage=usage)
        self.session.append("assistant/message", data)

    def call(self, call_id: str, name: str, arguments: str, *, asked: str = "") -> None:
        self.session.append("tool/call", self._here(callId=call_id, name=name, arguments=arguments))
        if asked:
            told = {"id": f"ask-{call_id}", "callId": call_id}
            question = {"toolName": name, "arguments": arguments, "reason": "The mode asks."}
            self.session.append("approval/asked", {**told, **question})
            self.clock.pass_(3)
            self.session.append("approval/decided", {**told, "outcome": asked, "by": "user"})

    def result(self, call_id: str, words: str, **more: Any) -> None:
        data = {"id": f"r-{call_id}", "callId": call_id, "content": text(words), "isError": False, **more}
        self.session.append("tool/result", self._here(**data))

    def end_step(self) -> None:
        self.session.append("step/end", self._here())

    def end(self) -> None:
        close_turn(self.session)
        self.clock.pass_(30)

    def plan(self, *done: str) -> None:
        names = ("Find the cause", "Use the injected clock", "Run the test")
        todos = [{"content": name, "status": status} for name, status in zip(names, done, strict=False)]
        self.session.append("todo/write", {"todos": todos})

    def _here(self, **data: Any) -> dict[str, Any]:
        return {"turn": self.session.open_turn, "step": self.session.open_step, **data}


def _first_turn(log: Teller) -> None:
    log.say("Why does test_retry flake on CI? Find the cause and fix it.")
    log.step(1, header={"system": SYSTEM, "tools": TOOLS, "config": CONFIG}, reason="initial")
    log.session.append("request/context", {**MODEL_ROUTE, "contextWindow": 128_000})
    read = ("c1", "read", '{"file_path":"tests/test_retry.py"}')
    log.answer("I'll look at the test.", read, hit=0, miss=4_210)
    log.plan("in_progress", "pending", "pending")
    log.call(*read)
    log.result("c1", "def test_backoff():\n    assert waited >= 0.2", meta={"lines": 80, "durationMs": 12})
    log.end_step()
    log.step(2)
    edit = ("c2", "edit", '{"file_path":"src/retry.py"}')
    log.answer("The clock is read twice.", edit, hit=4_160, miss=420)
    log.call(*edit, asked="allowed-once")
    hunk = {"oldStart": 41, "newStart": 41, "lines": RETRY}
    log.result(
        "c2",
        "Edited src/retry.py",
        meta={"path": "src/retry.py", "added": 1, "removed": 1, "hunks": [hunk], "durationMs": 9},
    )
    log.plan("completed", "completed", "in_progress")
    log.end_step()
    log.step(3)
    run = ("c3", "bash", '{"command":"pytest tests/test_retry.py -q"}')
    log.answer("", run, hit=4_540, miss=310)
    log.call(*run, asked="allowed-once")
    log.clock.pass_(2)
    log.result("c3", "1 passed in 2.21s", meta={"exitCode": 0, "durationMs": 2_400})
    log.plan("completed", "completed", "completed")
    log.end_step()
    log.step(4)
    log.answer("It passes: the clock is injected in both places now.", hit=4_800, miss=160)
    log.end_step()
    log.end()


MODEL_ROUTE = {"provider": "deepseek", "model": "deepseek-flash"}


def _later_turns(log: Teller) -> None:
    log.say("Think harder about the jitter")
    log.step(1, config={**CONFIG, "reasoningEffort": "max"})
    log.answer("The jitter is drawn before the clock is read; that is safe.", hit=0, miss=5_060)
    log.end_step()
    log.end()

    log.say("Use the browser tool")
    log.session.append(
        "context/message",
        {
            "id": "ctx",
            "content": text("The plugin browser is ready."),
            "source": {"kind": "plugin", "plugin": "browser"},
        },
    )
    log.step(
        1,
        header={
            "system": SYSTEM,
            "tools": [tool_schema("browse", "Open a page."), *TOOLS],
            "config": {**CONFIG, "reasoningEffort": "max"},
        },
        reason="fallback",
    )
    log.answer("It is there.", hit=320, miss=5_400)
    log.end_step()
    log.end()

    log.say("Go on")
    session = log.session
    nodes = [event for event in session.events if event.surface_op is not None]
    log.session.append(
        "context/message",
        {
            "id": "sum",
            "content": text("Summary: the clock is injected now."),
            "source": {"kind": "compaction"},
        },
        surface={"op": "replace", "start": 0, "end": 5},
        sources=[event.seq for event in nodes[:6]],
    )
    log.step(1)
    log.answer("Going on from the summary.", hit=1_000, miss=900)
    log.end_step()
    log.end()

    log.clock.pass_(3 * 3600)
    log.say("Good morning")
    log.step(1)
    log.answer("Good morning.", hit=0, miss=2_050)
    log.end_step()
    log.end()


def _cut_turn(log: Teller) -> None:
    log.say("Deploy it")
    log.step(1)
    deploy, note = ("c8", "bash", '{"command":"make deploy"}'), ("c9", "edit", '{"file_path":"CHANGES.md"}')
    log.answer("Deploying.", deploy, note, hit=2_000, miss=130)
    log.call(*deploy, asked="allowed-once")


def history() -> EventLog:
    """All six turns, the last one closed as a repair closes it."""
    log = Teller()
    _first_turn(log)
    _later_turns(log)
    _cut_turn(log)
    events = log.session.events
    assert isinstance(events, EventLog)
    return EventLog([*events.slots(), *closers(events)])


def seqs(events: Sequence[Event], type_: str) -> list[int]:
    """Where events of a type stand."""
    return [event.seq for event in events if event.type == type_]


HEADER = freeze({"id": "s1", "cwd": "/work/payments-api"})
