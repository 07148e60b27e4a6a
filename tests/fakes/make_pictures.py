"""Makes docs/images/chat.svg: the real app and engine, a scripted model, a small project.

The picture is of the moment in which a change waits for a person. Look at it before it is committed::

    python -m tests.fakes.make_pictures && rsvg-convert docs/images/chat.svg -o /tmp/chat.png
"""

from __future__ import annotations

import asyncio
import html
import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rich.cells import cell_len
from textual.pilot import Pilot

from dsh_tui.app import DshApp
from dsh_tui.bridge.bridge import Bridge
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.projection.views import AnswerIntent
from dsh_tui.screens.ports import ChatPort
from tests.fakes.demo_project import PROMPT, REPLIES
from tests.fakes.model_server import ModelServer
from tests.fakes.record_demo import ROOT, environment, write_project

TARGET = ROOT / "docs" / "images" / "chat.svg"
SIZE = (120, 40)
TITLE = "dsh-tui"
CELL = 12.2
"""Width of a character in Textual's SVG."""
_FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_TEXT = re.compile(r'(<text [^>]*?)x="([\d.]+)"( y="[\d.]+") textLength="[\d.]+"([^>]*)>([^<]*)</text>')


async def picture(folder: Path) -> str:
    """The SVG of the chat with an edit in the dock."""
    project = folder / "payments-api"
    write_project(project)
    bridges: list[Bridge] = []
    async with ModelServer([replace(answer, rate=60) for answer in REPLIES]) as server:
        environ = environment(folder, server.url)

        async def boot(app: DshApp) -> ChatPort:
            product = await Product.start(StartOptions(cwd=project, environ=environ))
            bridge = Bridge(product, post=app.post_view, notify=app.notice)
            await bridge.new_session()
            bridges.append(bridge)
            return bridge

        app = DshApp(boot, cwd=project)
        async with app.run_test(size=SIZE) as pilot:
            await _until(pilot, lambda: app.bridge is not None)
            [bridge] = bridges
            bridge.send(PROMPT)
            await _until(pilot, lambda: _waits_for(bridge, "bash"))
            bridge.answer(bridge.view.approvals[0].id, AnswerIntent(allowed=True))
            await _until(pilot, lambda: _waits_for(bridge, "edit"))
            await _until(pilot, lambda: app.chat.dock.pending is not None)
            await asyncio.sleep(1.5)  # what fades or arms comes to rest
            await pilot.pause()
            image = portable(app.export_screenshot(title=TITLE))
            await bridge.close()
    return image


def portable(image: str) -> str:
    """The SVG without fonts from the network, and with no run of text that begins or ends in blanks.

    Renderers differ in what they make of such blanks; a place on the grid is the same everywhere.
    """

    def place(match: re.Match[str]) -> str:
        before, x, y, after, escaped = match.groups()
        text = html.unescape(escaped)
        kept = text.strip("\N{NO-BREAK SPACE}")
        if not kept:
            return ""
        blanks = len(text) - len(text.lstrip("\N{NO-BREAK SPACE}"))
        left, width = float(x) + blanks * CELL, cell_len(kept) * CELL
        shown = html.escape(kept, quote=False).replace("\N{NO-BREAK SPACE}", "&#160;")
        return f'{before}x="{left:.1f}"{y} textLength="{width:.1f}"{after}>{shown}</text>'

    return _TEXT.sub(place, _FONT_FACE.sub("", image))


def _waits_for(bridge: Bridge, tool: str) -> bool:
    return [waiting.tool for waiting in bridge.view.approvals] == [tool]


async def _until(pilot: Pilot[None], happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not happened():
            await pilot.pause(0.02)


def main() -> None:
    """Make the picture, and say how large it is."""
    with tempfile.TemporaryDirectory() as folder:
        image = asyncio.run(picture(Path(folder)))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(image, encoding="utf-8")
    print(f"{TARGET}: {len(image.encode()):,} bytes")  # at most 200,000, please


if __name__ == "__main__":
    main()
