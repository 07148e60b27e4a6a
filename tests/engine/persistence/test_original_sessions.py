"""The original's home beside ours: listed, found by id, read, and never changed by a byte."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.dialects.logs import OriginalLogs
from dsh_tui.engine.persistence.dialects.originals import OriginalSessions
from dsh_tui.engine.persistence.dialects.paths import escape_id, original_sessions, unescape_id
from dsh_tui.engine.persistence.errors import AmbiguousIdError, FormatUnsupportedError, ReadOnlyLogError
from tests.fakes.fake_clock import FakeClock
from tests.fakes.original_logs import NOON, OriginalLog, conversation
from tests.fakes.session_home import SessionHome
from tests.fakes.session_logs import whole_turn


class TwoHomes(SessionHome):
    """A home of ours that knows one of the original's."""

    def config(self) -> dict[str, object]:
        return {**super().config(), "originals": self.dsh / "sessions"}

    @property
    def dsh(self) -> Path:
        return self.root.parent / "dsh"


@pytest.fixture
async def homes(tmp_path: Path, clock: FakeClock) -> AsyncIterator[TwoHomes]:
    made = TwoHomes(tmp_path / "sessions", clock)
    await made.boot()
    yield made
    await made.tree.fiber.dispose()


def prints(root: Path) -> dict[str, str]:
    """Every file below a folder and what is in it."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in root.rglob("*") if path.is_file()
    }


def test_the_home_is_the_named_one_or_the_usual_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert original_sessions({}) == tmp_path / ".dsh/sessions"
    assert original_sessions({"DSH_HOME": " "}) == tmp_path / ".dsh/sessions"
    assert original_sessions({"DSH_HOME": "~/x"}) == tmp_path / "x/sessions"


@pytest.mark.parametrize("session_id", ["session-1", "a/b", "..", ".", "ünï 😀", "tilde~"])
def test_an_id_names_a_directory_and_back(session_id: str) -> None:
    name = escape_id(session_id)
    assert "/" not in name
    assert name not in ("", ".", "..")
    assert unescape_id(name) == session_id


async def test_both_homes_are_in_one_list(homes: TwoHomes) -> None:
    conversation(0, "session-a").store(homes.dsh)
    conversation(4, "child", parentSession="session-a", origin="subagent").store(homes.dsh, raw=True)
    session = homes.sessions.create(id="ours", meta={"cwd": "/work/app"})
    whole_turn(session, "hello", "hi")
    await homes.sessions.flush(session)
    rows = {row.id: row for row in homes.persistence.list()}
    assert {row_id: row.source for row_id, row in rows.items()} == {
        "ours": "dsh-tui",
        "session-a": "dsh",
        "child": "dsh",
    }
    row = rows["session-a"]
    assert (row.title, row.turns, row.cwd, row.status) == ("Say hi in the greeting", 2, "/work/app", "ok")
    assert row.created_at == NOON
    assert row.updated_at == NOON + conversation(0).seq - 1
    assert (rows["child"].parent_session, rows["child"].origin) == ("session-a", "subagent")


async def test_an_id_that_is_taken_here_gets_a_name_that_opens(homes: TwoHomes) -> None:
    conversation(4, "same").store(homes.dsh)
    session = homes.sessions.create(id="same", meta={"cwd": "/work/app"})
    whole_turn(session, "ours", "hi")
    await homes.sessions.flush(session)
    assert {row.id for row in homes.persistence.list()} == {"same", "dsh:same"}
    loaded = homes.persistence.inspect("dsh:same")
    assert (loaded.header["id"], loaded.dialect) == ("dsh:same", "dsh v4")
    assert homes.persistence.inspect("same").dialect == ""


def test_an_id_that_is_there_twice_names_its_project(tmp_path: Path) -> None:
    conversation(4, "twin", cwd="/one").store(tmp_path)
    conversation(4, "twin", cwd="/two").store(tmp_path)
    found = OriginalSessions(tmp_path / "sessions")
    rows = {row.id: row.cwd for row in found.list()}
    assert rows == {"dsh:--one--/twin": "/one", "dsh:--two--/twin": "/two"}
    loaded = found.read("dsh:--two--/twin")
    assert loaded is not None
    assert loaded.header.get("cwd") == "/two"
    assert found.read("dsh:../twin") is None


def test_of_several_versions_of_a_session_the_highest_counts(tmp_path: Path) -> None:
    conversation(0).store(tmp_path)
    conversation(4).store(tmp_path)
    found = OriginalSessions(tmp_path / "sessions")
    [row] = found.list()
    assert row.path.name == "session.v4.jsonl.zstd"
    conversation(10).store(tmp_path)
    [row] = found.list()
    assert row.status == "foreign-version"


async def test_one_that_cannot_be_read_is_a_row_and_an_error_in_one_line(homes: TwoHomes) -> None:
    path = conversation(9, "new").store(homes.dsh)
    [row] = homes.persistence.list()
    assert (row.id, row.status, row.source) == ("new", "foreign-version", "dsh")
    with pytest.raises(FormatUnsupportedError) as raised:
        homes.persistence.inspect("new")
    assert str(path) in raised.value.message
    assert "\n" not in raised.value.message


async def test_it_is_read_but_never_prepared_for_writing(homes: TwoHomes) -> None:
    conversation(3, "session-a").store(homes.dsh)
    assert homes.persistence.inspect("session-a").dialect == "dsh v3"
    with pytest.raises(ReadOnlyLogError, match="in a copy"):
        await homes.persistence.prepare("session-a")
    with pytest.raises(ReadOnlyLogError):
        await homes.persistence.load("session-a")


async def test_nothing_changes_a_byte_or_adds_a_file(homes: TwoHomes) -> None:
    for version in range(5):
        conversation(version, f"s{version}").store(homes.dsh, raw=version % 2 == 0)
    torn = OriginalLog(4, "torn")
    torn.ask("hello")
    torn.store(homes.dsh, content=b"".join(torn.frames())[:-5])
    before = prints(homes.dsh)
    for row in homes.persistence.list():
        homes.persistence.inspect(row.id)
        homes.persistence.read_from(row.id, 3)
        with pytest.raises(ReadOnlyLogError):
            await homes.persistence.prepare(row.id)
    assert prints(homes.dsh) == before


def test_the_index_gets_rows_and_logs(tmp_path: Path) -> None:
    conversation(4).store(tmp_path)
    conversation(9, "new").store(tmp_path)
    logs = OriginalLogs(tmp_path / "sessions")
    found = {Path(log.path).parent.name: logs.whole(log.path) for log in logs.scan()}
    assert found["session-old"].loaded is not None
    assert (found["new"].summary.status, found["new"].loaded) == ("foreign-version", None)
    gone = logs.unreadable(str(tmp_path / "sessions/--p--/lost/session.jsonl"), "gone")
    assert (gone.id, gone.status, gone.source) == ("lost", "damaged", "dsh")


def test_a_home_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    found = OriginalSessions(tmp_path / "none")
    assert found.list() == []
    assert found.read("any") is None
    assert found.locate("") is None


async def test_an_original_that_was_copied_by_hand_goes_by_the_name_of_its_folder(homes: TwoHomes) -> None:
    path = conversation(4).store(homes.dsh)
    for name in ("copy", "session (copy)"):
        shutil.copytree(path.parent, path.parent.with_name(name))
    assert {row.id for row in homes.persistence.list()} == {path.parent.name, "copy", "session (copy)"}
    for name in ("copy", "session (copy)"):
        assert homes.persistence.inspect(name).header["id"] == name
        assert homes.persistence.locate(name) == path.parent.with_name(name) / path.name


async def test_an_id_that_two_originals_have_means_neither(homes: TwoHomes) -> None:
    path = conversation(4).store(homes.dsh)
    other = homes.dsh / "sessions" / "--z--" / path.parent.name
    shutil.copytree(path.parent, other)
    names = {row.id for row in homes.persistence.list()}
    with pytest.raises(AmbiguousIdError, match="there are 2 sessions") as caught:
        homes.persistence.inspect(path.parent.name)
    assert all(name in caught.value.message for name in names)
    assert {homes.persistence.locate(name) for name in names} == {path, other / path.name}
