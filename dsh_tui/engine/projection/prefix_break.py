"""Why a request is no continuation of the one before: the first byte that differs, and its event.

A setting, a tool or the system prompt changes by a header event, and where the log says who wrote
them, the plugin that did it is named; a message by the event that stands in its place now, such as a
summary, or by the one that told of it. Source: ux spec §3.2 (cache audit).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from dsh_tui.engine.projection.body_pieces import Parting, Piece, Pieces, parting
from dsh_tui.engine.projection.compactions import PRODUCER
from dsh_tui.engine.projection.request_origins import section_change, tool_change
from dsh_tui.engine.projection.request_parts import producer
from dsh_tui.engine.projection.request_views import SETTINGS, PrefixBreak
from dsh_tui.engine.session.event import Event

if TYPE_CHECKING:
    from dsh_tui.engine.llm.messages import Message
    from dsh_tui.engine.projection.sent_steps import Said, SentStep

HEADERS: Final = ("request/header", "request/header-delta")
PRUNED: Final = "compact/prune"
_LONGEST = 40


def prefix_break(
    before: SentStep, old: Pieces, after: SentStep, new: Pieces, events: Sequence[Event]
) -> PrefixBreak | None:
    """Where and why; None if the request before is a prefix of this one."""
    found = parting(old, new)
    if found is None:
        return None
    if found.field == "messages" and not (found.place == 0 and _is_system(found)):
        said = _said_at(found, after)
        seq = after.row.seq if said is None else _cause(said[0], events)
        where, words = f"message {found.place + 1}", _message_words(said, events[seq])
    else:
        name = {"tools": "tools", "messages": "system"}.get(found.field, "config")
        seq = after.origin.get(name, after.row.seq)
        where, words = _header_words(found, before, after)
    return PrefixBreak(byte=found.byte, where=where, seq=seq, event=events[seq].type, words=words)


def _is_system(found: Parting) -> bool:
    """Whether one of the two first messages is the system prompt."""
    return any(_role(piece) == "system" for piece in (found.old, found.new) if piece is not None)


def _role(piece: Piece) -> str:
    return str(json.loads(piece.data)["role"])


def _header_words(found: Parting, before: SentStep, after: SentStep) -> tuple[str, str]:
    if found.field == "messages":
        was, now = _system(before), _system(after)
        if before.origins is not None and after.origins is not None:
            return "the system prompt", section_change(before.origins, was, after.origins, now)
        one, other = was.split("\n"), now.split("\n")
        line = next(
            (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
            min(len(one), len(other)),
        )
        return "the system prompt", f"its line {line + 1} changed"
    if found.field == "tools":
        old, new = _tool_name(found.old), _tool_name(found.new)
        if old == new:
            return "the tools", tool_change(before.origins, after.origins, new, "changed")
        if new and new not in _tool_names(before):
            return "the tools", tool_change(before.origins, after.origins, new, "was added")
        if old and old not in _tool_names(after):
            return "the tools", tool_change(before.origins, after.origins, old, "was removed")
        return "the tools", "their order changed"
    return SETTINGS, f"{found.field} {_value(found.old)} → {_value(found.new)}"


def _system(step: SentStep) -> str:
    return step.header.get("system", "") if step.header is not None else ""


def _tool_names(step: SentStep) -> set[str]:
    return {tool["name"] for tool in step.header.get("tools", ())} if step.header is not None else set()


def _tool_name(piece: Piece | None) -> str:
    return "" if piece is None else str(json.loads(piece.data)["function"]["name"])


def _value(piece: Piece | None) -> str:
    if piece is None:
        return "not set"
    value = json.loads(piece.data)
    text = value if isinstance(value, str) else piece.data.decode("utf-8")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _cause(seq: int, events: Sequence[Event]) -> int:
    """The event that tells why a message is another now; of a result that was shortened, the pruning."""
    cited = events[seq].source_event_seqs or () if events[seq].type == "tool/result" else ()
    return next((source for source in cited if events[source].type == PRUNED), seq)


def _message_words(said: Said | None, event: Event) -> str:
    if said is None:
        return "messages that were sent before are gone"
    if event.type == PRUNED:
        return "long tool results were shortened"
    if event.type in HEADERS:
        who = producer(said[1])
        return f'plugin "{who}": the session\'s opening changed' if who else "the session's opening changed"
    op = event.surface_op
    if op is not None and op["op"] == "replace":
        if producer(said[1]) == PRODUCER:
            return "history was summarised"
        count = len(event.source_event_seqs or ())
        return f"it stands for {count} earlier event{'' if count == 1 else 's'}"
    return "it is not what was sent before"


def _said_at(found: Parting, step: SentStep) -> Said | None:
    """The message of the history or the prefix behind one of the body."""
    places = list(wire_places(step))
    at = found.place - step.has_system
    return step.said[places[at]] if 0 <= at < len(places) else None


def wire_places(step: SentStep) -> Iterator[int]:
    """For each message of the body but the system prompt the place of what it is made of in ``said``.

    Results stand behind their calls in a body, wherever they are in the log.
    """
    said = step.said
    results: dict[str, list[int]] = {}
    for place, (_, message) in enumerate(said):
        for block in message["content"]:
            if block["type"] == "tool-result":
                results.setdefault(block["toolCallId"], []).append(place)
    for place, (_, message) in enumerate(said):
        if message["role"] == "assistant":
            yield place
            for block in message["content"]:
                if block["type"] == "tool-call":
                    found = results.get(block["id"])
                    yield found.pop(0) if found else place
        elif _speaks(message):
            yield place


def _speaks(message: Message) -> bool:
    return any(block["type"] == "text" for block in message["content"])
