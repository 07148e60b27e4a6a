from __future__ import annotations

import pytest

from dsh_tui.engine.projection.views import BlockView
from dsh_tui.theme import LIGHT
from tests.fakes.transcript_app import TranscriptApp, answer, every_kind, feed, paragraphs, tool, user

PAYLOADS = [
    "[1]",
    "[/]",
    "[red]x",
    "[=14629,state=CLOSED]",
    "[link=https://h.invalid]y[/link]",
    "[on blue]z",
    "[ ]",
]


@pytest.mark.parametrize("payload", PAYLOADS)
async def test_markup_is_text_on_every_surface(payload: str) -> None:
    blocks = every_kind(payload)
    app = TranscriptApp(blocks)
    async with app.run_test(size=(100, 60)) as pilot:
        for index in range(len(blocks)):
            app.transcript.fold(index)
        await pilot.pause()
        shown = "\n".join(app.lines())
        assert shown.count(payload) >= len(blocks)


HOSTILE = [
    "\x1b[31mRed\x1b[0m",
    "a\x1b]0;owned\x07b",
    "x\x1b]52;c;ZXZpbA==\x07y",
    "\x9b31mC1",
    "\u202eevil\u202c",
    "a\x00b",
    "\ud800",
]


@pytest.mark.parametrize("payload", HOSTILE)
async def test_nothing_but_text_reaches_the_terminal(payload: str) -> None:
    blocks = every_kind(payload)
    app = TranscriptApp(blocks)
    async with app.run_test(size=(100, 60)) as pilot:
        for index in range(len(blocks)):
            app.transcript.fold(index)
        await pilot.pause()
        shown = "".join(app.lines())
        assert not any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u202c\ud800" for c in shown)


async def test_a_drag_over_blocks_copies_source_without_borders() -> None:
    blocks: list[BlockView] = [
        user("first prompt"),
        answer("# Head\n\n- **one**\n- two\n\n```py\nx = 1\n```\n"),
        tool(state="failed", output="boom", summary="exit 1"),
    ]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.mouse_down(offset=(2, 0))
        await pilot.hover(offset=(57, 11))
        await pilot.mouse_up(offset=(57, 11))
        copied = app.screen.get_selected_text() or ""
        assert copied.startswith("first prompt\n\n# Head\n\n- **one**\n- two\n\n```py\nx = 1\n```")
        assert copied.endswith("boom")
        assert "│" not in copied
        assert "▌" not in copied


async def test_part_of_a_wrapped_line_copies_as_one_line() -> None:
    blocks: list[BlockView] = [answer("alpha beta gamma delta epsilon zeta eta theta")]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(26, 6)) as pilot:
        assert app.lines()[0] == "    alpha beta gamma"
        await pilot.mouse_down(offset=(10, 0))
        await pilot.hover(offset=(13, 1))
        await pilot.mouse_up(offset=(13, 1))
        assert app.screen.get_selected_text() == "beta gamma delta epsi"


async def test_a_selection_keeps_its_text_while_the_view_moves() -> None:
    blocks: list[BlockView] = [user("go"), answer(paragraphs(40), done=False)]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.mouse_down(offset=(4, 1))
        await pilot.hover(offset=(12, 3))
        await pilot.mouse_up(offset=(12, 3))
        before = app.screen.get_selected_text()
        assert before is not None
        assert "line" in before
        blocks[1] = answer(paragraphs(60), done=False)
        await feed(pilot, app, blocks, 1)
        assert app.screen.get_selected_text() == before


async def test_the_cursor_walks_opens_and_copies() -> None:
    blocks: list[BlockView] = [
        user("one"),
        tool(arguments='{"command": "ls -la"}', output="a\nb"),
        user("two"),
        answer("*x*"),
    ]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("j", "j")
        assert app.transcript.cursor == 1
        assert not any("$ ls -la" in line for line in app.lines())
        await pilot.press("enter")
        await pilot.pause()
        assert any("$ ls -la" in line for line in app.lines())
        await pilot.press("y", "right_curly_bracket")
        assert app.transcript.cursor == 2
        await pilot.press("left_curly_bracket")
        assert app.transcript.cursor == 0
        await pilot.press("k", "y")
        await pilot.press("j", "j", "j", "y")
        await pilot.pause()
        assert app.copied == ["ls -la\n\na\nb", "one", "*x*"]


async def test_another_theme_draws_in_its_own_colours() -> None:
    app = TranscriptApp([user("go")])
    async with app.run_test(size=(60, 6)) as pilot:
        before = app.transcript.render_line(0)
        app.theme = LIGHT
        await pilot.pause()
        assert app.transcript.render_line(0) != before


async def test_code_in_an_answer_is_copied_without_its_fence() -> None:
    app = TranscriptApp([answer("look\n\n```py\nx = 1\ny = 2\n```\n\nand\n\n```\nz\n```\n")])
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("j", "c")
        await pilot.pause()
        assert app.copied == ["x = 1\ny = 2"]


async def test_an_opened_answer_tells_where_its_links_lead() -> None:
    app = TranscriptApp([answer("see [the docs](https://example.invalid/x) now")])
    async with app.run_test(size=(60, 20)) as pilot:
        assert not any("example.invalid" in line for line in app.lines())
        await pilot.press("j", "enter")
        await pilot.pause()
        assert "the docs → https://example.invalid/x" in app.lines()[1]


async def test_all_blocks_open_and_fold_at_once_and_what_is_read_stays() -> None:
    output = "\n".join(f"out {number}" for number in range(9))
    calls = [tool(seq=seq, output=output) for seq in range(2, 40)]
    blocks: list[BlockView] = [user("go"), *calls, answer("The end.")]
    app = TranscriptApp(blocks)
    async with app.run_test(size=(80, 12)) as pilot:
        assert "The end." in app.lines()[-1]
        assert app.transcript.fold_all()
        await pilot.pause()
        assert "The end." in app.lines()[-1]
        assert "out 8" in "".join(app.lines())
        app.transcript.go_to(3)
        await pilot.pause()
        top = app.lines()[0]
        assert "Run" in top
        assert not app.transcript.fold_all()
        await pilot.pause()
        assert app.lines()[0] == top
        assert "out" not in "".join(app.lines())
