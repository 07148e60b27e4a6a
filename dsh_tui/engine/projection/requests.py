"""What the model was sent, step by step: every request of the open session, from its log.

One pass keeps for each step the header that was in force and how long the history was; a request is
put together only when it is looked at. Whoever knows the provider gives the function that makes a
body, so that offsets and sizes are those of the bytes that left.
Source: ux spec §3.1, §3.2; core spec §8.3, §9 (request).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.lossless import dump_bytes
from dsh_tui.engine.llm.prices import PriceOf, no_price
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.projection.body_pieces import Body, Pieces, pieces_of
from dsh_tui.engine.projection.cache_forecast import Uncached, uncached
from dsh_tui.engine.projection.part_origins import Part, part_origins
from dsh_tui.engine.projection.prefix_break import prefix_break, wire_places
from dsh_tui.engine.projection.request_parts import (
    estimate_tokens,
    keyed_sections,
    message_label,
    message_text,
    producer,
    settings_text,
    tool_text,
)
from dsh_tui.engine.projection.request_views import ForecastView, PartKind, PartView, RequestView, StepRow
from dsh_tui.engine.projection.sent_steps import SentStep, read_steps
from dsh_tui.engine.projection.spending import uncached_cost
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.request_header import RequestHeader

MakeBody = Callable[[ModelRequest], Body]
"""The JSON of a request as the provider gets it."""
Change = Callable[[RequestHeader], RequestHeader]
"""The header of the last request to the one of the next."""
_KEPT_CUT = 8


class RequestBook:
    """All steps of a log; `view` puts one request together."""

    def __init__(
        self,
        events: Sequence[Event],
        body: MakeBody,
        session_id: str = "",
        price_of: PriceOf = no_price,
    ) -> None:
        self._events = EventLog.numbered(events)
        self._body, self._session_id, self._price_of = body, session_id, price_of
        self._cut: dict[int, Pieces] = {}
        self._lock = Lock()
        steps = read_steps(self._events.rows(0, len(self._events)), price_of)
        self._steps, self._upcoming = steps.sent, steps.upcoming
        self.rows: tuple[StepRow, ...] = tuple(step.row for step in self._steps)

    @property
    def header(self) -> RequestHeader | None:
        """Of the last request; None before the first."""
        return self._upcoming.header if self._upcoming is not None else None

    def view(self, index: int) -> RequestView:
        """The request of a step, whole, compared with the one before. Any thread may ask."""
        with self._lock:
            return self._view(index)

    def _view(self, index: int) -> RequestView:
        step = self._steps[index]
        before = self._steps[index - 1] if index else None
        cut = self._pieces(index)
        parts = self._parts(step, cut, part_origins(step, reversed(self._steps[:index])))
        broken = None
        if before is not None:
            broken = prefix_break(before, self._pieces(index - 1), step, cut, self._events)
        return RequestView(
            row=step.row,
            parts=parts,
            body_bytes=cut.size,
            tokens=sum(part.tokens for part in parts),
            before=before.row if before is not None else None,
            broken=broken,
        )

    def body(self, index: int) -> Body:
        """What was sent, as JSON."""
        return self._body(self._request(self._steps[index]))

    def forecast(self, now: Change, then: Change, at_ms: int = 0) -> ForecastView | None:
        """What the next request would send uncached ``then``, beside ``now``; None before the first one.

        ``at_ms`` is when, which prices hang on.
        """
        with self._lock:
            step = self._upcoming
            if step is None or step.header is None:
                return None
            header = then(step.header)
            before = self._uncached(step, now(step.header))
            after = self._uncached(step, header)
        config = header["config"]
        cost = uncached_cost(after.tokens, config["provider"], config["model"], at_ms, self._price_of)
        return ForecastView(tokens=after.tokens, before=before.tokens, why=after.why, cost=cost)

    def _uncached(self, step: SentStep, header: RequestHeader) -> Uncached:
        """Held against the last request that the same model got: another's cache is of no use."""
        sent = (
            one.index
            for one in reversed(self.rows)
            if _route(self._steps[one.index].header) == _route(header)
        )
        last = next(sent, None)
        new = pieces_of(self._body(self._request(replace(step, header=header))))
        if last is None:
            return uncached(None, new, counted=None)
        row = self.rows[last]
        counted = None if row.miss is None else (row.hit or 0) + row.miss
        return uncached(self._pieces(last), new, counted=counted)

    def _request(self, step: SentStep) -> ModelRequest:
        assert step.header is not None  # steps without one were never sent, and are not listed
        return ModelRequest(
            config=step.header["config"],
            messages=tuple(message for _, message in step.said),
            system=step.header.get("system"),
            tools=step.header.get("tools", ()),
            session_id=self._session_id,
            signal=CancelSignal(),
        )

    def _pieces(self, index: int) -> Pieces:
        if index not in self._cut:
            if len(self._cut) >= _KEPT_CUT:
                del self._cut[next(iter(self._cut))]
            self._cut[index] = pieces_of(self.body(index))
        return self._cut[index]

    def _parts(self, step: SentStep, cut: Pieces, origins: Mapping[Part, int]) -> tuple[PartView, ...]:
        header = step.header
        assert header is not None
        config = header["config"]
        size = sum(len(piece.data) for name, piece in cut.settings.items() if not name.startswith("stream"))
        out = [_part("settings", "settings", "settings", step.origin["config"], settings_text(config), size)]
        for title, text, key, who in keyed_sections(header.get("system", ""), step.origins):
            at = origins["system", key]
            out.append(_part("system", key, title, at, text, len(dump_bytes(text)) - 2, who))
        for tool, piece in zip(header.get("tools", ()), cut.tools, strict=False):
            name, text = tool["name"], tool_text(tool)
            who = step.origins.plugin_of_tool(name) if step.origins is not None else ""
            out.append(_part("tool", name, name, origins["tools", name], text, len(piece.data), who))
        names: dict[str, str] = {}
        said = step.said
        sizes = dict.fromkeys(range(len(said)), 0)
        for place, piece in zip(wire_places(step), cut.messages[step.has_system :], strict=False):
            sizes[place] += len(piece.data)
        for place, (seq, message) in enumerate(said):
            label = message_label(message, names)
            names.update(
                (block["id"], block["name"]) for block in message["content"] if block["type"] == "tool-call"
            )
            text = message_text(message)
            key = f"{seq}:{message['id']}"
            out.append(_part("message", key, label, seq, text, sizes[place], producer(message)))
        return tuple(out)


def _part(
    kind: PartKind, key: str, label: str, seq: int, text: str, size: int, producer: str = ""
) -> PartView:
    return PartView(
        kind=kind,
        key=key,
        label=label,
        producer=producer,
        seq=seq,
        text=text,
        bytes=size,
        tokens=estimate_tokens(text),
    )


def _route(header: RequestHeader | None) -> tuple[str, str] | None:
    return None if header is None else (header["config"]["provider"], header["config"]["model"])
