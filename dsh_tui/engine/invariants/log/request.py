"""Request: nothing is streamed without a request that the log can rebuild.

Source: core spec §9 (request), §8.3.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.request_header import RequestHeader, fold_header

_HEADERS = frozenset({"request/header", "request/header-delta"})


class RequestCheck(LogCheck):
    """Before the first chunk of a step, header and context of its request are in the log and agree.

    What is said of who wrote them is said of parts that the header has.
    """

    owner: ClassVar[str] = "request"
    tags = frozenset(
        {
            *_HEADERS, "request/context", "request/origins", "assistant/chunk", "assistant/message",
            "step/start",
        }
    )  # fmt: skip

    def __init__(self) -> None:
        self._header: RequestHeader | None = None
        self._route: tuple[str, str] | None = None
        self._answering = False

    def check(self, event: Event) -> None:
        data = event.data
        if event.type in _HEADERS:
            self.require(not self._answering, "the header changes while its request is being answered")
        elif event.type == "request/origins":
            self._check_origins(data)
        elif event.type == "assistant/chunk" and not self._answering:
            if self._header is None:
                self.refuse("an answer begins, and no request header was logged")
            else:
                self.require(self._route == _route(self._header), "request/context names another model")
        elif event.type == "assistant/message" and self._answering and self._header is not None:
            source = data["source"]
            made = source["kind"] != "model" or (source["provider"], source["model"]) == _route(self._header)
            self.require(made, "the answer names another model than the request")

    def _check_origins(self, data: Mapping[str, Any]) -> None:  # Any: JSON of the event
        header = self._header
        if header is None:
            self.refuse("the parts of a request are named, and no request header was logged")
            return
        at = 0
        for section in data["sections"]:
            self.require(section["start"] >= at, f"section {section['name']!r} begins within the one before")
            at = section["start"] + section["length"]
        self.require(at <= len(header.get("system", "")), "a section reaches beyond the system prompt")
        known = {tool["name"] for tool in header.get("tools", ())}
        strange = [tool["name"] for tool in data["tools"] if tool["name"] not in known]
        self.require(not strange, f"a plugin is named for {strange[:1]}, which is no tool of the request")

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
