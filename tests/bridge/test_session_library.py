"""The stored sessions as the browser gets them from a whole engine."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from dsh_tui.bridge.bridge import Bridge
from dsh_tui.bridge.session_library import SessionLibrary
from dsh_tui.engine.agent.registry import AGENTS, ResumeAgent
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.persistence.jsonl.logs import JsonlLogs
from dsh_tui.engine.persistence.jsonl.paths import find_log
from dsh_tui.engine.persistence.jsonl.summary import SMALL
from dsh_tui.engine.persistence.log_source import FoundLog
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.projection.views import SessionRow, UserView
from dsh_tui.engine.session.idle import append_idle
from dsh_tui.engine.session_index.index import SessionIndex
from dsh_tui.widgets.session_list import arranged
from tests.fakes.log_folder import LogFolder
from tests.fakes.session_logs import bare_session, whole_turn

Rows = Sequence[SessionRow]


class Shelf:
    """A library on a whole engine, and the folder of its logs."""

    def __init__(self, product: Product) -> None:
        self.product = product
        self.logs = LogFolder(product.home.sessions)
        self.waiting: set[str] = set()
        self.library = SessionLibrary(product, self._waiting)

    def _waiting(self) -> Collection[str]:
        return self.waiting

    async def until(self, happened: Callable[[Rows], object]) -> Rows:
        """The first rows of which that can be said."""
        async with asyncio.timeout(10), aclosing(self.library.watch()) as seen:  # type: ignore[type-var]  # a generator
            async for rows in seen:
                if happened(rows):
                    return rows
        raise AssertionError("nobody watches any more")


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    project = tmp_path / "project"
    project.mkdir()
    environ = {
        "DSH_TUI_HOME": str(tmp_path / "home"),
        "DSH_HOME": str(tmp_path / "none"),
        "DEEPSEEK_API_KEY": "sk-test-0123456789abcdef",
        "DEEPSEEK_BASE_URL": "http://127.0.0.1:9",
    }
    product = await Product.start(StartOptions(cwd=project, environ=environ))
    try:
        yield Shelf(product)
    finally:
        await product.dispose()


def ids(rows: Rows) -> set[str]:
    return {row.id for row in rows}


async def test_what_is_known_comes_at_once_and_what_changes_behind_it(shelf: Shelf) -> None:
    shelf.logs.add("a", ("hello", "hi"))
    await shelf.until(lambda rows: ids(rows) == {"a"})
    shelf.logs.add("b", ("hello", "hi"))
    seen: list[set[str]] = []

    def both(rows: Rows) -> bool:
        seen.append(ids(rows))
        return len(rows) == 2

    await shelf.until(both)
    assert seen[0] == {"a"}


async def test_an_index_that_is_of_no_use_meanwhile_is_one_line_and_the_logs_are_listed(
    shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    shelf.logs.add("a", ("hello", "hi"))

    def no_index_from_here_on(rows: Rows) -> bool:
        index = shelf.product.home.index
        if not index.is_dir():
            for path in index.parent.glob(f"{index.name}*"):
                path.unlink()
            index.mkdir()
        return ids(rows) == {"a"}

    await shelf.until(no_index_from_here_on)
    gc.collect()
    assert [record.getMessage() for record in caplog.records] == [
        f"the index {shelf.product.home.index} can't be used: Is a directory"
    ]


async def test_watching_goes_on_after_a_deletion_and_its_undoing(shelf: Shelf) -> None:
    before = shelf.logs.add("a", ("hello", "hi")).read_bytes()
    shelf.logs.add("b", ("hello", "hi"))
    await shelf.until(lambda rows: len(rows) == 2)
    await shelf.library.delete("a")
    await shelf.until(lambda rows: ids(rows) == {"b"})
    await shelf.library.restore("a")
    await shelf.until(lambda rows: ids(rows) == {"a", "b"})
    path = find_log(shelf.logs.root, "a")
    assert path is not None
    assert path.read_bytes() == before


async def test_a_session_that_is_open_here_is_not_deleted(shelf: Shelf) -> None:
    shelf.logs.add("a", ("hello", "hi"))
    handle = await shelf.product.engine.root[AGENTS].resume(ResumeAgent(session_id="a"))
    with pytest.raises(HarnessError, match="in this process"):
        await shelf.library.delete("a")
    await handle.dispose()
    await shelf.library.delete("a")
    assert find_log(shelf.logs.root, "a") is None


async def test_stored_and_open_sessions_are_renamed(shelf: Shelf) -> None:
    shelf.logs.add("a", ("hello", "hi"))
    await shelf.library.rename("a", "Mine")
    await shelf.until(lambda rows: [row.title for row in rows] == ["Mine"])
    handle = await shelf.product.engine.root[AGENTS].resume(ResumeAgent(session_id="a"))
    await shelf.library.rename("a", "Still mine")
    await shelf.until(lambda rows: [row.title for row in rows] == ["Still mine"])
    await handle.dispose()
    with pytest.raises(ValueError, match="printable"):
        await shelf.library.rename("a", "\x07")


async def test_what_was_said_is_found_in_one_directory_or_in_all(shelf: Shelf) -> None:
    shelf.logs.add("a", ("hello", "zebra"), cwd="/work/one")
    shelf.logs.add("b", ("hello", "a zebra"), cwd="/work/two")
    await shelf.until(lambda rows: len(rows) == 2)
    await shelf.until(lambda rows: True)
    assert (await shelf.library.search("zebra", None)).total == 2
    [hit] = (await shelf.library.search("zebra", "/work/two")).hits
    assert hit.session_id == "b"


async def test_a_preview_reads_without_opening(shelf: Shelf) -> None:
    path = shelf.logs.add("a", ("hello", "hi"))
    before = path.read_bytes()
    blocks = await shelf.library.preview("a")
    assert isinstance(blocks[0], UserView)
    assert path.read_bytes() == before


async def test_an_export_is_a_new_file_whose_name_says_what_it_is(shelf: Shelf) -> None:
    shelf.logs.add("a", ("hello", "hi"))
    for name in ("talk.md", "talk.jsonl", "talk.zip"):
        await shelf.library.export("a", name)
        assert (shelf.product.cwd / name).stat().st_size > 0
    with pytest.raises(HarnessError, match="exists"):
        await shelf.library.export("a", "talk.md")
    with pytest.raises(HarnessError, match=r"\.md, \.jsonl or \.zip"):
        await shelf.library.export("a", "talk.doc")
    with pytest.raises(HarnessError, match="cannot write"):
        await shelf.library.export("a", str(shelf.product.cwd / "talk.md" / "more.md"))


async def test_a_repaired_copy_is_a_session_of_its_own(shelf: Shelf) -> None:
    path = shelf.logs.add("bad", ("one", "first"), ("two", "second"))
    lines = path.read_bytes().split(b"\n")
    lines[3] = lines[3][:20]
    path.write_bytes(damaged := b"\n".join(lines))
    copy = await shelf.library.repair("bad")
    rows = {row.id: row for row in await shelf.until(lambda rows: len(rows) == 2)}
    assert (rows["bad"].status, rows[copy].status) == ("damaged", "ok")
    assert "line 4" in rows["bad"].note
    assert path.read_bytes() == damaged


async def test_sessions_whose_agents_work_or_wait_say_so(shelf: Shelf) -> None:
    shelf.logs.add("a", ("hello", "hi"))
    shelf.waiting.add("a")
    rows = await shelf.until(bool)
    assert rows[0].activity == "waiting"
    shelf.waiting.clear()
    assert (await shelf.until(bool))[0].activity == ""


async def test_without_an_index_sessions_are_listed_all_the_same(shelf: Shelf) -> None:
    shelf.logs.add("a", ("hello", "hi"))
    shelf.product.home.index.mkdir()
    assert ids(await shelf.until(bool)) == {"a"}
    with pytest.raises(HarnessError, match=r"index\.sqlite"):
        await shelf.library.search("hello", None)


async def test_the_last_session_of_a_directory_is_found_without_an_index(shelf: Shelf) -> None:
    shelf.logs.add("a", ("hello", "hi"), cwd="/work/one")
    shelf.logs.add("b", ("hello", "hi"), cwd="/work/two")
    assert await shelf.library.last_in(Path("/work/one")) == "a"
    assert await shelf.library.last_in(Path("/work/three")) is None


@pytest.mark.parametrize("indexed", ["before", "after", "never"])
async def test_a_session_that_moved_long_ago_is_the_last_one_of_where_it_is_now(
    shelf: Shelf, indexed: str
) -> None:
    shelf.logs.add("other", ("hello", "hi"), cwd="/work/new")
    session = bare_session("moved", cwd="/work/old")
    for number in range(600):
        whole_turn(session, f"prompt {number}", "a reply of some length " * 20)
        if number == 300:
            if indexed == "before":
                shelf.logs.store(session)
                await asyncio.to_thread(shelf.product.index.refresh)
            append_idle(session, "session-cwd", "session/cwd", {"cwd": "/work/new"})
    assert shelf.logs.store(session).stat().st_size > 2 * SMALL
    if indexed == "after":
        await asyncio.to_thread(shelf.product.index.refresh)
    assert await shelf.library.last_in(Path("/work/new")) == "moved"
    assert await shelf.library.last_in(Path("/work/old")) is None


async def test_what_is_known_is_not_read_again_to_find_the_last_session(shelf: Shelf) -> None:
    path = shelf.logs.add("a", ("hello", "hi"), cwd="/work/one")
    assert await shelf.library.last_in(Path("/work/one")) == "a"
    content, times = path.read_bytes(), path.stat()
    [log] = shelf.product.index.sources[0].scan()
    assert shelf.product.index.rows()[0].id == "a"
    with path.open("r+b") as file:  # the same token: nobody looks into it
        file.write(b"\0" * len(content))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    index = SessionIndex(shelf.product.home.index, [Frozen(shelf.logs.root, log)])
    assert index.last_in("/work/one", index.sources[0]) == str(path)


class Frozen(JsonlLogs):
    """A folder with one log, as it was found once."""

    def __init__(self, root: Path, log: FoundLog) -> None:
        super().__init__(root)
        self._log = log

    def scan(self) -> Iterator[FoundLog]:
        yield self._log


async def test_where_there_can_be_no_index_the_last_session_is_read_for(shelf: Shelf) -> None:
    shelf.logs.add("a", ("hello", "hi"), cwd="/work/one")
    shelf.product.home.index.mkdir()
    assert await shelf.library.last_in(Path("/work/one")) == "a"


async def test_copies_of_one_session_are_both_in_the_browser_and_each_is_meant_by_its_own_row(
    shelf: Shelf,
) -> None:
    original = shelf.logs.add("a", ("one", "a zebra"), cwd="/work/one")
    other = shelf.logs.add("a", ("two", "a zebra too"), cwd="/work/two")
    byhand = original.parent.with_name("by hand")
    shutil.copytree(original.parent, byhand)
    names = {"by hand", "dsh-tui:--work-one--/a", "dsh-tui:--work-two--/a"}
    rows = await shelf.until(lambda rows: len(rows) == 3)
    assert ids(rows) == names
    for scope in ("projects", "time"):
        lines = arranged(rows, scope, "/work/one")
        assert {line.id for line in lines if isinstance(line, SessionRow)} == names
    await asyncio.to_thread(shelf.product.index.refresh)
    assert {hit.session_id for hit in (await shelf.library.search("zebra", None)).hits} == names
    [said] = [
        block
        for block in await shelf.library.preview("dsh-tui:--work-two--/a")
        if isinstance(block, UserView)
    ]
    assert said.text == "two"
    handle = await shelf.product.engine.root[AGENTS].resume(ResumeAgent(session_id="dsh-tui:--work-two--/a"))
    assert handle.agent.session.events[1].data["content"][0]["text"] == "two"
    with pytest.raises(HarnessError, match="in this process"):
        await shelf.library.delete("dsh-tui:--work-two--/a")
    await handle.dispose()
    await shelf.library.rename("by hand", "Copy")
    await shelf.library.delete("dsh-tui:--work-two--/a")
    assert (other.exists(), original.exists(), (byhand / "session.jsonl").exists()) == (False, True, True)
    assert await shelf.until(lambda rows: ids(rows) == {"a", "by hand"})
    os.utime(original)
    assert await shelf.library.last_in(Path("/work/one")) == "a"
    await shelf.library.restore("dsh-tui:--work-two--/a")
    os.utime(other)
    assert await shelf.library.last_in(Path("/work/two")) == "dsh-tui:--work-two--/a"
    with pytest.raises(HarnessError, match="there are 2 sessions a; say which"):
        await shelf.library.delete("a")


async def test_a_link_to_a_directory_is_the_directory(shelf: Shelf, tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.mkdir()
    link.symlink_to(target)
    for session_id, cwd in (("direct", target), ("linked", link), ("other", tmp_path)):
        shelf.logs.add(session_id, ("hello", "a zebra"), cwd=str(cwd))
        os.utime(find_log_of(shelf, session_id), ns=(0, len(session_id) * 10**9))
    assert await shelf.library.last_in(link) == await shelf.library.last_in(target)
    os.utime(find_log_of(shelf, "linked"))
    assert await shelf.library.last_in(target) == await shelf.library.last_in(link) == "linked"
    await asyncio.to_thread(shelf.product.index.refresh)
    rows = await shelf.until(lambda rows: len(rows) == 3)
    for cwd in (target, link):
        listed = arranged(rows, "here", str(cwd))
        assert {row.id for row in listed if isinstance(row, SessionRow)} == {"direct", "linked"}
        assert await found(shelf, "zebra", cwd) == {"direct", "linked"}
    assert sum(isinstance(line, str) for line in arranged(rows, "projects", str(link))) == 2


def find_log_of(shelf: Shelf, session_id: str) -> Path:
    path = find_log(shelf.logs.root, session_id)
    assert path is not None
    return path


async def found(shelf: Shelf, words: str, cwd: Path) -> set[str]:
    return {hit.session_id for hit in (await shelf.library.search(words, str(cwd))).hits}


async def test_the_bridge_offers_the_library(shelf: Shelf) -> None:
    bridge = Bridge(shelf.product, post=lambda _view: None, notify=lambda _text, _tone: None)
    shelf.logs.add("a", ("hello", "hi"))
    assert len(await bridge.library.preview("a")) > 0
