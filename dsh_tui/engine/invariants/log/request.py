"""Request: nothing is streamed without a request that the log can rebuild.

Source: core spec §9 (request), §8.3.6.
"""

from __future__ import annotations

from typing import ClassVar

from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.request_header import RequestHeader, fold_header

_HEADERS = frozenset({"request/header", "request/header-delta"})


class RequestCheck(LogCheck):
    """Before the first chunk of a step, header and context of its request are in the log and agree."""

    owner: ClassVar[str] = "request"
    tags = frozenset({*_HEADERS, "request/context", "assistant/chunk", "assistant/message", "step/start"})

    def __init__(self) -> None:
        self._header: RequestHeader | None = None
        self._route: tuple[str, str] | None = None
        self._answering = False

    def check(self, event: Event) -> None:
        data = event.data
        if event.type in _HEADERS:
            self.require(not self._answering, "the header changes while its request is being answered")
        elif event.type == "assistant/chunk" and not self._answering:
            if self._header is None:
                self.refuse("an answer begins, and no request header was logged")
            else:
                self.require(self._route == _route(self._header), "request/context names another model")
        elif event.type == "assistant/message" and self._answering and self._header is not None:
            source = data["source"]
            made = source["kind"] != "model" or (source["provider"], source["model"]) == _route(self._header)
            self.require(made, "the answer names another model than the request")

    def advance(self, event: Event) -> None:
        if event.type in _HEADERS:
            self._header = fold_header(self._header, event)
        elif event.type == "request/context":
            self._route = (event.data["provider"], event.data["model"])
        elif event.type == "assistant/chunk":
            self._answering = True
        elif event.type == "step/start":
            self._answering = False


def _route(header: RequestHeader) -> tuple[str, str]:
    return header["config"]["provider"], header["config"]["model"]
