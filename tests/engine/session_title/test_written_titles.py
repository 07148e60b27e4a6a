"""Titles by the model: asked for once, beside the conversation, and dropped wherever they come too late."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.agent.agent import AgentHandle
from dsh_tui.engine.kernel import Context, Fiber
from dsh_tui.engine.llm.deepseek.wire import request_body
from dsh_tui.engine.llm.request import OneShotRequest
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.session.fork import fork_meta, fork_seed
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session_title import clean_title, plugin, rename, written_titles
from dsh_tui.engine.session_title.title import MOST_BYTES_WRITTEN, written_title
from tests.fakes.fake_clock import FakeClock
from tests.fakes.loop_app import LoopApp, ask, settle
from tests.fakes.scripted_provider import Gate, broken, delta, finish, text
from tests.fakes.strict_api import refusal


class TitledApp(LoopApp):
    """The loop with both plugins of titles."""

    titles: Fiber

    async def start(self) -> None:
        await super().start()
        await self.root.plugin(plugin)
        self.titles = self.root.plugin(written_titles)
        await self.titles

    @property
    def one_shots(self) -> list[OneShotRequest]:
        return [request for request in self.provider.requests if isinstance(request, OneShotRequest)]


@pytest.fixture
async def app(root: Context, clock: FakeClock) -> TitledApp:
    made = TitledApp(root, clock)
    await made.start()
    return made


def titles(session: Session) -> list[tuple[str, str]]:
    return [(e.data["title"], e.data["source"]) for e in session.events if e.type == "session/title"]


async def held(app: TitledApp) -> tuple[AgentHandle, Gate]:
    """A session whose title is being written."""
    gate = Gate()
    app.provider.will_say(text("Done."), [gate, *text("A title")])
    handle = app.create("s1")
    await ask(handle.agent, "Fix the flaky test in the lease code")
    await gate.reached()
    return handle, gate


async def test_the_first_turn_becomes_a_title_in_a_turn_of_its_own(app: TitledApp) -> None:
    app.provider.will_say(text("The clock was real."), text('"Flaky lease test."\n'), text("More."))
    session = (handle := app.create("s1")).agent.session
    await ask(handle.agent, "Fix the flaky test in the lease code")
    await settle()
    assert titles(session) == [("Fix the flaky test in", "fallback"), ("Flaky lease test", "model")]
    triggers = [e.data["trigger"]["kind"] for e in session.events if e.type == "turn/start"]
    assert triggers == ["message", "session-title"]
    assert session.open_turn is None
    await ask(handle.agent, "And now?")
    await settle()
    assert len(app.one_shots) == 1


async def test_the_call_is_cheap_and_goes_where_the_session_goes(app: TitledApp) -> None:
    handle = app.create("s1")
    app.provider.will_say(text("The clock was real."))
    await ask(handle.agent, "Fix the flaky test" + " again" * 2_000)
    await settle()
    [request] = app.one_shots
    assert (request.purpose, request.session_id, request.tools) == ("session-title", "s1", ())
    assert (request.config["provider"], request.config["model"]) == ("scripted", "model-a")
    body = request_body(request)
    assert (body["thinking"], body["max_tokens"]) == ({"type": "disabled"}, 64)
    assert "reasoning_effort" not in body
    assert refusal(body) is None
    assert "Fix the flaky test" in str(body)
    assert "The clock was real." in str(body)
    assert len(str(body)) < 6_000


async def test_what_is_rebuilt_of_the_conversation_holds_no_title_request(app: TitledApp) -> None:
    handle = app.create("s1")
    await ask(handle.agent, "One")
    await settle()
    await ask(handle.agent, "Two")
    assert len(app.one_shots) == 1
    assert len(rebuild_requests(handle.agent.session.events)) == 2


async def test_a_turn_that_fails_or_is_stopped_leaves_it_to_the_next(app: TitledApp) -> None:
    app.provider.will_say([broken()], text("Fine."), text("Second attempt"))
    handle = app.create("s1")
    await ask(handle.agent, "One")
    await settle()
    assert app.one_shots == []
    await ask(handle.agent, "Two")
    await settle()
    assert titles(handle.agent.session)[-1] == ("Second attempt", "model")


async def test_a_rename_meanwhile_ends_the_call_and_stands(app: TitledApp) -> None:
    handle, _ = await held(app)
    rename(handle.agent.session, "Mine")
    await settle()
    assert app.provider.left_early == 1
    assert titles(handle.agent.session)[-1] == ("Mine", "user")


async def test_a_session_renamed_before_is_never_asked_about(app: TitledApp) -> None:
    handle = app.create("s1")
    rename(handle.agent.session, "Mine")
    await ask(handle.agent, "One")
    await settle()
    assert app.one_shots == []


async def test_the_end_of_the_session_ends_the_call(app: TitledApp) -> None:
    handle, _ = await held(app)
    await handle.dispose()
    await settle()
    assert app.provider.left_early == 1
    assert [source for _, source in titles(handle.agent.session)] == ["fallback"]


async def test_unloading_ends_the_call_before_it_returns(app: TitledApp) -> None:
    handle, _ = await held(app)
    await app.titles.dispose()
    assert app.provider.left_early == 1
    assert [source for _, source in titles(handle.agent.session)] == ["fallback"]


async def test_a_title_that_comes_within_the_next_turn_is_logged_there(app: TitledApp) -> None:
    handle, gate = await held(app)
    other = Gate()
    app.provider.will_say([delta("so"), other, *text("Two.")])
    handle.agent.send("More")
    await other.reached()
    gate.open()
    await settle()
    assert titles(handle.agent.session)[-1] == ("A title", "model")
    assert handle.agent.session.open_turn is not None
    other.open()
    await handle.agent.when_idle()
    starts = [e for e in handle.agent.session.events if e.type == "turn/start"]
    assert len(starts) == 2


@pytest.mark.parametrize(
    "reply",
    [
        [broken()],
        [RuntimeError("no adapter")],
        [delta("A title that never e"), finish("max-tokens")],
        text("  \n\x00 \n"),
        text(""),
    ],
)
async def test_what_goes_wrong_with_it_is_silent_and_never_tried_again(
    app: TitledApp, reply: list[object], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, logger="dsh_tui.engine.session_title")
    app.provider.will_say(text("Fine."), reply)  # type: ignore[arg-type]  # a list of various steps
    handle = app.create("s1")
    await ask(handle.agent, "One")
    await settle()
    await ask(handle.agent, "Two")
    await settle()
    assert len(app.one_shots) == 1
    assert [source for _, source in titles(handle.agent.session)] == ["fallback"]
    assert [r for r in caplog.records if r.name.startswith("dsh_tui.engine.session_title")] == []


async def test_forks_and_resumed_sessions_keep_the_title_they_have(app: TitledApp) -> None:
    app.provider.will_say(text("Fine."), text("Made once"))
    first = app.create("s1")
    await ask(first.agent, "One")
    await settle()
    seed = fork_seed(first.agent.session.events, None)
    fork = app.create("s2", meta=fork_meta(first.agent.session.header, len(seed)), seed=seed)
    await ask(fork.agent, "Two")
    await settle()
    assert len(app.one_shots) == 1
    assert titles(fork.agent.session)[-1] == ("Made once", "model")


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("Flaky lease test", "Flaky lease test"),
        ('\n\n"Flaky lease test."', "Flaky lease test"),
        ("**Flaky** lease\nBecause of the clock", "Flaky** lease"),
        ("\x1b[2JFlaky\u202e test", "[2JFlaky test"),
        ("「修复租约测试」", "修复租约测试"),
        ("", ""),
    ],
)
def test_a_written_title_is_the_first_line_bare(answer: str, title: str) -> None:
    assert written_title(answer) == title


@given(st.text())
def test_a_written_title_always_is_one_short_printable_line(answer: str) -> None:
    title = written_title(answer)
    assert len(title.encode()) <= MOST_BYTES_WRITTEN
    assert clean_title(title) == title
