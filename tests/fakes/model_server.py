"""THE scripted model server: a real HTTP server on 127.0.0.1 that speaks DeepSeek's chat API.

As strict as the real one (see `strict_api`), answers from a FIFO, and what no script covers as the
prompt itself asks (``bench n=2000 r=100 id=7``). Standard library only. On its own::

    python tests/fakes/model_server.py --port 18080 [--script FILE.json] [--log FILE] [--key KEY] [--window N]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

if not __package__:  # run as a script: make the sibling modules importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fakes.model_events import ReplyEvents
from tests.fakes.model_script import (
    Answer,
    Drop,
    Ending,
    Hold,
    Raw,
    Reply,
    Status,
    default_answer,
    drop,
    eof_without_done,
    from_json,
    hold,
    raw,
    reply,
    reset,
    stall,
    status,
)
from tests.fakes.strict_api import error_body, refusal, too_long

__all__ = [
    "ModelServer",
    "Recorded",
    "drop",
    "eof_without_done",
    "hold",
    "raw",
    "reply",
    "reset",
    "stall",
    "status",
]

MODELS = ("deepseek-flash", "deepseek-v4-pro")
BATCH = 64
"""Events a write when there is no rate."""
REASONS = {200: "OK", 307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request to the chat endpoint. ``refused`` is the reason of a 400 or 401 of ours."""

    body: Any  # Any: JSON the client sent
    raw: bytes
    headers: Mapping[str, str]
    path: str
    refused: str | None = None


