"""The scripted model server on a thread of its own, for tests that drive other processes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from tests.fakes.model_script import Answer
from tests.fakes.model_server import ModelServer, Recorded

T = TypeVar("T")
DEADLINE: Final = 15.0


class Gate:
    """Holds an answer back until the test opens it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.event = asyncio.Event()
        self._loop = loop

    def open(self) -> None:
        self._loop.call_soon_threadsafe(self.event.set)


class ServedModel:
    """A running `ModelServer`. Strict, like the real one: `assert_all_accepted` says what it refused."""

    def __init__(self, **options: Any) -> None:  # Any: what ModelServer takes
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="model", daemon=True)
        self.server = ModelServer(**options)

    def __enter__(self) -> Self:
        self._thread.start()
        self._run(self.server.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            error.add_note(f"model requests: {len(self.requests)}, refused: {self.refused}")
        self._run(self.server.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def requests(self) -> list[Recorded]:
        return self.server.requests

    @property
    def refused(self) -> list[str]:
        """Why requests were answered with a 400 or 401 of the server's own."""
        return [request.refused for request in self.requests if request.refused]

    def gate(self) -> Gate:
        return Gate(self._loop)

    def push(self, *answers: Answer | str) -> None:
        """Append to the script."""
        self.server.push(*answers)

    def wait_for_requests(self, count: int) -> None:
        """Until that many chat requests have come in since the start."""
        self._run(self._until(lambda: len(self.requests) >= count, f"{count} requests"))

    def wait_for_disconnects(self, count: int = 1) -> None:
        """Until that many clients went away in the middle of an answer."""
        self._run(self._until(lambda: self.server.disconnects >= count, f"{count} disconnects"))

    def roles(self, index: int = -1) -> list[str]:
        """The roles of one request's messages, system aside."""
        return [m["role"] for m in self.requests[index].body["messages"] if m["role"] != "system"]

    def said(self, index: int = -1) -> str:
        """All text of one request's messages, system aside."""
        messages = self.requests[index].body["messages"]
        return "\n".join(m["content"] for m in messages if m["role"] != "system")

    def offered(self, index: int = -1) -> list[str]:
        """Names of the tools that one request offered."""
        return [tool["function"]["name"] for tool in self.requests[index].body.get("tools", ())]

    def assert_all_accepted(self) -> None:
        assert not self.refused, f"the model service would refuse: {self.refused}"

    async def _until(self, happened: Callable[[], bool], what: str) -> None:
        changed = self.server._changed
        try:
            async with asyncio.timeout(DEADLINE), changed:
                await changed.wait_for(happened)
        except TimeoutError:
            raise AssertionError(
                f"{what}: not seen; {len(self.requests)} requests, {self.server.disconnects} disconnects"
            ) from None

    def _run(self, work: Coroutine[Any, Any, T]) -> T:  # Any: what a coroutine is sent, never used
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(DEADLINE + 5)
