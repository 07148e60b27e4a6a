from __future__ import annotations

import time
from dataclasses import replace

from textual.widgets import Static

from dsh_tui.app import DshApp
from dsh_tui.engine.projection.views import SessionRow
from dsh_tui.screens.sessions import SessionsScreen
from dsh_tui.widgets.session_list import age, arranged, filtered
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


async def test_n_begins_a_new_session_and_a_slash_lets_a_filter_begin_with_n() -> None:
    port = bridge()
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        await pilot.press("/", "n", "o")
        assert browser(app)._filter.value == "no"
        await pilot.press("escape", "n")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert port.asked == [("new_session",)]


async def test_f_forks_the_highlighted_session() -> None:
    port = bridge()
    app = app_over(port)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "l")
        await pilot.pause()
        await pilot.press("down", "f")
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
        replace(sample_sessions()[0], id=f"s{n}", title=f"session {n}", updated_at=n) for n in range(10_000)
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


def test_every_state_is_a_glyph_and_a_word() -> None:
    rows = {row.status: row for row in sample_sessions()}
    assert set(rows) == {"ok", "damaged", "busy", "foreign-version"}


def test_all_words_must_be_there() -> None:
    assert [row.id for row in filtered(sample_sessions(), "RETRY fix")] == ["s1"]
    assert len(filtered(sample_sessions(), "")) == 7


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
