"""The app's sessions when a lease is lost: in the background, while empty, while idle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh_tui.bridge.bridge import Bridge
from dsh_tui.engine.agent.registry import AGENTS
from dsh_tui.engine.persistence.errors import NotStoredError
from dsh_tui.engine.persistence.lease.record import LOCK_NAME
from dsh_tui.engine.product import Product, StartOptions
from tests.fakes.model_server import ModelServer, stall
from tests.fakes.until import until


class Desk:
    """A bridge on a whole engine, and what it told the person."""

    def __init__(self, product: Product, server: ModelServer) -> None:
        self.told: list[str] = []
        self.server = server
        self.product = product
        self.bridge = Bridge(product, post=lambda _view: None, notify=self._tell)

    def _tell(self, text: str, _tone: str) -> None:
        self.told.append(text)

    def lock(self, session_id: str) -> Path:
        return next(self.product.home.sessions.glob(f"*/{session_id}/{LOCK_NAME}"))

    async def ask(self, prompt: str, answer: str) -> str:
        """One turn in the session that is shown; its id."""
        self.server.push(answer)
        turns = self.bridge.view.status.turns
        self.bridge.send(prompt)
        await until(lambda: self.bridge.view.status.turns > turns and self.idle)
        return self.bridge.view.session_id

    @property
    def idle(self) -> bool:
        return self.bridge.view.status.state == "idle"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (home / "settings.yaml").write_text("lease: {ttl_ms: 60000, renew_interval_ms: 50}\n")
    async with ModelServer() as server:
        made = await start(tmp_path, server)
        try:
            yield made
        finally:
            await made.bridge.close()


async def start(folder: Path, server: ModelServer, **options: str) -> Desk:
    """The app, as the command line says."""
    environ = {
        "DSH_TUI_HOME": str(folder / "home"),
        "DSH_HOME": str(folder / "none"),
        "DEEPSEEK_BASE_URL": server.url,
        "DEEPSEEK_API_KEY": "sk-test-0123456789abcdef",
    }
    wanted = StartOptions(cwd=folder / "project", environ=environ, invariants=True, **options)  # type: ignore[arg-type]  # names of its fields
    return Desk(await Product.start(wanted), server)


async def test_a_session_that_is_lost_in_the_background_ends_and_says_which(desk: Desk) -> None:
    await desk.bridge.new_session()
    await desk.ask("one", "Fine.")
    lost = desk.bridge.view.session_id
    desk.server.push(stall("Half"))
    desk.bridge.send("two")
    await until(lambda: not desk.idle)
    await desk.bridge.new_session()
    assert desk.product.engine.root[AGENTS].get(lost) is not None
    desk.lock(lost).unlink()
    await until(lambda: desk.product.engine.root[AGENTS].get(lost) is None)
    assert any(text.startswith(f"{lost}: this session can no longer be written") for text in desk.told)
    assert desk.bridge.view.read_only == ""
    await desk.ask("still there?", "Yes.")


async def test_an_empty_session_that_is_lost_is_replaced_without_ado(desk: Desk) -> None:
    await desk.bridge.new_session()
    lost = desk.bridge.view.session_id
    await until(lambda: list(desk.product.home.sessions.glob(f"*/*/{LOCK_NAME}")))
    desk.lock(lost).unlink()
    await until(lambda: desk.bridge.view.session_id != lost)
    await desk.ask("hello", "Hi.")


async def test_an_idle_session_that_is_lost_is_opened_again_with_a_new_lease(desk: Desk) -> None:
    await desk.bridge.new_session()
    session_id = await desk.ask("one", "Fine.")
    before = desk.lock(session_id).read_bytes()
    desk.lock(session_id).unlink()
    await until(lambda: "The session is free: you can go on here" in desk.told)
    assert desk.bridge.view.session_id == session_id
    assert desk.lock(session_id).read_bytes() != before
    await desk.ask("two", "Still fine.")


async def test_a_session_with_unsaved_events_stays_on_the_screen_and_is_forked_from_there(desk: Desk) -> None:
    await desk.bridge.new_session()
    lost = await desk.ask("one", "Fine.")
    desk.server.push(stall("Half of two"))
    desk.bridge.send("two")
    await until(lambda: not desk.idle)
    desk.bridge.send("typed meanwhile")
    desk.lock(lost).unlink()
    await until(lambda: desk.bridge.view.read_only)
    await until(lambda: desk.product.engine.root[AGENTS].get(lost) is None)
    assert desk.bridge.view.session_id == lost
    assert "typed meanwhile" in desk.bridge.view.queue
    desk.bridge.send("refused")
    assert "can no longer be written here" in desk.told[-1]
    shown = len(desk.bridge.view.blocks)
    await desk.bridge.fork_session(lost)
    assert desk.bridge.view.session_id != lost
    assert len(desk.bridge.view.blocks) >= shown
    await desk.ask("go on", "In a copy.")


async def test_a_session_that_can_not_be_opened_leaves_the_one_that_is(desk: Desk) -> None:
    await desk.bridge.new_session()
    session_id = await desk.ask("one", "Fine.")
    with pytest.raises(NotStoredError):
        await desk.bridge.open_session("session-nowhere")
    assert desk.bridge.view.session_id == session_id
    await desk.ask("two", "Still fine.")


async def test_what_the_command_line_says_outranks_the_log_of_the_session_that_it_names(
    desk: Desk, tmp_path: Path
) -> None:
    await desk.bridge.new_session()
    named = await desk.ask("one", "Fine.")
    await desk.bridge.new_session()
    other = await desk.ask("two", "Fine.")
    await desk.bridge.close()
    again = await start(tmp_path, desk.server, model="deepseek-v4-pro", effort="low")
    bridge = again.bridge
    try:
        await bridge.open_session(named, named=True)
        assert (bridge.view.status.model, bridge.view.status.effort) == ("deepseek-v4-pro", "low")
        await again.ask("three", "Fine.")
        sent = desk.server.requests[-1].body
        assert (sent["model"], sent["reasoning_effort"]) == ("deepseek-v4-pro", "low")
        bridge.select_model("deepseek", "deepseek-flash", "max")
        await bridge.open_session(other)
        assert bridge.view.status.model == "deepseek-flash"
        await bridge.open_session(named)
        assert (bridge.view.status.model, bridge.view.status.effort) == ("deepseek-flash", "max")
    finally:
        await bridge.close()


async def test_the_command_line_is_heeded_once_a_session_that_is_in_use_is_free(
    desk: Desk, tmp_path: Path
) -> None:
    await desk.bridge.new_session()
    named = await desk.ask("one", "Fine.")
    again = await start(tmp_path, desk.server, model="deepseek-v4-pro")
    try:
        await again.bridge.open_session(named, named=True)
        again.bridge.start_in_mode("plan")
        assert again.bridge.view.read_only
        await desk.bridge.close()
        await until(lambda: not again.bridge.view.read_only)
        assert (again.bridge.view.status.model, again.bridge.view.status.mode) == ("deepseek-v4-pro", "plan")
    finally:
        await again.bridge.close()


async def test_two_changes_of_session_at_once_leave_one_agent_and_it_is_the_one_shown(desk: Desk) -> None:
    await desk.bridge.new_session()
    kept = await desk.ask("one", "Fine.")
    await desk.bridge.new_session()
    await asyncio.gather(
        desk.bridge.open_session(kept), desk.bridge.new_session(), desk.bridge.open_session(kept)
    )
    agents = desk.product.engine.root[AGENTS].list()
    assert [agent.id for agent in agents] == [desk.bridge.view.session_id] == [kept]
