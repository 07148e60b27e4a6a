"""The stored sessions as the browser gets them from a whole engine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from dsh_tui.bridge import Bridge
from dsh_tui.engine.agent.registry import AGENTS, ResumeAgent
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.persistence.jsonl.paths import find_log
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.projection.views import SessionRow, UserView
from dsh_tui.session_library import SessionLibrary
from dsh_tui.widgets.session_list import arranged
from tests.fakes.log_folder import LogFolder

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
