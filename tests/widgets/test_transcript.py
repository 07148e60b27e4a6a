from __future__ import annotations

import pytest
from textual import events
from textual.scrollbar import ScrollTo

from dsh_tui.engine.projection.views import BlockView
from tests.fakes.transcript_app import TranscriptApp, answer, every_kind, feed, paragraphs, tool, user


async def test_it_follows_the_end_while_it_stands_there() -> None:
    blocks: list[BlockView] = [user("go"), answer("", done=False)]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 12)) as pilot:
        for count in range(1, 40):
            blocks[1] = answer(paragraphs(count), done=False)
            await feed(pilot, app, blocks, 1)
        assert "line 39" not in app.lines()[-1]
        assert app.lines()[-1].strip() == "line 38"


async def test_what_is_read_stays_while_more_arrives_below_and_says_so() -> None:
    blocks: list[BlockView] = [user("go"), answer(paragraphs(50), done=False)]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.scroll_relative(y=-20)
        await pilot.pause()
        top = app.lines()[:-1]
        for count in range(51, 80):
            blocks[1] = answer(paragraphs(count), done=False)
            await feed(pilot, app, blocks, 1)
            assert app.lines()[:-1] == top
        assert "↓ 58 new lines" in app.lines()[-1]
        await pilot.press("end")
        await pilot.pause()
        assert app.lines()[-1].strip() == "line 78"
        assert app.transcript.following


async def test_a_card_that_opens_itself_above_the_view_moves_nothing() -> None:
    blocks: list[BlockView] = [user("go"), tool(state="running"), answer(paragraphs(40))]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.scroll_relative(y=-30)
        await pilot.pause()
        top = app.lines()
        blocks[1] = tool(state="failed", output="\n".join("abcdefgh"))
        await feed(pilot, app, blocks, 1)
        assert app.lines()[0] == top[0]


async def test_the_line_at_the_top_survives_other_widths() -> None:
    text = "\n\n".join(f"start{number} " + "word " * 40 for number in range(30))
    blocks: list[BlockView] = [user("go"), answer(text)]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(80, 20)) as pilot:
        app.transcript.scroll_relative(y=-33)
        await pilot.pause()
        while "start" not in app.lines()[0]:
            app.transcript.scroll_relative(y=1)
            await pilot.pause()
        top = app.lines()[0]
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert app.lines()[0].split()[0] == top.split()[0]
        await pilot.resize_terminal(80, 20)
        await pilot.pause()
        assert app.lines()[0] == top


async def test_the_line_at_the_top_survives_other_widths_below_a_table_that_wraps() -> None:
    cells = " | ".join(["a cell that wraps in a narrow column"] * 4)
    table = "| a | b | c | d |\n|---|---|---|---|\n" + f"| {cells} |\n" * 8
    blocks: list[BlockView] = [user("go"), answer(table + "\n" + paragraphs(60))]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(120, 20)) as pilot:
        app.transcript.scroll_relative(y=-60)
        await pilot.pause()
        while "line" not in app.lines()[0]:
            app.transcript.scroll_relative(y=1)
            await pilot.pause()
        top = app.lines()[0].strip()
        for width in (80, 60, 100, 120):
            await pilot.resize_terminal(width, 20)
            await pilot.pause()
            assert app.lines()[0].strip() == top


async def test_one_row_up_at_the_end_of_a_stream_stays_there() -> None:
    blocks: list[BlockView] = [user("go"), answer(paragraphs(30), done=False)]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.scroll_up(animate=False)
        await pilot.pause()
        before = app.lines()
        blocks[1] = answer(paragraphs(30))
        await feed(pilot, app, blocks, 1)
        assert app.lines() == before
        assert not app.transcript.following


async def test_a_prompt_of_ones_own_brings_the_view_back() -> None:
    blocks: list[BlockView] = [user("go"), answer(paragraphs(30))]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.scroll_home(animate=False)
        await pilot.pause()
        assert "go" in app.lines()[0]
        blocks.append(user("and now this", 9))
        await feed(pilot, app, blocks, 2)
        assert "and now this" in app.lines()[-1]


