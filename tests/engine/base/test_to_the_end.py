from __future__ import annotations

import asyncio
import threading

import pytest

from dsh_tui.engine.base.to_the_end import to_the_end


class Work:
    """Blocks until it may end."""

    def __init__(self, error: Exception | None = None) -> None:
        self.began, self.may_end = threading.Event(), threading.Event()
        self.ended = False
        self._error = error

    def __call__(self) -> str:
        self.began.set()
        self.may_end.wait(10)
        self.ended = True
        if self._error is not None:
            raise self._error
        return "done"


async def test_it_gives_what_the_work_gives_and_raises_what_it_raises() -> None:
    assert await to_the_end(lambda: 3) == 3
    work = Work(OSError("full"))
    work.may_end.set()
    with pytest.raises(OSError, match="full"):
        await to_the_end(work)


@pytest.mark.parametrize("error", [None, OSError("full")])
async def test_whoever_is_cancelled_leaves_when_the_work_is_over(error: Exception | None) -> None:
    work = Work(error)
    waiting = asyncio.create_task(to_the_end(work))
    await asyncio.to_thread(work.began.wait, 10)
    for _ in range(3):
        waiting.cancel()
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waiting.done()
    work.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert work.ended