class _Connection(asyncio.StreamReaderProtocol):
    """A stream connection that knows at once when its client has gone."""

    def __init__(self, serve: Callable[[_Connection], Any]) -> None:  # Any: a coroutine
        self.gone = asyncio.Event()
        self.reader = asyncio.StreamReader(limit=1 << 26)
        self.writer: asyncio.StreamWriter
        super().__init__(self.reader, self._connected)
        self._serve = serve

    async def _connected(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        await self._serve(self)

    def eof_received(self) -> bool:
        self.gone.set()
        return bool(super().eof_received())

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()
        super().connection_lost(exc)


class ModelServer:
    """Answers in the order of the script; records what it was asked.

    ``default`` replaces the built-in answer for an empty script. ``key`` makes other keys a 401,
    ``window`` requests of more tokens a 400.
    """

    def __init__(
        self,
        script: Iterable[Answer | str] = (),
        *,
        key: str | None = None,
        default: Callable[[Mapping[str, Any]], Answer] = default_answer,  # Any: the request's JSON
        models: Sequence[str] = MODELS,
        strict: bool = True,
        window: int | None = None,
        port: int = 0,
        log: Path | None = None,
    ) -> None:
        self.script: deque[Answer] = deque()
        self.push(*script)
        self.requests: list[Recorded] = []
        self.gets: list[str] = []
        self.disconnects = 0
        """Clients that went away before their answer was complete."""
        self.connections = 0
        self.key = key
        self.default = default
        self.models = models
        self.strict = strict
        self.window = window
        self._port = port
        self._log = log
        self._changed = asyncio.Condition()
        self._live: set[_Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The base URL to configure."""
        return f"http://127.0.0.1:{self._port}"

    def push(self, *answers: Answer | str) -> None:
        """Append to the script; a string is a text reply."""
        self.script.extend(reply(answer) if isinstance(answer, str) else answer for answer in answers)

    async def wait_for_requests(self, count: int) -> None:
        """Until ``count`` chat requests have come in."""
        await self._wait(lambda: len(self.requests) >= count)

    async def wait_for_disconnects(self, count: int = 1) -> None:
        """Until ``count`` clients have gone in the middle of an answer."""
        await self._wait(lambda: self.disconnects >= count)

    async def _wait(self, happened: Callable[[], bool]) -> None:
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(happened)

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: _Connection(self._serve), "127.0.0.1", self._port, backlog=64
        )
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for connection in list(self._live):
            connection.writer.transport.abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    # -- one connection --------------------------------------------------------------------------

    async def _serve(self, connection: _Connection) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._tasks.add(task)
        self._live.add(connection)
        self.connections += 1
        try:
            while await self._exchange(connection):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._tasks.discard(task)
            self._live.discard(connection)
            with contextlib.suppress(ConnectionError):
                connection.writer.close()

    async def _exchange(self, connection: _Connection) -> bool:
        """One request and its answer; whether the connection may carry another."""
        reader = connection.reader
        line = (await reader.readline()).decode("latin-1").split(" ")
        if len(line) < 3:
            return False
        method, path = line[0], line[1].split("?")[0].rstrip("/")
        headers: dict[str, str] = {}
        while (header := (await reader.readline()).strip()) != b"":
            name, _, value = header.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        payload = await reader.readexactly(int(headers.get("content-length", 0)))
        if method == "POST" and path.endswith("/chat/completions"):
            return await self._chat(connection, path, headers, payload)
        self.gets.append(path)
        if self.key is not None and headers.get("authorization") != f"Bearer {self.key}":
            return await self._plain(
                connection, status(401, error_body("Authentication Fails", "authentication_error"))
            )
        if path.endswith("/models"):
            data = [{"id": model, "object": "model", "owned_by": "deepseek"} for model in self.models]
            return await self._plain(connection, status(200, {"object": "list", "data": data}))
        return await self._plain(connection, status(404, error_body("Not Found")))

    async def _chat(
        self, connection: _Connection, path: str, headers: dict[str, str], payload: bytes
    ) -> bool:
        try:
            body = json.loads(payload)
            refused = refusal(body) if self.strict else None
            if refused is None and self.window is not None:
                refused = too_long(body, self.window)
        except ValueError as error:
            body, refused = None, f"Failed to parse the request body as JSON: {error}"
        answer: Answer | None = None
        if self.key is not None and headers.get("authorization") != f"Bearer {self.key}":
            refused = "wrong key"
            tail = headers.get("authorization", "")[-4:]
            message = f"Authentication Fails, Your api key: ****{tail} is invalid"
            answer = status(401, error_body(message, "authentication_error"))
        elif refused is not None:
            answer = status(400, error_body(refused))
        self.requests.append(Recorded(body, payload, headers, path, refused))
        async with self._changed:
            self._changed.notify_all()
        if answer is None:
            answer = self.script.popleft() if self.script else self.default(body)
        self._say(path, payload, refused, answer)
        return await self._answer(connection, answer, body)

    async def _answer(self, connection: _Connection, answer: Answer, body: Mapping[str, Any]) -> bool:
        while isinstance(answer, Hold):
            if not await self._until(connection, answer.event):
                return False
            answer = answer.then
        match answer:
            case Status():
                return await self._plain(connection, answer)
            case Drop(silent=True):
                return await self._until(connection, asyncio.Event())
            case Drop():
                return False
            case Raw():
                await self._head(connection, answer.content_type)
                cuts = [0, *answer.splits, len(answer.body)]
                for start, end in itertools.pairwise(cuts):
                    await _chunk(connection, answer.body[start:end])
                return await self._end(connection, answer.ending)
            case Reply():
                return await self._reply(connection, answer, body)
        raise AssertionError(answer)

    async def _reply(self, connection: _Connection, answer: Reply, body: Mapping[str, Any]) -> bool:
        events = ReplyEvents(len(self.requests), body["model"], len(self.requests[-1].raw))
        if not body.get("stream"):
            return await self._plain(connection, status(200, events.whole(answer)))
        await self._head(connection, "text/event-stream")
        await _chunk(connection, events.opening())
        deltas = events.deltas(answer)
        started = time.monotonic()
        step = 1 if answer.rate or answer.gate else BATCH
        for index in range(0, len(deltas), step):
            if (
                answer.gate is not None
                and index == answer.gate_after
                and not await self._until(connection, answer.gate)
            ):
                return False
            wait = started + index / answer.rate - time.monotonic() if answer.rate else 0
            if wait > 0.0005:
                await asyncio.sleep(wait)
            if connection.gone.is_set():
                return await self._lost()
            await _chunk(connection, b"".join(deltas[index : index + step]))
        late = answer.gate if answer.gate_after >= len(deltas) else None
        if late is not None and not await self._until(connection, late):
            return False
        if answer.ending == "done" or answer.finish is not None:
            await _chunk(connection, events.closing(answer, len(deltas)))
        if answer.ending == "done":
            await _chunk(connection, b"data: [DONE]\n\n")
        return await self._end(connection, answer.ending)

    async def _end(self, connection: _Connection, ending: Ending) -> bool:
        if ending == "stall":
            return await self._until(connection, asyncio.Event())
        if ending == "reset":
            connection.writer.transport.abort()
            return False
        connection.writer.write(b"0\r\n\r\n")
        await connection.writer.drain()
        return True

    async def _head(self, connection: _Connection, content_type: str) -> None:
        connection.writer.write(
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n"
            b"x-request-id: req-%d\r\ncontent-type: %s\r\n\r\n" % (len(self.requests), content_type.encode())
        )
        await connection.writer.drain()

    async def _plain(self, connection: _Connection, answer: Status) -> bool:
        lines = [f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Status')}"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        lines += [f"content-length: {len(answer.body)}", "", ""]
        connection.writer.write("\r\n".join(lines).encode() + answer.body)
        await connection.writer.drain()
        return True

    async def _until(self, connection: _Connection, event: asyncio.Event) -> bool:
        """Wait for ``event``; False if the client goes first."""
        waits = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(connection.gone.wait())]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return await self._lost() if connection.gone.is_set() else True

    async def _lost(self) -> bool:
        self.disconnects += 1
        async with self._changed:
            self._changed.notify_all()
        return False

    def _say(self, path: str, payload: bytes, refused: str | None, answer: Answer) -> None:
        if self._log is not None:
            with self._log.open("a", encoding="utf-8") as file:
                line = f"{path} bytes={len(payload)} refused={refused} answer={answer!s:.200}"
                file.write(f"{time.time():.3f} {line}\n")


async def _chunk(connection: _Connection, piece: bytes) -> None:
    if piece:
        connection.writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await connection.writer.drain()


async def _run(arguments: argparse.Namespace) -> None:
    script = json.loads(arguments.script.read_text(encoding="utf-8")) if arguments.script else []
    answers = [from_json(entry) for entry in script]
    async with ModelServer(
        answers, key=arguments.key, window=arguments.window, port=arguments.port, log=arguments.log
    ) as server:
        print(f"model server on {server.url}", flush=True)
        await asyncio.Event().wait()


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--key")
    parser.add_argument("--window", type=int)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run(parser.parse_args()))


if __name__ == "__main__":
    main()
