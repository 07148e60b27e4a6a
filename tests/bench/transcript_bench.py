"""What the transcript costs, in one process: fold, render, show, append. Run it by hand.

    python tests/bench/transcript_bench.py

Figures are CPU seconds on this machine; compare them with each other, not with another machine's.
"""

from __future__ import annotations

import asyncio
import gc
import resource
import time
from collections.abc import Iterator

from textual.app import App, ComposeResult

from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import AnswerView, BlockView, ToolView, TurnEndView, UserView
from dsh_tui.engine.session.event import Event
from dsh_tui.theme import DARK, THEMES
from dsh_tui.widgets.markdown_rows import MarkdownRows
from dsh_tui.widgets.palette import Palette, palette_from
from dsh_tui.widgets.transcript import Transcript

PROSE = (
    "the quick brown fox jumps over a lazy dog while many small parts of this system keep their own state "
    "and report what changed since the last frame was drawn so that readers can follow along"
)
WORDS = PROSE.split()


def palette() -> Palette:
    theme = THEMES[0]
    return palette_from({**theme.to_color_system().generate(), **theme.variables})


def markdown(characters: int) -> str:
    """Headings, paragraphs, lists, tables and code, over and over."""
    out: list[str] = []
    size = word = section = 0

    def some(count: int) -> str:
        nonlocal word
        word += count
        return " ".join(WORDS[(n * 7 + n // 11) % len(WORDS)] for n in range(word - count, word))

    while size < characters:
        section += 1
        piece = (
            f"## Section {section}\n\n" + f"{some(45)} with **bold {some(1)}** and `code_{section}`.\n\n" * 2
        )
        piece += "".join(f"- item {n} {some(3)}\n" for n in range(4)) + "\n| name | value |\n| --- | --- |\n"
        piece += "".join(f"| {some(1)} | {n} {some(2)} |\n" for n in range(3))
        piece += f"\n```python\ndef fn_{section}(x: int) -> int:\n    return x * {section}\n```\n\n"
        out.append(piece)
        size += len(piece)
    return "".join(out)[:characters]


def tokens(text: str) -> list[str]:
    return [text[at : at + 4] for at in range(0, len(text), 4)]


def streamed(pieces: list[str]) -> Iterator[Event]:
    yield Event("turn/start", 0, 0, {"turn": 1, "trigger": {"kind": "message"}})
    yield Event("step/start", 1, 0, {"turn": 1, "step": 1})
    for seq, piece in enumerate(pieces):
        chunk = {"type": "text-delta", "index": 0, "text": piece}
        yield Event("assistant/chunk", seq + 2, seq, {"turn": 1, "step": 1, "chunk": chunk})


def stream_cost() -> None:
    pieces = tokens(markdown(80_000))
    for batch in (14, 100, 700, 1400):
        gc.collect()
        fold = SessionFold({"id": "s"})
        rows = MarkdownRows(100, palette(), widest=110)
        begun, worst = time.process_time(), 0.0
        for count, event in enumerate(streamed(pieces)):
            fold.apply(event)
            if count % batch == 0 and count:
                flushed = time.process_time()
                answer = fold.view().blocks[-1]
                assert isinstance(answer, AnswerView)
                rows.show(answer.text, done=False)
                worst = max(worst, time.process_time() - flushed)
        spent = time.process_time() - begun
        print(f"20,000 tokens, {batch:5} a flush: {spent:.3f} s, worst flush {worst * 1000:.1f} ms")


def fence_cost() -> None:
    lines = [f"    value_{n} = compute({n}, 'text {n}')  # comment {n}\n" for n in range(5000)]
    text = "```python\n" + "".join(lines) + "```\n"
    begun = time.process_time()
    whole = list(MarkdownRows(100, palette(), widest=110).show(text, done=True))
    once = time.process_time() - begun
    rows = MarkdownRows(100, palette(), widest=110)
    begun, worst = time.process_time(), 0.0
    for at in range(0, len(text), 60):
        flushed = time.process_time()
        rows.show(text[:at], done=False)
        worst = max(worst, time.process_time() - flushed)
    same = rows.show(text, done=True) == whole
    spent = time.process_time() - begun
    print(f"5,000 lines of code: once {once:.3f} s, streamed {spent:.3f} s ({spent / once:.2f} ×), "
          f"worst {worst * 1000:.0f} ms, same {same}")  # fmt: skip


def session(turns: int) -> list[BlockView]:
    blocks: list[BlockView] = []
    answer = markdown(900)
    for turn in range(turns):
        blocks.append(UserView(seq=turn, text=f"Prompt {turn}: please look at it", time=0))
        blocks.append(ToolView(seq=turn, call_id="c", name="read", verb="Read", subject="a.py", state="ok",
                               arguments="{}", output="x", summary="80 lines", duration_ms=3))  # fmt: skip
        blocks.append(AnswerView(seq=turn, text=answer + str(turn), done=True))
        blocks.append(TurnEndView(seq=turn, turn=turn, reason="completed", duration_ms=9))
    return blocks


class Bench(App[None]):
    def compose(self) -> ComposeResult:
        yield Transcript()

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK


async def widget_cost() -> None:
    for turns in (100, 1_000, 10_000):
        app = Bench()
        async with app.run_test(size=(120, 40)) as pilot:
            transcript = app.query_one(Transcript)
            blocks = session(turns)
            await pilot.pause()
            begun = time.process_time()
            transcript.show(blocks, 0, turns)
            shown = time.process_time() - begun
            blocks.append(AnswerView(seq=0, text="", done=False))
            text = ""
            begun = time.process_time()
            for number in range(300):
                text += f"word {number} " + "\n\n" * (number % 9 == 0)
                blocks[-1] = AnswerView(seq=0, text=text, done=False)
                transcript.show(blocks, len(blocks) - 1, turns)
                transcript.render_lines(transcript.size.region)
            append = (time.process_time() - begun) / 300
            begun = time.process_time()
            for _ in range(200):
                transcript.scroll_up(animate=False)
            scroll = (time.process_time() - begun) / 200
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            print(
                f"{turns:6} turns: shown in {shown * 1000:.0f} ms, one flush {append * 1000:.2f} ms, "
                f"one row up {scroll * 1000:.2f} ms, peak {peak} MB"
            )


async def painted_cost() -> None:
    """The whole of a headless app: fold, show, compositor, at 30 and 700 tokens a flush."""
    pieces = tokens(markdown(80_000))
    for batch in (30, 700):
        app = Bench()
        async with app.run_test(size=(120, 40)) as pilot:
            transcript = app.query_one(Transcript)
            fold = SessionFold({"id": "s"})
            transcript.show(fold.transcript.blocks, 0, 0)
            await pilot.pause()
            begun = time.process_time()
            for count, event in enumerate(streamed(pieces)):
                fold.apply(event)
                if count % batch == 0:
                    view = fold.view()
                    transcript.show(view.blocks, view.changed_from, 0)
                    await asyncio.sleep(0.02)
            spent = time.process_time() - begun
            flushes = len(pieces) // batch
            print(f"painted, {batch} a flush: {spent:.2f} s, {spent / flushes * 1000:.1f} ms a flush")


if __name__ == "__main__":
    stream_cost()
    fence_cost()
    asyncio.run(widget_cost())
    asyncio.run(painted_cost())
