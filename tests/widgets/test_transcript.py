from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.scrollbar import ScrollTo

from dsh_tui.engine.projection.views import (
    AnswerView,
    BlockView,
    DiffHunk,
    DiffView,
    NoticeView,
    ThinkingView,
    ToolView,
    TurnEndView,
    UserView,
)
from dsh_tui.theme import LIGHT, THEMES
from dsh_tui.widgets.transcript import Transcript


class TranscriptApp(App[None]):
    def __init__(self, blocks: Sequence[BlockView]) -> None:
        super().__init__()
        self.blocks = blocks
        self.copied: list[str] = []

    def compose(self) -> ComposeResult:
        yield Transcript(id="transcript")

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.transcript.show(self.blocks, 0, 1)
        self.transcript.focus()

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    def on_transcript_copy_requested(self, event: Transcript.CopyRequested) -> None:
        self.copied.append(event.text)

    def lines(self) -> list[str]:
        """The transcript as it stands on screen, without the scroll bar."""
        width = self.transcript.scrollable_content_region.width
        strips = self.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip.crop(0, width)).rstrip() for strip in strips]

    def fresh_lines(self) -> list[str]:
        transcript = self.transcript
        transcript._frame = []
        transcript._strips.clear()
        transcript._settle()
        return self.lines()


def user(text: str, seq: int = 0) -> UserView:
    return UserView(seq=seq, text=text, time=0)


def answer(text: str, *, done: bool = True) -> AnswerView:
    return AnswerView(seq=1, text=text, done=done)


def tool(**fields: Any) -> ToolView:  # Any: any fields of the view
    base = ToolView(seq=2, call_id="c", name="bash", verb="Run", subject="ls", state="ok", arguments="{}")
    return replace(base, **fields)


def paragraphs(count: int, first: int = 0) -> str:
    return "".join(f"line {number}\n\n" for number in range(first, first + count))


async def feed(pilot: Pilot[None], app: TranscriptApp, blocks: list[BlockView], changed: int) -> None:
    app.transcript.show(blocks, changed, 1)
    await pilot.pause()


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


def every_kind(text: str) -> list[BlockView]:
    hunk = DiffHunk(1, 1, (f" {text}", f"-old {text}", f"+new {text}"))
    return [
        user(text),
        UserView(seq=0, text=text, time=0, origin="context", producer=text),
        UserView(seq=0, text=text, time=0, origin="blocked", producer=text),
        ThinkingView(seq=0, text=text, done=True, duration_ms=10, started=0),
        answer(text, done=False),
        answer(text),
        tool(name=text, verb=text, subject=text, output=text, arguments=text, state="failed", summary=text),
        tool(output=text, arguments=text, state="running"),
        tool(state="denied", feedback=text),
        tool(diff=DiffView(text, 1, 1, (hunk,))),
        NoticeView(seq=0, tone="error", text=text, hint=text),
        TurnEndView(seq=0, turn=1, reason=text, duration_ms=1),
    ]


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


async def test_another_theme_draws_in_its_own_colours() -> None:
    app = TranscriptApp([user("go")])
    async with app.run_test(size=(60, 6)) as pilot:
        before = app.transcript.render_line(0)
        app.theme = LIGHT
        await pilot.pause()
        assert app.transcript.render_line(0) != before


async def test_another_session_starts_at_its_end() -> None:
    app = TranscriptApp([user("go"), answer(paragraphs(40))])
    async with app.run_test(size=(60, 10)) as pilot:
        app.transcript.scroll_home(animate=False)
        await pilot.pause()
        app.transcript.show([answer(paragraphs(40, 100))], 0, 2)
        await pilot.pause()
        assert app.lines()[-1].strip() == "line 139"


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