async def test_scrolling_back_over_blocks_never_seen_moves_row_by_row() -> None:
    blocks: list[BlockView] = []
    for turn in range(60):
        blocks += [user(f"prompt {turn}"), answer(f"- a{turn}\n- b{turn}\n\n| x{turn} |\n|---|\n| y |\n")]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 12)) as pilot:
        before = app.lines()
        for _ in range(150):
            app.transcript.scroll_up(animate=False)
            await pilot.pause()
            now = app.lines()
            assert now[1:] == before[:-1]
            before = now
        await pilot.press("g")
        await pilot.pause()
        assert "prompt 0" in app.lines()[0]


@pytest.mark.parametrize("size", [(20, 5), (1, 1), (3, 3), (10, 3), (200, 60)])
async def test_any_size_draws_and_the_last_one_looks_like_a_fresh_one(size: tuple[int, int]) -> None:
    blocks = every_kind("中文 [x] 👩‍👩‍👧 text " * 9)
    app = TranscriptApp(blocks)
    async with app.run_test(size=size) as pilot:
        for width, height in [(80, 24), size, (79, 24), (80, 24)]:
            await pilot.resize_terminal(width, height)
            await pilot.pause()
        assert app.lines() == app.fresh_lines()


async def test_only_lines_that_changed_are_painted() -> None:
    blocks: list[BlockView] = [user("go"), answer("a b", done=False)]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 30)) as pilot:
        transcript = app.transcript
        await pilot.pause()
        transcript._repaint_regions.clear()
        blocks[1] = answer("a b c", done=False)
        transcript.show(blocks, 1, 1)
        assert [(region.y, region.height) for region in transcript._repaint_regions] == [(2, 1)]


async def test_another_session_starts_at_its_end() -> None:
    app = TranscriptApp([user("go"), answer(paragraphs(40))])
    async with app.run_test(size=(60, 10)) as pilot:
        app.transcript.scroll_home(animate=False)
        await pilot.pause()
        app.transcript.show([answer(paragraphs(40, 100))], 0, 2)
        await pilot.pause()
        assert app.lines()[-1].strip() == "line 139"


async def test_what_came_while_it_was_hidden_is_there_when_it_shows() -> None:
    blocks: list[BlockView] = [user("go")]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 10)) as pilot:
        app.transcript.display = False
        await pilot.pause()
        blocks.append(answer("later"))
        app.transcript.show(blocks, 1, 1)
        app.transcript.display = True
        await pilot.pause()
        assert any("later" in line for line in app.lines())


async def test_blocks_that_are_ahead_of_the_views_wait_for_their_turn() -> None:
    blocks: list[BlockView] = [user("go")]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 10)) as pilot:
        blocks.append(answer("ahead"))
        app.transcript.refresh()
        app.transcript.scroll_up(animate=False)
        await pilot.pause()
        app.transcript.show(blocks, 1, 1)
        await pilot.pause()
        assert any("ahead" in line for line in app.lines())


async def test_quick_resizes_while_streaming_end_in_a_fresh_picture() -> None:
    blocks: list[BlockView] = [user("go"), answer("", done=False)]
    app = TranscriptApp(blocks)
    text = ""
    sizes = [(20, 6), (1, 1), (3, 3), (200, 60), (79, 24), (10, 3), (40, 12), (80, 24)]
    async with app.run_test(size=(80, 24)) as pilot:
        for number in range(32):
            text += f"- item {number} 中文 word word word\n" + "\n```py\nx = 1\n```\n\n" * (number % 7 == 0)
            blocks[1] = answer(text, done=False)
            app.transcript.show(blocks, 1, 1)
            await pilot.resize_terminal(*sizes[number % len(sizes)])
        await pilot.pause()
        assert app.lines() == app.fresh_lines()
        assert "item 31" in "".join(app.lines()[-3:])


@pytest.mark.parametrize("way", ["wheel", "pageup", "bar"])
async def test_every_way_to_scroll_holds_the_view(way: str) -> None:
    blocks: list[BlockView] = [user("go"), answer(paragraphs(80), done=False)]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 12)) as pilot:
        if way == "wheel":
            app.transcript.post_message(
                events.MouseScrollUp(app.transcript, 5, 5, 0, -1, 0, False, False, False)
            )
        elif way == "pageup":
            await pilot.press("pageup")
        else:
            app.transcript.post_message(ScrollTo(y=40, animate=False))
        await pilot.pause()
        assert not app.transcript.following
        top = app.lines()[:-1]
        blocks[1] = answer(paragraphs(120), done=False)
        await feed(pilot, app, blocks, 1)
        assert app.lines()[:-1] == top
