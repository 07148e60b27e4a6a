"""The browser over a home in which some sessions are damaged, with the whole engine behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from dsh_tui.app import DshApp
from dsh_tui.bridge.bridge import Bridge
from dsh_tui.engine.persistence.jsonl.paths import find_log
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.projection.views import SessionRow
from dsh_tui.screens.ports import ChatPort
from dsh_tui.screens.sessions import SessionsScreen
from tests.fakes.closed_files import modes_obeyed
from tests.fakes.damaged_home import DAMAGES, damage
from tests.fakes.log_folder import LogFolder
from tests.fakes.until import until

SOUND = 60
ALL = SOUND + len(DAMAGES)
EXPECTED = {one.name: one.status for one in DAMAGES}.items()


class Browser:
    """The session browser in a running app."""

    def __init__(self, app: DshApp, pilot: Pilot[None], logs: LogFolder) -> None:
        self.pilot, self.logs = pilot, logs
        assert isinstance(app.screen, SessionsScreen)
        self.screen = app.screen

    def text(self, where: str) -> str:
        return str(self.screen.query_one(where, Static).content)

    @property
    def rows(self) -> list[SessionRow]:
        return [row for row in self.screen._list.rows if isinstance(row, SessionRow)]

    async def filter(self, words: str) -> None:
        self.screen._filter.value = words
        await until(lambda: self.rows and words in f"{self.rows[0].id} {self.rows[0].title}")


@asynccontextmanager
async def browser(tmp_path: Path, size: tuple[int, int]) -> AsyncIterator[Browser]:
    project, logs = tmp_path / "project", LogFolder(tmp_path / "home" / "sessions")
    project.mkdir()
    for number in range(SOUND):
        logs.add(f"s{number:02}", (f"question {number}", f"answer {number}"), cwd=str(project))
    damage(logs, cwd=str(project))
    environ = {
        "DSH_TUI_HOME": str(tmp_path / "home"),
        "DSH_HOME": str(tmp_path / "none"),
        "DEEPSEEK_API_KEY": "sk-test-0123456789abcdef",
        "DEEPSEEK_BASE_URL": "http://127.0.0.1:9",
    }
    with modes_obeyed():  # of threads that are begun now, too
        product = await Product.start(StartOptions(cwd=project, environ=environ))
        async with _opened(product, size) as (app, pilot):
            opened = Browser(app, pilot, logs)
            await until(lambda: f"of {ALL}" in opened.text("#counts"))
            await until(lambda: {row.id: row.status for row in opened.screen._all.rows}.items() >= EXPECTED)
            yield opened


@asynccontextmanager
async def _opened(product: Product, size: tuple[int, int]) -> AsyncIterator[tuple[DshApp, Pilot[None]]]:

    async def boot(app: DshApp) -> ChatPort:
        bridge = Bridge(product, post=app.post_view, notify=app.notice)
        await bridge.new_session()
        return bridge

    app = DshApp(boot, cwd=product.cwd)
    async with app.run_test(size=size) as pilot:
        while app.bridge is None:
            await pilot.pause()
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        yield app, pilot
        await app.bridge.close()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_each_damaged_session_is_marked_and_says_what_is_wrong_when_it_is_highlighted(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    where = "#preview-head" if size[0] >= 100 else "#place"
    async with browser(tmp_path, size) as opened:
        for one in DAMAGES:
            await opened.filter(one.name)
            assert [row.status for row in opened.rows] == [one.status], one.name
            await until(lambda note=one.note: note in opened.text(where))  # type: ignore[misc]  # the default binds it
            assert str(tmp_path) not in opened.text(where)
        await opened.filter("question 37")
        assert "s37" in [row.id for row in opened.rows]


async def test_the_sessions_beside_them_are_renamed_deleted_and_exported_as_ever(tmp_path: Path) -> None:
    async with browser(tmp_path, (80, 24)) as opened:
        await opened.filter("changed-byte")
        before = _log(opened, "changed-byte").read_bytes()
        await opened.pilot.press("ctrl+d")
        await until(lambda: "ctrl+z brings it back" in opened.text("#place"))
        await until(lambda: f"of {ALL - 1}" in opened.text("#counts"))
        await opened.pilot.press("ctrl+z")
        await until(lambda: "is back" in opened.text("#place"))
        await until(lambda: f"of {ALL}" in opened.text("#counts"))
        assert _log(opened, "changed-byte").read_bytes() == before
        await opened.filter("gap")
        await opened.screen._port.library.export("gap", str(tmp_path / "gap.md"))
        assert "second answer" in (tmp_path / "gap.md").read_text()
        await opened.filter("s12")
        await opened.screen._port.library.rename("s12", "Mine")
        await until(lambda: [row.title for row in opened.rows] == ["Mine"])


def _log(opened: Browser, session_id: str) -> Path:
    log = find_log(opened.logs.root, session_id)
    assert log is not None
    return log


async def test_one_that_can_not_be_opened_says_in_the_list_why(tmp_path: Path) -> None:
    async with browser(tmp_path, (120, 40)) as opened:
        for name, why in (("newer", "format version 7"), ("closed-file", "Permission denied")):
            await opened.filter(name)
            await opened.pilot.press("enter")
            await until(lambda why=why: why in opened.text("#place"))  # type: ignore[misc]  # as above
            assert opened.screen.is_active
