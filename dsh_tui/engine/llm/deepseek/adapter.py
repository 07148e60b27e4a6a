"""The adapter: one request over HTTP, its events as chunks, its end as a finish or an `LlmError`.

The key is asked for anew with every request and never part of a message. httpx is imported by the
first request or by `warm_up`, and one client keeps connections alive until `close`. Redirects are not
followed: the key goes to the configured host only. Source: capabilities A3; design §3.8–3.11.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.llm.deepseek.body import BodyReader, body_reader
from dsh_tui.engine.llm.deepseek.deltas import DeltaReader
from dsh_tui.engine.llm.deepseek.failures import closed_error, http_error, request_id, transport_error
from dsh_tui.engine.llm.deepseek.http_client import new_client
from dsh_tui.engine.llm.deepseek.read_guard import ReadGuard
from dsh_tui.engine.llm.deepseek.wire import DEFAULT_EFFORT, body_bytes
from dsh_tui.engine.llm.errors import LlmError
from dsh_tui.engine.llm.models import ModelInfo
from dsh_tui.engine.llm.request import AnyRequest, Departure

if TYPE_CHECKING:
    import httpx

DEFAULT_BASE_URL = "https://api.deepseek.com"
MODELS = ("deepseek-flash", "deepseek-v4-pro")
CONTEXT_WINDOW = 1_000_000
MAX_OUTPUT = 256_000
EFFORTS = ("off", "low", "high", "max")
IDLE_S = 300.0
FINISHED_IDLE_S = 5.0
"""How long the trailing usage and ``[DONE]`` may take once the finish reason is there."""
DRAIN_S = 0.05
LIST_S = 10.0
MAX_ERROR_BODY = 65_536

KeyResolver = Callable[[], str | None]
_log = logging.getLogger(__name__)


class DeepSeekAdapter:
    """Streams one route. Safe to use for several requests at once."""

    def __init__(
        self,
        *,
        api_key: KeyResolver,
        base_url: str = DEFAULT_BASE_URL,
        models: Sequence[str] = (),
        idle_s: float = IDLE_S,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._api_key = api_key
        self._base_url = base_url.rstrip("/")
        self._models = tuple(dict.fromkeys((*MODELS, *models)))
        self._idle_s = idle_s
        self._clock = clock
        self._client: httpx.AsyncClient | None = None
        self._making = threading.Lock()

    def resolve_model(self, provider: str, model: str) -> ModelInfo:
        """What is known of any id of this route."""
        return ModelInfo(
            id=model,
            provider=provider,
            context_window=CONTEXT_WINDOW,
            max_output=MAX_OUTPUT,
            efforts=EFFORTS,
            default_effort=DEFAULT_EFFORT,
        )

    async def list_models(self, provider: str) -> tuple[ModelInfo, ...]:
        """The known models, then what the server lists. A server that can't say costs a log line."""
        ids = dict.fromkeys(self._models)
        try:
            ids.update(dict.fromkeys(await self._listed()))
        except LlmError as error:
            _log.warning("models of %s: %s", provider, error)
        return tuple(self.resolve_model(provider, model) for model in ids)

    async def stream(self, request: AnyRequest) -> AsyncIterator[Chunk]:
        """The chunks of one answer.

        Raises:
            LlmError: there is no answer, or only a part of one.
            Cancelled: the request's signal fired.
        """
        request.departure.left = False
        key = self._key()
        deltas = DeltaReader(lambda: _call_ids(request))
        try:
            async with ReadGuard(request.signal, self._clock, self._idle_s) as guard:
                response = await self._open(guard, request, key)
                try:
                    async for chunk in self._chunks(guard, response, deltas):
                        yield chunk
                finally:
                    await response.aclose()
        except LlmError as error:
            raise error.without(key) from None

    def warm_up(self) -> None:
        """Make the client before it is needed. Blocks: call it in a thread."""
        self._http()

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    # -- one exchange ----------------------------------------------------------------------------

    async def _open(self, guard: ReadGuard, request: AnyRequest, key: str) -> httpx.Response:
        client = self._http()
        post = self._request("POST", "/chat/completions", key, body_bytes(request))
        post.extensions["trace"] = partial(_note_departure, request.departure)
        response: httpx.Response = await self._transported(guard, lambda: client.send(post, stream=True))
        if response.status_code == 200:
            return response
        try:
            body = await self._error_body(guard, response)
        finally:
            await response.aclose()
        raise http_error(response.status_code, response.headers, body, now_ms=self._clock.now_ms())

    async def _chunks(
        self, guard: ReadGuard, response: httpx.Response, deltas: DeltaReader
    ) -> AsyncIterator[Chunk]:
        body = body_reader(response.headers.get("content-type", ""))
        reads = response.aiter_bytes()
        chunks: list[Chunk] = []
        while not body.done:
            failure = await self._read(guard, reads, body, deltas, chunks)
            for chunk in chunks:
                yield chunk
            chunks.clear()
            if failure is not None:
                failure.request_id = failure.request_id or request_id(response.headers)
                raise failure
            if deltas.finish_reason is not None:
                guard.tighten(FINISHED_IDLE_S)
        failure = deltas.close(chunks)
        for chunk in chunks:
            yield chunk
        if failure is not None:
            failure.request_id = request_id(response.headers)
            raise failure
        # Read to the end, so that the connection can serve the next request.
        with contextlib.suppress(TimeoutError, LlmError, StopAsyncIteration):
            async with asyncio.timeout(DRAIN_S):
                while True:
                    await self._transported(guard, reads.__anext__)

    async def _read(
        self,
        guard: ReadGuard,
        reads: AsyncIterator[bytes],
        body: BodyReader,
        deltas: DeltaReader,
        chunks: list[Chunk],
    ) -> LlmError | None:
        """One read into ``chunks``; the failure is returned, so that what came before it is not lost."""
        try:
            try:
                payloads = body.feed(await self._transported(guard, reads.__anext__))
            except StopAsyncIteration:
                payloads = body.close()
            for payload in payloads:
                deltas.add(payload, chunks)
        except LlmError as error:
            broken = error.code in ("TRANSPORT", "TIMEOUT", "STREAM_CLOSED")
            if not (broken and deltas.finish_reason is not None):
                return error
            body.done = True  # the answer is complete; only its trailer is missing
        return None

    async def _transported(self, guard: ReadGuard, work: Callable[[], Any]) -> Any:  # Any: httpx's awaitables
        import httpx

        try:
            return await guard.read(work)
        except httpx.RemoteProtocolError as error:
            if "incomplete" in str(error):
                raise closed_error() from None
            raise transport_error(error, self._host()) from None
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise transport_error(error, self._host()) from None

    async def _error_body(self, guard: ReadGuard, response: httpx.Response) -> bytes:
        body = b""
        with contextlib.suppress(StopAsyncIteration, LlmError):  # the status alone says enough
            reads = response.aiter_bytes()
            while len(body) < MAX_ERROR_BODY:
                body += await self._transported(guard, reads.__anext__)
        return body

    async def _listed(self) -> list[str]:
        key = self._key()
        client = self._http()
        get = self._request("GET", "/models", key)
        try:
            async with ReadGuard(CancelSignal(), self._clock, LIST_S) as guard:
                response: httpx.Response = await self._transported(guard, lambda: client.send(get))
            if response.status_code != 200:
                now = self._clock.now_ms()
                raise http_error(response.status_code, response.headers, response.content, now_ms=now)
            return [entry["id"] for entry in response.json()["data"] if isinstance(entry["id"], str)]
        except (ValueError, KeyError, TypeError):
            raise LlmError("the answer is not a list of models", code="MALFORMED_RESPONSE") from None
        except LlmError as error:
            raise error.without(key) from None

    def _http(self) -> httpx.AsyncClient:
        with self._making:
            if self._client is None:
                self._client = new_client(self._base_url)
            return self._client

    def _request(self, method: str, path: str, key: str, body: bytes | None = None) -> httpx.Request:
        import httpx

        headers = {"authorization": f"Bearer {key}"}
        if body is not None:
            headers |= {"content-type": "application/json", "accept": "text/event-stream"}
        try:
            url = httpx.URL(self._base_url + path)
        except httpx.InvalidURL:
            url = httpx.URL()
        if url.scheme not in ("http", "https") or not url.host:
            raise LlmError("The base URL is not an http(s) address: mend it.", code="INVALID_BASE_URL")
        return self._http().build_request(method, url, content=body, headers=headers)

    def _host(self) -> str:
        import httpx

        return httpx.URL(self._base_url).netloc.decode("ascii")

    def _key(self) -> str:
        key = self._api_key()
        if not key:
            raise LlmError(
                "No API key for deepseek: set DEEPSEEK_API_KEY or store a key in the settings.",
                code="MISSING_CREDENTIAL",
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise LlmError(
                "The API key for deepseek holds characters that no key has (spaces, line breaks or other "
                "than ASCII): copy it again.",
                code="INVALID_CREDENTIAL",
            )
        return key


async def _note_departure(departure: Departure, step: str, _details: object) -> None:
    """Hears of each step of an exchange. A request counts once its body is on the way."""
    if step.endswith("send_request_body.started"):
        departure.left = True


def _call_ids(request: AnyRequest) -> set[str]:
    return {
        block["id"]
        for message in request.messages
        for block in message["content"]
        if block["type"] == "tool-call"
    }
