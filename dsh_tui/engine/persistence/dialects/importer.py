"""Importers: entries of one dialect into events of ours, one for one, with the same seqs.

What has no counterpart here keeps its place and its data under ``dsh/<type>``, shown to nobody. A turn's
trigger is found ahead; whatever else an event needs stands before it in the log.
Source: core spec §0 (reading other logs), §3; upstream format §4, §7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from dsh_tui.engine.base.frozen import FrozenDict, freeze
from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.llm.usage import usage_of
from dsh_tui.engine.persistence.dialects import wording
from dsh_tui.engine.persistence.dialects.envelope import Entry
from dsh_tui.engine.persistence.dialects.nodes import Nodes
from dsh_tui.engine.persistence.dialects.result_meta import result_meta
from dsh_tui.engine.persistence.dialects.streams import Streamed
from dsh_tui.engine.persistence.dialects.vocabulary import KNOWN
from dsh_tui.engine.session import core_types as _core_types  # noqa: F401  # registers the core types
from dsh_tui.engine.session.errors import InvalidEventError
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.registry import EVENT_TYPES

PREFIX = "dsh/"
"""Goes before the type of an event that has no counterpart here."""

_SAME = ("step/start", "step/end", "assistant/chunk", "todo/write", "llm/retry-started", "session/end-seed")

Data = Mapping[str, Any]  # Any: JSON of another program
Made = tuple[str, dict[str, Any]] | None
"""Type and data of an event of ours, or None to keep the entry as it is."""


class Importer:
    """The newest dialect, version 4; older ones change what differed. One importer reads one log."""

    dialect: ClassVar[str] = "dsh v4"
    span: ClassVar[tuple[str, str]] = ("startSeq", "endSeq")
    """How a replacement names the first and the last node that it replaces."""
    by_place: ClassVar[bool] = False
    """Whether it names their places, as our own log does, not their seqs."""

    def __init__(self, triggers: Mapping[int, FrozenDict]) -> None:
        self.problems: list[str] = []
        """Events that should have had a counterpart and are not shown."""
        self._triggers = triggers
        self._nodes = Nodes(by_place=self.by_place)
        self._system: str | None = None
        self._calls: dict[str, tuple[str, str]] = {}
        self._asked: dict[str, str] = {}
        self._steering: set[str] = set()
        self._turn: int | None = None
        self._makers: dict[str, Callable[[Entry], Made]] = {
            "turn/start": self._turn_start,
            "turn/end": self._turn_end,
            "user/message": self._user_message,
            "assistant/message": self._assistant_message,
            "assistant/attempt": self._attempt,
            "tool/call": self._tool_call,
            "tool/result": self._tool_result,
            "system/message": self._system_message,
            "request/header": self._request_header,
            "request/context": self._provided,
            "llm/retry": self._retry,
            "session/title": self._title,
            "approval/asked": self._approval_asked,
            "approval/decided": self._approval_decided,
            "agent/inbox/spliced": self._inbox,
            **dict.fromkeys(_SAME, self._same),
        }

    def take(self, entry: Entry) -> Event:
        """The event that stands for the entry."""
        maker = self._makers.get(entry.type)
        try:
            made = maker(entry) if maker is not None else None
            if made is not None:
                return self._event(entry, *made)
        except (InvalidEventError, ValueError) as error:
            self.problems.append(f"record {entry.seq} is not shown: {error}")
        except (AttributeError, KeyError, TypeError):  # what is inside it may be anything
            self.problems.append(f"record {entry.seq} is not shown: {entry.type} is of another shape")
        if entry.op is not None:
            self._nodes.pass_by(entry.seq, entry.op, self.span)
        known = maker is not None or entry.ignorable or entry.type in KNOWN
        return Event(PREFIX + entry.type, entry.seq, entry.time, entry.data, ignorable=known)

    def _event(self, entry: Entry, tag: str, data: dict[str, Any]) -> Event:  # Any: JSON
        frozen = freeze(data, path=tag)
        kind, checked = EVENT_TYPES.check(tag, frozen)
        if not kind.surface:
            return Event(tag, entry.seq, entry.time, checked)
        op, shadowed = self._nodes.place(entry.seq, entry.op or "append", self.span)
        sources = entry.sources or ()
        if shadowed:
            sources = tuple(sorted({*sources, *shadowed}))
        cited = tuple(dict.fromkeys(seq for seq in sources if 0 <= seq < entry.seq)) or None
        return Event(tag, entry.seq, entry.time, checked, op, cited)

    # Turns

    def _same(self, entry: Entry) -> Made:
        return entry.type, entry.data

    def _turn_start(self, entry: Entry) -> Made:
        self._turn = entry.data.get("turn")
        return entry.type, {**entry.data, "trigger": self._triggers[entry.seq]}

    def _turn_end(self, entry: Entry) -> Made:
        self._turn = None
        return entry.type, {**entry.data, "reason": wording.end_reason(entry.data.get("reason"))}

    def _inbox(self, entry: Entry) -> Made:
        """Only what joins a running turn matters: its messages are steering."""
        inserted = entry.data.get("inserted")
        if entry.data.get("target") == "next-step" and isinstance(inserted, tuple):
            self._steering.update(
                str(message.get("id")) for message in inserted if isinstance(message, Mapping)
            )
        return None

    # Messages

    def _user_message(self, entry: Entry) -> Made:
        data = self._message(entry)
        made: dict[str, Any] = {name: data.get(name) for name in ("id", "content", "source")}  # Any: JSON
        source = made["source"]
        if not isinstance(source, Mapping) or source.get("kind") != "user":
            return "context/message", made
        if made["id"] in self._steering and self._turn is not None:
            return "steering/message", {**made, "turn": self._turn}
        return "user/message", made

    def _message(self, entry: Entry) -> Data:
        """The message that the entry wraps, or is."""
        wrapped = entry.data.get("message")
        return wrapped if isinstance(wrapped, Mapping) else entry.data

    def _assistant_message(self, entry: Entry) -> Made:
        data, message = entry.data, self._message(entry)
        content = wording.answer_content(message.get("content"), entry.seq)
        for block in content:
            if block.get("type") == "tool-call":
                self._calls[block["id"]] = (block["name"], block["arguments"])
        source = message.get("source")
        made = {
            "turn": data.get("turn"),
            "step": data.get("step"),
            "id": message.get("id"),
            "content": content,
            "source": wording.with_provider(source) if isinstance(source, Mapping) else source,
        }
        usage = usage_of(data.get("usage"))
        made.update({"usage": usage} if usage is not None else {})
        made.update({"interrupted": data["interrupted"]} if "interrupted" in data else {})
        spans = Streamed(data.get("stream")).spans(len(content))
        return entry.type, {**made, "streamed": spans} if spans else made

    def _attempt(self, entry: Entry) -> Made:
        data = entry.data
        content = Streamed(data.get("stream")).content()
        return entry.type, {"turn": data.get("turn"), "step": data.get("step"), "content": content}

    def _system_message(self, entry: Entry) -> Made:
        """Our log has the system prompt in the request header that follows."""
        content = self._message(entry).get("content")
        if isinstance(content, tuple):
            self._system = text_of(content)
        return None

    # Tools

    def _tool_call(self, entry: Entry) -> Made:
        data = entry.data
        self._calls.setdefault(str(data.get("callId")), (str(data.get("name")), str(data.get("arguments"))))
        return entry.type, data

    def _tool_result(self, entry: Entry) -> Made:
        data, message = entry.data, self._message(entry)
        result = self._result(message)
        if entry.op is not None and entry.op != "append":
            before = self._nodes.replaced_result(entry.op, self.span)
            if before is None:
                return None
            made: dict[str, Any] = {**before, "content": result.get("content")}  # Any: JSON
        else:
            call_id = str(result.get("toolCallId") or data.get("callId"))
            failed = result.get("isError") is True
            name, arguments = self._calls.get(call_id, ("", ""))
            content = result.get("content")
            made = {
                "turn": data.get("turn"),
                "step": data.get("step"),
                "id": message.get("id"),
                "callId": call_id,
                "content": content,
                "isError": failed,
            }
            text = text_of(content) if isinstance(content, tuple) else ""
            meta = result_meta(name, arguments, data.get("meta"), text, failed=failed)
            made.update({"error": data["error"]} if "error" in data else {})
            made.update({"meta": meta} if meta else {})
        self._nodes.note_result(entry.seq, made)
        return entry.type, made

    def _result(self, message: Data) -> Data:
        """Call id, content and error flag of a result."""
        return message

    def _approval_asked(self, entry: Entry) -> Made:
        data = entry.data
        call_id = str(data.get("callId"))
        self._asked[str(data.get("id"))] = call_id
        name, arguments = self._calls.get(call_id, ("", ""))
        return entry.type, {
            "id": data.get("id"),
            "callId": call_id,
            "toolName": data.get("toolName") or name,
            "arguments": arguments,
            "reason": str(data.get("reason") or ""),
        }

    def _approval_decided(self, entry: Entry) -> Made:
        data = entry.data
        word = wording.outcome(data.get("outcome"))
        call_id = self._asked.get(str(data.get("id")), "")
        by = "user" if word in ("allowed-once", "rejected") else "nobody"
        return entry.type, {"id": data.get("id"), "callId": call_id, "outcome": word, "by": by}

    # Requests and titles

    def _request_header(self, entry: Entry) -> Made:
        header = entry.data.get("header")
        if not isinstance(header, Mapping):
            return None
        made = wording.request_header(header, self._system)
        config = made["config"]
        if not isinstance(config, Mapping) or not {"provider", "model"} <= set(config):
            return None
        return entry.type, {"header": made, "reason": str(entry.data.get("reason") or "initial")}

    def _provided(self, entry: Entry) -> Made:
        return entry.type, wording.with_provider(entry.data)

    def _retry(self, entry: Entry) -> Made:
        delay = entry.data.get("delayMs")
        wait = max(0, round(delay)) if isinstance(delay, float) else delay
        return entry.type, {**wording.with_provider(entry.data), "delayMs": wait}

    def _title(self, entry: Entry) -> Made:
        data = entry.data
        return entry.type, {**data, "source": wording.title_source(data.get("source"))}


class NestedResults(Importer):
    """Version 3: a tool result is a block inside a user-role message."""

    dialect = "dsh v3"

    def _result(self, message: Data) -> Data:
        content = message.get("content")
        for block in content if isinstance(content, tuple) else ():
            if isinstance(block, Mapping) and block.get("type") == "tool-result":
                return block
        return message


class EarlyStreams(NestedResults):
    """Versions 1 and 2: streams in the answers already, system prompts still in request headers."""

    dialect = "dsh v1"


class SingleChunks(NestedResults):
    """Version 0: each streamed chunk is an event of its own; replacements say ``start`` and ``end``."""

    dialect = "dsh v0"
    span = ("start", "end")


class SeedLog(SingleChunks):
    """The first logs of all, told by their shape: turns say what triggered them, messages are not wrapped."""

    dialect = "dsh seed"
    by_place = True

    def __init__(self, triggers: Mapping[int, FrozenDict]) -> None:
        super().__init__(triggers)
        self._makers["turn/start"] = self._same
        same = (
            "context/message",
            "steering/message",
            "prompt/blocked",
            "permission/mode",
            "request/header-delta",
        )
        self._makers.update(dict.fromkeys(same, self._same))

    def _result(self, message: Data) -> Data:
        return message if "callId" in message else super()._result(message)


IMPORTERS: Mapping[int, type[Importer]] = {
    0: SingleChunks,
    1: EarlyStreams,
    2: EarlyStreams,
    3: NestedResults,
    4: Importer,
}
"""Version of a header → the importer of its dialect."""
