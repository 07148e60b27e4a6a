"""An app that is nothing but a transcript, and blocks to show in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot

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
from dsh_tui.theme import THEMES
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
