"""Where a history may be cut: between two messages, where no call is parted from its result. Pure.

What is kept begins with a message of a person or the model, and all its calls are answered in it.
Source: core spec §10 (cut on the surface, not at turn edges).
"""

from __future__ import annotations

from collections.abc import Sequence

from dsh_tui.engine.llm.messages import Message

FEWEST = 2
"""Messages below which there is nothing worth a summary."""


def safe_places(messages: Sequence[Message]) -> list[int]:
    """Every place before which a history may be cut, in order; 0 cuts nothing off."""
    behind = _answered_behind(messages)
    waiting: set[str] = set()
    places: list[int] = []
    for place, message in enumerate(messages):
        results = answers(message)
        if not waiting and not results and behind[place]:
            places.append(place)
        waiting.difference_update(results)
        waiting.update(calls(message))
    return places


def find_cut(messages: Sequence[Message], wanted: int) -> int | None:
    """The safe place nearest before ``wanted``, else the first behind it; None where there is none.

    Whatever is kept, at least `FEWEST` messages are cut off.
    """
    places = [place for place in safe_places(messages) if place >= FEWEST]
    before = [place for place in places if place <= wanted]
    return before[-1] if before else next(iter(places), None)


def calls(message: Message) -> list[str]:
    """Ids of the calls that it asks for."""
    return [block["id"] for block in message["content"] if block["type"] == "tool-call"]


def answers(message: Message) -> list[str]:
    """Ids of the calls whose results it holds."""
    return [block["toolCallId"] for block in message["content"] if block["type"] == "tool-result"]


def _answered_behind(messages: Sequence[Message]) -> list[bool]:
    """For each place whether all calls from there on are answered from there on."""
    out = [True] * len(messages)
    seen: set[str] = set()
    whole = True
    for place in range(len(messages) - 1, -1, -1):
        asked = calls(messages[place])
        whole = whole and seen.issuperset(asked)
        seen.difference_update(asked)
        seen.update(answers(messages[place]))
        out[place] = whole
    return out
