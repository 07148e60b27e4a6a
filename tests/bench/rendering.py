"""One fenced block of 5,000 lines, streamed: against drawing it once when it is finished."""

from __future__ import annotations

import time

from dsh_tui.engine.projection.views import AnswerView
from dsh_tui.theme import THEMES
from dsh_tui.widgets.canvas import Canvas
from dsh_tui.widgets.palette import palette_from
from tests.bench.display import COLUMNS
from tests.bench.figures import Sample
from tests.bench.scene import Take

FUNCTIONS = 2_500
FLUSHES = 300
"""20 seconds of a stream, 15 times a second."""


def fenced_block(_take: Take) -> Sample:
    """Drawing alone, in this process."""
    code = "".join(f"def part_{n}(x: int) -> int:\n    return x * {n}\n" for n in range(FUNCTIONS))
    text = f"Here it is:\n\n```python\n{code}```\n"
    once, _ = _draw(text, 1)  # what is made only once is not counted against either
    once, _ = _draw(text, 1)
    streamed, longest = _draw(text, FLUSHES)
    return {"fence_ratio": streamed / once, "fence_frame_ms": 1_000 * longest}


def _draw(text: str, flushes: int) -> tuple[float, float]:
    """CPU seconds, and the longest flush."""
    blocks = [AnswerView(seq=1, text=text[:4], done=False)]
    canvas = Canvas(blocks, COLUMNS, palette_from(THEMES[0].to_color_system().generate()))
    canvas.measure(0)
    longest, before = 0.0, time.process_time()
    for flush in range(1, flushes + 1):
        start = time.perf_counter()
        blocks[0] = AnswerView(seq=1, text=text[: len(text) * flush // flushes], done=flush == flushes)
        canvas.change(0)
        canvas.measure(0)
        longest = max(longest, time.perf_counter() - start)
    return time.process_time() - before, longest
