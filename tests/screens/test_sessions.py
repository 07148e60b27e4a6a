from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from dsh_tui.actions import ACTIONS, keys_of
from dsh_tui.app import DshApp
from dsh_tui.engine.projection.views import SessionHit, SessionRow
from dsh_tui.screens.sessions import SessionsScreen
from dsh_tui.widgets.session_list import age, arranged, depths
from dsh_tui.widgets.session_shelf import SessionShelf
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import CWD, NOON, app_over, chat, running, sample_blocks, sample_sessions, started

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


def bridge() -> FakeBridge:
    made = FakeBridge(chat(status=running(state="idle")))
    made.library.rows = sample_sessions()
    made.library.previews = {"s1": sample_blocks()}
    return made


def browser(app: DshApp) -> SessionsScreen:
    assert isinstance(app.screen, SessionsScreen)
    return app.screen


async def test_enter_opens_the_highlighted_session() -> None:
    port = bridge()
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        await pilot.press("down", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert port.asked == [("open_session", "s2")]
        assert app.screen is app.chat


async def test_typing_filters_and_esc_clears_before_it_leaves() -> None:
    app = app_over(bridge())
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        await pilot.press(*"idem")
        assert [row.id for row in browser(app)._list.rows if isinstance(row, SessionRow)] == ["s3"]
        await pilot.press("escape")
        assert len(browser(app)._list.rows) == 5
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is app.chat


@pytest.mark.parametrize("words", ["flaky", "new", "export", "xyz", "jkgG", "N/A", "?1", "中文", "/no"])
async def test_whatever_is_typed_is_the_filter_from_its_first_letter_on(words: str) -> None:
    port = bridge()
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        await pilot.press(*words)
        await pilot.pause(0.1)
        assert browser(app)._filter.value == words.removeprefix("/")
        assert [asked for asked in port.asked if asked[0] != "search"] == []


@pytest.mark.parametrize("typed", ["", "a"])
async def test_a_new_session_begins_from_the_list_and_from_the_filter(typed: str) -> None:
    port = bridge()
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        await pilot.press(*typed, "ctrl+n")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert port.asked[-1] == ("new_session",)


@pytest.mark.parametrize("key", ["ctrl+f", "f4"])
async def test_the_highlighted_session_is_forked(key: str) -> None:
    port = bridge()
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        await pilot.press("down", key)
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert port.asked == [("fork_session", "s2", None)]
        assert app.screen is app.chat


async def test_tab_goes_from_this_project_to_all_projects_to_all_by_time() -> None:
    app = app_over(bridge())
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        await pilot.press("tab")
        assert [row for row in browser(app)._list.rows if isinstance(row, str)] == ["payments-api", "infra"]
        await pilot.press("tab")
        assert all(isinstance(row, SessionRow) for row in browser(app)._list.rows)
        assert len(browser(app)._list.rows) == 7


async def test_a_session_that_cannot_be_opened_says_why_and_the_browser_stays() -> None:
    port = bridge()
    port.fails["open_session"] = RuntimeError("s1: held by process 77 until 14:20 [/x]")
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "process 77 until 14:20 [/x]" in str(app.screen.query_one("#place", Static).content)


async def test_the_preview_shows_what_was_said() -> None:
    app = app_over(bridge())
    async with started(app, (120, 40)) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause(0.3)
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "42 turns · 4 tool calls" in str(app.screen.query_one("#preview-head", Static).content)
        assert len(browser(app)._preview_text._blocks) == len(sample_blocks())


async def test_ten_thousand_sessions_are_listed_at_once() -> None:
    port = bridge()
    port.library.rows = [
        sample_sessions()[0]._replace(id=f"s{n}", title=f"session {n}", updated_at=n) for n in range(10_000)
    ]
    app = app_over(port)
    async with started(app) as pilot:
        began = time.perf_counter()
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        assert len(browser(app)._list.rows) == 10_000
        assert time.perf_counter() - began < 2
        await pilot.press("end", *["up"] * 3)
        assert browser(app)._list.highlighted == 9_996


def titles(app: DshApp) -> list[str]:
    return [row.title for row in browser(app)._list.rows if isinstance(row, SessionRow)]


def place(app: DshApp) -> str:
    return str(app.screen.query_one("#place", Static).content)


@asynccontextmanager
async def browsing(
    port: FakeBridge, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[DshApp, Pilot[None]]]:
    app = app_over(port)
    async with started(app, size) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        yield app, pilot


async def settled(app: DshApp, pilot: Pilot[None]) -> None:
    await app.workers.wait_for_complete()
    await pilot.pause()


async def test_what_was_said_is_found_below_what_titles_say() -> None:
    port = bridge()
    port.library.said = {"s4": "the flaky rates", "s5": "a flaky key"}
    async with browsing(port) as (app, pilot):
        await pilot.press("/", *"flaky")
        await pilot.pause(0.2)
        await settled(app, pilot)
        lines = browser(app)._list.rows
        assert [line for line in lines if isinstance(line, str)] == ["Said in 1 session"]
        assert titles(app) == ["Fix the flaky retry test", "Import rates"]
        assert isinstance(lines[-1], SessionHit)
        await pilot.press("down")
        assert browser(app).row == lines[-2]
        await pilot.press("tab")
        await pilot.pause(0.2)
        await settled(app, pilot)
        assert titles(app)[1:] == ["Import rates", "Rotate the signing key"]


async def test_where_no_title_matches_the_list_begins_with_how_often_it_was_said() -> None:
    port = bridge()
    port.library.said = {row.id: "nowhere but here" for row in port.library.rows}
    async with browsing(port, (80, 12)) as (app, pilot):
        await pilot.press("/", *"nowhere")
        await pilot.pause(0.2)
        await settled(app, pilot)
        assert browser(app)._list.rows[0] == "Said in 5 sessions"
        assert browser(app)._list.scroll_offset.y == 0
        assert browser(app).row is not None


async def test_a_search_that_cannot_be_made_leaves_the_filter() -> None:
    port = bridge()
    port.fails["search"] = RuntimeError("the index is locked [/x]")
    async with browsing(port) as (app, pilot):
        await pilot.press("/", *"flaky")
        await pilot.pause(0.2)
        await settled(app, pilot)
        assert titles(app) == ["Fix the flaky retry test"]
        assert "the index is locked [/x]" in place(app)


async def test_sessions_that_appear_leave_the_highlight_on_its_session() -> None:
    port = bridge()
    async with browsing(port) as (app, pilot):
        await pilot.press("down", "down")
        row = browser(app).row
        assert row is not None
        new = [port.library.rows[0]._replace(id=f"new{n}", updated_at=NOON + n) for n in range(3)]
        port.library.change([*new, *port.library.rows])
        await pilot.pause()
        assert browser(app).row == row
        assert len(titles(app)) == 8


async def test_deleting_can_be_undone() -> None:
    port = bridge()
    async with browsing(port) as (app, pilot):
        before = titles(app)
        await pilot.press("down", "down", "delete")
        await settled(app, pilot)
        assert "Add idempotency keys" not in titles(app)
        assert "ctrl+z brings it back" in place(app)
        await pilot.press("ctrl+z")
        await settled(app, pilot)
        assert titles(app) == before
        await pilot.press("ctrl+z")
        await settled(app, pilot)
        assert "Nothing was deleted here" in place(app)


async def test_a_session_that_cannot_be_deleted_says_why_and_stays() -> None:
    port = bridge()
    port.fails["delete"] = RuntimeError("session s1 is in use by process 77")
    async with browsing(port) as (app, pilot):
        await pilot.press("ctrl+d")
        await settled(app, pilot)
        assert "in use by process 77" in place(app)
        assert titles(app)[0] == "Fix the flaky retry test"


async def test_del_edits_a_filter_that_is_typed_and_deletes_nothing() -> None:
    port = bridge()
    async with browsing(port) as (app, pilot):
        await pilot.press(*"ab", "left", "delete")
        await settled(app, pilot)
        assert browser(app)._filter.value == "a"
        assert len(port.library.rows) == len(sample_sessions())


@pytest.mark.parametrize("width", [30, 60, 80, 120, 200])
async def test_the_keys_in_the_last_line_are_whole_and_come_from_the_table(width: int) -> None:
    async with browsing(bridge(), (width, 24)) as (app, pilot):
        await pilot.pause()
        shown = place(app).strip()
        assert len(shown) <= width - 4
        known = {key for action in ACTIONS if action.place == "browser" for key in keys_of(action)}
        assert {hint.split()[0] for hint in shown.split(" · ")} <= known
    if width >= 80:
        assert "ctrl+n new · ctrl+d delete" in shown


async def test_f2_renames_and_ctrl_s_exports_the_highlighted_session() -> None:
    port = bridge()
    async with browsing(port) as (app, pilot):
        await pilot.press("f2")
        await pilot.pause()
        await pilot.press("ctrl+u", *"Mine", "enter")
        await settled(app, pilot)
        assert ("rename_session", "s1", "Mine") in port.asked
        assert titles(app)[0] == "Mine"
        await pilot.press("ctrl+s")
        await pilot.pause()
        await pilot.press("enter")
        await settled(app, pilot)
        assert ("export", "s1", f"{CWD}/s1.md") in port.asked
        assert f"Exported to {CWD}/s1.md" in place(app)


async def test_a_damaged_session_offers_a_repaired_copy_and_opens_it() -> None:
    port = bridge()
    async with browsing(port, (120, 40)) as (app, pilot):
        await pilot.press("ctrl+r")
        assert "not damaged" in place(app)
        await pilot.press("down", "down", "down")
        assert "ctrl+r repaired copy" in place(app)
        await pilot.press("ctrl+r")
        await settled(app, pilot)
        assert port.asked == [("repair", "s4"), ("open_session", "s4-repaired")]
        assert app.screen is app.chat


async def test_number_249_of_250_is_found_by_its_first_words_and_the_count_is_true() -> None:
    port = bridge()
    base = sample_sessions()[0]
    port.library.rows = [
        base._replace(id=f"s{n}", title=f"Question {n} about zebra{n}", updated_at=NOON - n * DAY)
        for n in range(250)
    ]
    async with browsing(port) as (app, pilot):
        assert "250 of 250" in str(app.screen.query_one("#counts", Static).content)
        await pilot.press("/", *"zebra249")
        assert [row.id for row in browser(app)._list.rows if isinstance(row, SessionRow)] == ["s249"]


TITLES = (
    "", "   ", "line one\nline two", "x" * 500, "[bold]t[/", "\x1b[31mred", "שלום", "中文" * 100, "👩‍👩‍👧",
    "<no user message>", "a\0b", "/slash",
)  # fmt: skip
TIMES = (NOON - NOON % DAY - 1, NOON + 1_000, NOON + 3650 * DAY, 0, -1, 10**18, 1 << 62)


async def test_odd_titles_times_and_directories_are_one_row_each() -> None:
    port = bridge()
    base = sample_sessions()[0]
    port.library.rows = [
        base._replace(
            id=f"t{n}", title=title, parent=f"t{n}", cwd=f"/a\n[b]{'c' * 300}", project=f"\n[b]{title}"
        )
        for n, title in enumerate(TITLES)
    ] + [base._replace(id=f"d{n}", updated_at=at) for n, at in enumerate(TIMES)]
    async with browsing(port) as (app, pilot):
        for scope in ("projects", "time", "here"):
            await pilot.press("tab")
            lines = browser(app)._list.rows
            expected = len(TIMES) if scope == "here" else len(TITLES) + len(TIMES)
            assert sum(isinstance(line, SessionRow) for line in lines) == expected
            for line in lines:
                drawn = browser(app)._list.draw(line, 78).plain
                assert "\n" not in drawn
                assert "\x1b" not in drawn
                assert drawn.strip()


def test_forks_stand_below_what_they_were_forked_from() -> None:
    base = sample_sessions()[0]
    tree = [("a", None, 1), ("b", "a", 9), ("c", "b", 2), ("d", None, 5), ("e", "gone", 4), ("f", "a", 3)]
    rows = [base._replace(id=one, parent=parent, updated_at=at) for one, parent, at in tree]
    lines = arranged(rows, "here", CWD)
    assert [row.id for row in lines if isinstance(row, SessionRow)] == ["a", "b", "c", "f", "d", "e"]
    assert depths(lines) == {"a": 0, "b": 1, "c": 2, "f": 1, "d": 0, "e": 0}


def test_forks_that_go_in_circles_are_all_listed() -> None:
    base = sample_sessions()[0]
    rows = [base._replace(id=one, parent=parent) for one, parent in (("a", "b"), ("b", "a"), ("c", "c"))]
    assert {row.id for row in arranged(rows, "here", CWD) if isinstance(row, SessionRow)} == {"a", "b", "c"}


def test_every_state_is_a_glyph_and_a_word() -> None:
    rows = {row.status: row for row in sample_sessions()}
    assert set(rows) == {"ok", "damaged", "busy", "foreign-version"}


def test_all_words_must_be_there() -> None:
    assert [row.id for row in SessionShelf(sample_sessions(), "/").filtered("RETRY fix")] == ["s1"]
    assert len(SessionShelf(sample_sessions(), "/").filtered("")) == 7


def test_the_same_question_is_listed_once() -> None:
    shelf = SessionShelf(sample_sessions(), CWD)
    found = shelf.lines("retry", "here")
    assert shelf.lines("retry", "here") is found
    assert list(shelf.lines("retry fix", "here")) == arranged(shelf.filtered("retry fix"), "here", CWD)
    assert len(shelf.lines("", "time")) == len(sample_sessions())


def test_projects_come_in_the_order_of_their_newest_session() -> None:
    rows = arranged(sample_sessions(), "projects", CWD)
    assert [row for row in rows if isinstance(row, str)] == ["payments-api", "infra"]
    assert [row.id for row in arranged(sample_sessions(), "here", CWD) if isinstance(row, SessionRow)][
        :2
    ] == ["s1", "s2"]


def test_ages_are_short() -> None:
    assert [age(NOON - past, NOON) for past in (0, 5 * MINUTE, 2 * HOUR, DAY)] == [
        "now",
        "5 min",
        "2 h",
        "yesterday",
    ]
    assert age(NOON + DAY, NOON) == "now"
