"""The floor: the smallest chat that Textual allows, to tell what the framework itself costs.

Finished paragraphs are kept as strips, only the open one is rendered again, 30 times a second at
most. No engine, no log, no history; always at the end. Not part of the product.
"""

from __future__ import annotations

import argparse
import http.client
import json
import threading
from queue import Empty, SimpleQueue

from rich.markdown import Markdown
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import Input

FENCE = "```"


class Lines(ScrollView, can_focus=False):
    """All that was said, as lines."""

    def __init__(self) -> None:
        super().__init__()
        self._finished: list[Strip] = []
        self._open: list[Strip] = []
        self._source = ""

    def add(self, text: str) -> None:
        """Say more."""
        self._source += text
        end = self._end_of_finished()
        if end:
            self._finished += [*self._rendered(self._source[:end]), Strip.blank(0)]
            self._source = self._source[end:]
        self._open = self._rendered(self._source) if self._source.strip() else []
        self.virtual_size = Size(self.size.width, len(self._finished) + len(self._open))
        self.refresh()
        self.call_after_refresh(self.scroll_end, animate=False, immediate=True)

    def _end_of_finished(self) -> int:
        end, at = 0, self._source.find("\n\n")
        while at >= 0:
            if self._source.count(FENCE, 0, at) % 2 == 0:
                end = at + 2
            at = self._source.find("\n\n", at + 2)
        return end

    def _rendered(self, source: str) -> list[Strip]:
        console = self.app.console
        options = console.options.update(width=max(20, self.size.width - 2), height=None)
        return [Strip(line) for line in console.render_lines(Markdown(source), options, pad=False)]

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        kept = len(self._finished)
        strip = Strip.blank(0)
        if y < kept:
            strip = self._finished[y]
        elif y - kept < len(self._open):
            strip = self._open[y - kept]
        return strip.crop_extend(0, self.size.width, None)


class Floor(App[None]):
    """Lines above, an input below."""

    CSS = "Lines { height: 1fr; } Input { dock: bottom; }"

    def __init__(self, port: int) -> None:
        super().__init__()
        self._port = port
        self._heard: SimpleQueue[str | None] = SimpleQueue()
        self._pulse: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Lines()
        yield Input(placeholder="Ask the floor")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        prompt, event.input.value = event.value, ""
        self.query_one(Lines).add(f"\n\n> {prompt}\n\n")
        threading.Thread(target=self._ask, args=(prompt,), daemon=True).start()
        self._pulse = self._pulse or self.set_interval(1 / 30, self._say_more)

    def _ask(self, prompt: str) -> None:
        body = {
            "model": "deepseek-flash",
            "messages": [{"role": "user", "content": prompt}],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        headers = {"content-type": "application/json", "authorization": "Bearer none"}
        connection.request("POST", "/chat/completions", json.dumps(body), headers)
        for line in connection.getresponse():
            if line.startswith(b"data: {"):
                choices = json.loads(line[6:])["choices"]
                if choices and (text := choices[0]["delta"].get("content")):
                    self._heard.put(text)
        self._heard.put(None)

    def _say_more(self) -> None:
        texts: list[str] = []
        ended = False
        try:
            while True:
                text = self._heard.get_nowait()
                ended = ended or text is None
                texts.append(text or "")
        except Empty:
            pass
        if any(texts):
            self.query_one(Lines).add("".join(texts))
        if ended and self._pulse is not None:
            self._pulse.stop()
            self._pulse = None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="the smallest Textual chat")
    parser.add_argument("--port", type=int, required=True)
    Floor(parser.parse_args().port).run()
