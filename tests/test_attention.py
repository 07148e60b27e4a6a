"""Bell, title and desktop notification: told once, to a person who looks elsewhere, and to nobody else."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dsh_tui.attention import AWAY_S, Attention, AttentionSettings
from dsh_tui.engine.projection.views import ApprovalView, CardView, ChatView, StatusView
from dsh_tui.engine.session.store import SESSION_EVENT
from dsh_tui.terminal.signals import desktop, protocol_of, title
from tests.fakes.fake_clock import FakeClock
from tests.fakes.tool_bench import ToolBench, open_tool_bench

ESCAPES = Path(__file__).resolve().parents[1] / "../shared/cases/tui/s02-escape-payloads.json"
PLAIN = {"TERM": "xterm-256color"}
WAITS = "\a\x1b]9;dsh-tui · shop: approval waits: bash\a"
DONE = "\a\x1b]9;dsh-tui · shop: turn done\a"


@dataclass
class FakeTerminal:
    """What was written to it."""

    told: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)

    def tell(self, data: str) -> None:
        self.told.append(data)

    def show_title(self, text: str) -> None:
        self.titles.append(text)


@dataclass
class Delayed:
    """A timer on the fake clock."""

    task: asyncio.Task[None]

    def stop(self) -> None:
        self.task.cancel()


@dataclass
class Desk:
    """A session whose events an `Attention` follows, and the terminal it speaks to."""

    bench: ToolBench
    terminal: FakeTerminal
    attention: Attention

    @property
    def clock(self) -> FakeClock:
        return self.bench.clock

    def ask(self, call_id: str = "c1", tool: str = "bash") -> None:
        asked = {"toolName": tool, "arguments": '{"command": "curl -H sk-secret"}', "reason": "Why."}
        self.bench.session.append("approval/asked", {"id": f"a-{call_id}", "callId": call_id, **asked})

    def decide(self, call_id: str = "c1") -> None:
        decided = {"id": f"a-{call_id}", "callId": call_id, "outcome": "rejected", "by": "user"}
        self.bench.session.append("approval/decided", decided)

    async def turn(self, seconds: float, reason: str = "completed") -> None:
        """A whole turn that takes so long."""
        session = self.bench.session
        number = session.last_turn + 1
        trigger = {"kind": "message", "source": {"kind": "user"}}
        session.append("turn/start", {"turn": number, "trigger": trigger})
        await self.clock.advance(seconds)
        session.append("turn/end", {"turn": number, "reason": {"kind": reason}})


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with open_tool_bench(cwd="/work/shop") as bench:
        terminal = FakeTerminal()

        def later(seconds: float, call: Callable[[], None]) -> Delayed:
            async def wait() -> None:
                await bench.clock.sleep(seconds)
                call()

            return Delayed(asyncio.get_running_loop().create_task(wait()))

        attention = Attention(
            lambda: terminal, monotonic=bench.clock.monotonic, later=later, environ=dict(PLAIN)
        )
        bench.root.on(SESSION_EVENT, attention.follow, everywhere=True)
        yield Desk(bench, terminal, attention)


def view(state: Any = "idle", *, session: str = "s", name: str = "", waiting: bool = False) -> ChatView:
    approval = ApprovalView(
        id="a", call_id="c", tool="bash", verb="Run", subject="", reason="", card=CardView(kind="generic"),
        cwd="",
    )  # fmt: skip
    return ChatView(
        session_id=session,
        title=name,
        cwd="/work/shop",
        blocks=(),
        changed_from=0,
        generation=1,
        status=StatusView(state=state),
        approvals=(approval,) if waiting else (),
    )


async def test_who_looks_elsewhere_is_told_of_an_approval_at_once_and_only_once(desk: Desk) -> None:
    desk.bench.open_step()
    desk.attention.focus(has=False)
    desk.ask()
    assert desk.terminal.told == [WAITS]
    await desk.clock.advance(10 * AWAY_S)
    assert desk.terminal.told == [WAITS]


async def test_who_looks_is_told_nothing_even_when_they_leave_later(desk: Desk) -> None:
    desk.bench.open_step()
    desk.attention.focus(has=True)
    desk.ask()
    desk.attention.focus(has=False)
    await desk.clock.advance(10 * AWAY_S)
    assert desk.terminal.told == []


async def test_a_key_says_that_the_terminal_has_the_focus(desk: Desk) -> None:
    desk.bench.open_step()
    desk.attention.focus(has=False)
    desk.attention.used()
    desk.ask()
    assert desk.terminal.told == []


async def test_a_plan_is_called_a_plan(desk: Desk) -> None:
    desk.bench.open_step()
    desk.attention.focus(has=False)
    desk.ask(tool="exit_plan_mode")
    assert desk.terminal.told == ["\a\x1b]9;dsh-tui · shop: a plan waits for review\a"]


async def test_without_reports_of_focus_it_is_told_once_nothing_was_typed_for_a_while(desk: Desk) -> None:
    desk.bench.open_step()
    await desk.clock.advance(AWAY_S / 2)
    desk.ask()
    await desk.clock.advance(AWAY_S / 2 - 1)
    assert desk.terminal.told == []
    await desk.clock.advance(1)
    assert desk.terminal.told == [WAITS]


@pytest.mark.parametrize("seen_by", ["a key", "the answer"])
async def test_what_was_seen_meanwhile_is_not_told(seen_by: str, desk: Desk) -> None:
    desk.bench.open_step()
    desk.ask()
    await desk.clock.advance(AWAY_S / 2)
    if seen_by == "a key":
        desk.attention.used()
    else:
        desk.decide()
    await desk.clock.advance(10 * AWAY_S)
    assert desk.terminal.told == []


async def test_the_wait_begins_again_with_each_key(desk: Desk) -> None:
    desk.bench.open_step()
    desk.ask("c1")
    await desk.clock.advance(AWAY_S / 2)
    desk.attention.used()
    desk.ask("c2")
    await desk.clock.advance(AWAY_S * 0.75)
    assert desk.terminal.told == []
    await desk.clock.advance(AWAY_S * 0.25)
    assert desk.terminal.told == [WAITS]


@pytest.mark.parametrize(
    ("seconds", "reason", "told"),
    [
        (15, "completed", [DONE]),
        (14, "completed", []),
        (90, "error", ["\a\x1b]9;dsh-tui · shop: turn failed\a"]),
        (90, "aborted", []),
        (90, "disposed", []),
    ],
)
async def test_a_long_turn_that_ends_by_itself_is_told(
    seconds: float, reason: str, told: list[str], desk: Desk
) -> None:
    desk.attention.focus(has=False)
    await desk.turn(seconds, reason)
    assert desk.terminal.told == told


async def test_how_long_is_long_can_be_set(desk: Desk) -> None:
    desk.attention.focus(has=False)
    desk.attention.settings = AttentionSettings(after_seconds=120)
    await desk.turn(119)
    desk.attention.settings = AttentionSettings(after_seconds=0)
    await desk.turn(0)
    assert desk.terminal.told == [DONE]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (AttentionSettings(desktop=False), ["\a"]),
        (AttentionSettings(bell=False), [WAITS[1:]]),
        (AttentionSettings(bell=False, desktop=False), []),
        (
            AttentionSettings(bell=False, desktop="osc777"),
            ["\x1b]777;notify;dsh-tui · shop;approval waits: bash\a"],
        ),
    ],
)
async def test_each_way_can_be_turned_off(settings: AttentionSettings, told: list[str], desk: Desk) -> None:
    desk.bench.open_step()
    desk.attention.settings = settings
    desk.attention.focus(has=False)
    desk.ask()
    assert desk.terminal.told == told


async def test_the_title_says_what_the_session_does_and_what_it_is_about(desk: Desk) -> None:
    for one in (
        view(),
        view("running", name="Fix it"),
        view("running", name="Fix it"),
        view("waiting", name="Fix it", waiting=True),
        view(name="Fix it", waiting=True),  # another session in the background waits
        view(name="Fix it"),
    ):
        desk.attention.show(one)
    assert desk.terminal.titles == [
        "shop",
        "● running · Fix it · shop",
        "◆ waiting · Fix it · shop",
        "Fix it · shop",
    ]


async def test_a_title_stays_done_until_somebody_comes(desk: Desk) -> None:
    desk.attention.show(view("running", session=desk.bench.session.id))
    desk.attention.focus(has=False)
    await desk.turn(60)
    desk.attention.show(view(session=desk.bench.session.id))
    assert desk.terminal.titles[-1] == "✓ done · shop"
    desk.attention.focus(has=True)
    assert desk.terminal.titles[-1] == "shop"


async def test_the_title_is_given_back_when_it_is_turned_off(desk: Desk) -> None:
    desk.attention.show(view())
    desk.attention.settings = AttentionSettings(title=False)
    desk.attention.show(view("running"))
    assert desk.terminal.titles == ["shop", ""]


@pytest.mark.parametrize(
    ("environ", "protocol"),
    [
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "osc9"),
        ({"TERM": "xterm-kitty"}, "osc99"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "osc777"),
        ({"TERM": "foot"}, "osc777"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7200"}, "osc777"),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/t,1,0"}, "osc9"),
        ({"TERM": "linux"}, None),
        ({}, "osc9"),
    ],
)
def test_a_terminal_gets_the_one_way_that_it_knows(environ: dict[str, str], protocol: str | None) -> None:
    assert protocol_of(environ) == protocol


@pytest.mark.parametrize(
    ("protocol", "in_tmux", "sequence"),
    [
        ("osc9", False, "\x1b]9;shop; x: it waits\a"),
        ("osc777", False, "\x1b]777;notify;shop, x;it waits\a"),
        ("osc99", False, "\x1b]99;i=dsh-tui:d=0;shop; x\a\x1b]99;i=dsh-tui:p=body;it waits\a"),
        ("osc9", True, "\x1bPtmux;\x1b\x1b]9;shop; x: it waits\a\x1b\\"),
    ],
)
def test_a_notification_is_exactly_these_bytes(protocol: Any, in_tmux: bool, sequence: str) -> None:
    assert desktop("shop; x", "it waits", protocol, in_tmux=in_tmux) == sequence


OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]")
HOSTILE = {
    "a title": "\x1b]0;x\a",
    "a string end of 8 bits": "a\x9cb",
    "a string end": "a\x1b\\b",
    "two lines": "a\nb",
    "erasing": "\x1b[2J",
    "turned around": "\u202eabc",
    "half a character": "\ud800",
    "length": "x" * 5_000,
    "bells": "\a\a",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_ends_its_sequence_or_begins_another(text: str) -> None:
    for made in (title(text), desktop(text, text, "osc777", in_tmux=False)):
        inside = made[2:-1]
        assert made.startswith("\x1b]")
        assert made.endswith("\a")
        assert OBEYED.search(inside) is None
        assert len(inside) < 300
        made.encode()


@pytest.mark.skipif(not ESCAPES.exists(), reason="the given cases are not here")
def test_no_given_payload_gets_out_of_a_title() -> None:
    for payload in _texts(json.loads(ESCAPES.read_text())):
        assert OBEYED.search(title(payload)[2:-1]) is None, payload


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in values for text in _texts(one)]
