"""Sessions whose directory is gone, is a file by now, or is closed: nothing runs before another is chosen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dsh_tui.bridge.bridge import Bridge
from dsh_tui.engine.agent.registry import AGENTS
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.persistence.jsonl.paths import find_log
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.lease.record import LOCK_NAME
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.projection.views import AnswerIntent, UserView
from tests.fakes.closed_files import modes_obeyed
from tests.fakes.log_folder import LogFolder
from tests.fakes.model_server import ModelServer, reply
from tests.fakes.original_logs import OriginalLog
from tests.fakes.until import until


class Room:
    """A bridge started in one directory, and a stored session of another."""

    def __init__(self, product: Product, server: ModelServer, place: Path) -> None:
        self.product, self.server, self.place = product, server, place
        self.told: list[str] = []
        self.bridge = Bridge(
            product, post=lambda _view: None, notify=lambda text, _tone: self.told.append(text)
        )

    def log(self, session_id: str) -> Path:
        path = find_log(self.product.home.sessions, session_id)
        assert path is not None
        return path

    @property
    def live(self) -> list[str]:
        return [agent.id for agent in self.product.engine.root[AGENTS].list()]


@asynccontextmanager
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    home, here = tmp_path / "home", tmp_path / "B"
    here.mkdir(exist_ok=True)
    async with ModelServer() as server:
        environ = {
            "DSH_TUI_HOME": str(home),
            "DSH_HOME": str(tmp_path / "dsh"),
            "DEEPSEEK_BASE_URL": server.url,
            "DEEPSEEK_API_KEY": "sk-test-0123456789abcdef",
        }
        made = Room(
            await Product.start(StartOptions(cwd=here, environ=environ, invariants=True)),
            server,
            tmp_path / "A",
        )
        try:
            yield made
        finally:
            await made.bridge.close()


def stored(tmp_path: Path) -> Path:
    """A session that worked in A; its log."""
    return LogFolder(tmp_path / "home" / "sessions").add("s1", ("hello", "hi"), cwd=str(tmp_path / "A"))


def gone(_place: Path) -> None:
    pass


def a_file(place: Path) -> None:
    place.write_text("no directory")


def closed(place: Path) -> None:
    place.mkdir(mode=0o000)


@pytest.mark.parametrize(
    ("lose", "said"),
    [(gone, "is gone"), (a_file, "is no directory any more"), (closed, "can't be read: permission denied")],
)
async def test_it_is_shown_to_be_read_and_says_why_and_nobody_holds_it(
    tmp_path: Path, lose: Callable[[Path], None], said: str
) -> None:
    before = stored(tmp_path).read_bytes()
    lose(tmp_path / "A")
    with modes_obeyed():
        async with room(tmp_path) as there:
            await there.bridge.open_session("s1")
            view = there.bridge.view
            assert view.lost_directory == f"{tmp_path / 'A'} {said}"
            assert view.read_only.startswith(view.lost_directory)
            assert [block.text for block in view.blocks if isinstance(block, UserView)] == ["hello"]
            assert (view.cwd, there.live) == (str(tmp_path / "A"), [])
            log = there.log("s1")
            await until(lambda: not log.with_name(LOCK_NAME).exists())
            assert log.read_bytes() == before


async def test_it_goes_on_where_a_person_says_and_its_log_knows(tmp_path: Path) -> None:
    stored(tmp_path)
    async with room(tmp_path) as there:
        await there.bridge.open_session("s1")
        with pytest.raises(HarnessError, match="there is no directory"):
            await there.bridge.move_session("../A2")
        (tmp_path / "A2").write_text("")
        with pytest.raises(HarnessError, match="is no directory"):
            await there.bridge.move_session("../A2")
        assert there.live == []
        (tmp_path / "A2").unlink()
        (tmp_path / "A2").mkdir()
        await there.bridge.move_session("../A2")
        moved = str(tmp_path / "A2")
        view = there.bridge.view
        assert (view.cwd, view.read_only, view.lost_directory, there.live) == (moved, "", "", ["s1"])
        there.server.push(
            reply("Let me see.", tool_calls=[("bash", {"command": "pwd > out", "description": "Say where"})])
        )
        there.bridge.send("where are you?")
        await until(lambda: there.bridge.view.approvals)
        assert there.bridge.view.approvals[0].cwd == moved
        there.server.push("There.")
        there.bridge.answer(there.bridge.view.approvals[0].id, AnswerIntent(True))
        await until(lambda: there.bridge.view.status.state == "idle")
        assert (tmp_path / "A2" / "out").read_text() == f"{moved}\n"
        assert list((tmp_path / "B").iterdir()) == []
        assert [one.refused for one in there.server.requests if one.refused] == []
    events = read_log(there.log("s1")).events
    assert [event.data["cwd"] for event in events if event.type == "session/cwd"] == [moved]
    async with room(tmp_path) as there:
        await there.bridge.open_session("s1")
        assert (there.bridge.view.lost_directory, there.bridge.view.cwd) == ("", moved)
        assert await there.bridge.library.last_in(tmp_path / "A2") == "s1"


async def test_what_is_sent_to_another_programs_session_waits_for_the_directory_of_its_copy(
    tmp_path: Path,
) -> None:
    log = OriginalLog(4, "session-old", cwd=str(tmp_path / "A"))
    log.ask("hello")
    log.answer("hi")
    log.end()
    log.store(tmp_path / "dsh")
    async with room(tmp_path) as there:
        await there.bridge.open_session("session-old")
        assert there.bridge.view.copies
        there.server.push("On we go.")
        there.bridge.send("go on")
        await until(lambda: there.bridge.view.lost_directory)
        await until(lambda: there.bridge.view.queue == ("go on",))
        assert there.server.requests == []
        await there.bridge.move_session(str(tmp_path / "B"))
        await until(lambda: there.server.requests and there.bridge.view.status.state == "idle")
        assert [one.refused for one in there.server.requests if one.refused] == []
        assert there.bridge.view.cwd == str(tmp_path / "B")


async def test_a_session_with_a_directory_is_not_moved(tmp_path: Path) -> None:
    stored(tmp_path)
    (tmp_path / "A").mkdir()
    async with room(tmp_path) as there:
        await there.bridge.open_session("s1")
        assert (there.bridge.view.lost_directory, there.bridge.view.cwd) == ("", str(tmp_path / "A"))
        with pytest.raises(HarnessError, match="has a directory"):
            await there.bridge.move_session(str(tmp_path))
