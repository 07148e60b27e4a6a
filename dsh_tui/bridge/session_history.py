"""What happened in the session that is shown: its requests and its timeline, read from its log.

Both are built in a thread, over the events that there are when somebody asks, and kept until there
are more. The provider's own serialiser makes the bodies, so offsets are those of the bytes sent.
Source: ux spec §3.1–§3.4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from dsh_tui.engine.base.clock import SYSTEM_CLOCK
from dsh_tui.engine.llm.config import ToolSchema
from dsh_tui.engine.llm.prices import PriceOf, no_price
from dsh_tui.engine.projection.request_views import ForecastView
from dsh_tui.engine.projection.requests import Change, RequestBook
from dsh_tui.engine.projection.timeline import Timeline
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.request_header import RequestHeader, canonical_header, same_header

Target = tuple[str, str, str]
"""Provider, model and effort."""


class SessionHistory:
    """Implements `HistoryPort` over one log, live or not."""

    def __init__(
        self,
        header: Mapping[str, Any],  # Any: JSON of the header
        events: Sequence[Event],
        price_of: PriceOf = no_price,
    ) -> None:
        self._header, self._events, self._price_of = header, events, price_of
        self._requests: tuple[int, RequestBook] | None = None
        self._timeline: Timeline | None = None

    async def requests(self) -> RequestBook:
        """Every step's request."""
        length = len(self._events)
        if self._requests is None or self._requests[0] != length:
            self._requests = length, await asyncio.to_thread(self._read_requests)
        return self._requests[1]

    async def forecast_model(self, now: Target, then: Target) -> ForecastView | None:
        """What the next request would send uncached with another model or effort; None before the first."""
        book = await self.requests()
        return await asyncio.to_thread(book.forecast, _to_model(now), _to_model(then), SYSTEM_CLOCK.now_ms())

    async def forecast_prompt(
        self, now: Target, system: str | None, tools: Sequence[ToolSchema]
    ) -> ForecastView | None:
        """The same with another system prompt or other tools; None too if they are what was sent last."""
        book = await self.requests()

        def then(header: RequestHeader) -> RequestHeader:
            return canonical_header({**_to_model(now)(header), "system": system, "tools": tools})

        if book.header is None or same_header(then(book.header), _to_model(now)(book.header)):
            return None
        return await asyncio.to_thread(book.forecast, _to_model(now), then, SYSTEM_CLOCK.now_ms())

    async def timeline(self) -> Timeline:
        """Any point of it."""
        if self._timeline is None or self._timeline.length != len(self._events):
            self._timeline = await asyncio.to_thread(
                Timeline, self._header, self._events, price_of=self._price_of
            )
        return self._timeline

    def _read_requests(self) -> RequestBook:
        from dsh_tui.engine.llm.deepseek.wire import request_body

        return RequestBook(self._events, request_body, str(self._header.get("id", "")), self._price_of)


def _to_model(target: Target) -> Change:
    provider, model, effort = target

    def changed(header: RequestHeader) -> RequestHeader:
        config = {**header["config"], "provider": provider, "model": model}
        config.pop("reasoningEffort", None)
        if effort:
            config["reasoningEffort"] = effort
        return canonical_header({**header, "config": config})

    return changed
