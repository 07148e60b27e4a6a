"""What of a session can be searched: its title, what people and the model said, and which calls were made.

One text per session, its passages in order of the log. Source: design §3.7.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.persistence.stored import LoadedSession
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import ChunkRun

Speaker: TypeAlias = Literal["title", "user", "model", "call"]

MOST_SAID: Final = 32_000
"""Characters of one message that are searched; a paste of megabytes is not."""
MOST_CALLED: Final = 2_000
"""The same of a call: what it was about, not the file that it wrote."""
MARK: Final = "‖"
_SPEAKERS: Final[dict[str, Speaker]] = {
    "user/message": "user",
    "steering/message": "user",
    "assistant/message": "model",
    "tool/call": "call",
}
_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK_RUN: Final = re.compile(f"[{_CJK}]+")
_SHORT_WORD: Final = re.compile(r"(?<!\w)\w{1,2}(?!\w)")


@dataclass(frozen=True, slots=True)
class SearchText:
    """The text of one session, and where in it which passage begins."""

    text: str
    short: str
    """What `short_token` makes findable: a trigram index knows nothing of words shorter than three."""
    parts: str
    """JSON: a list of [offset, seq, speaker]."""


def search_text(title: str, loaded: LoadedSession | None) -> SearchText:
    """Everything of a session that can be found."""
    pieces: list[str] = []
    parts: list[tuple[int, int, Speaker]] = []
    offset = 0
    for seq, speaker, said in _passages(title, loaded):
        parts.append((offset, seq, speaker))
        pieces.append(said)
        offset += len(said) + 1
    text = "\n".join(pieces)
    return SearchText(text, _short_tokens(text), json.dumps(parts, separators=(",", ":")))


def storable(text: str) -> str:
    """Text as a database takes it: no NUL, no half surrogate pairs."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def short_token(word: str) -> str:
    """What stands in `SearchText.short` for a word of one or two characters."""
    return word + MARK * (3 - len(word))


def _passages(title: str, loaded: LoadedSession | None) -> Iterator[tuple[int, Speaker, str]]:
    if title:
        yield 0, "title", storable(title)
    for event in _events(loaded):
        speaker = _SPEAKERS.get(event.type)
        if speaker is not None and (said := _said(event, speaker)):
            yield event.seq, speaker, said


def _events(loaded: LoadedSession | None) -> Iterator[Event]:
    events: Iterable[object] = () if loaded is None else loaded.events
    if isinstance(events, EventLog):
        events = events.rows()  # packed runs are not unpacked for nothing
    for row in events:
        if not isinstance(row, ChunkRun):
            assert isinstance(row, Event)
            yield row


def _said(event: Event, speaker: Speaker) -> str:
    try:
        if speaker == "call":
            return _called(event.data)
        if event.type == "user/message" and (event.data.get("source") or {}).get("kind", "user") != "user":
            return ""
        said = text_of(event.data["content"])[:MOST_SAID]
    except (KeyError, TypeError, AttributeError):  # a hand-made log
        return ""
    return storable(said).strip()


def _called(data: Any) -> str:  # Any: frozen JSON of the event
    arguments = str(data.get("arguments", ""))
    try:
        values = json.loads(arguments).values()
    except (ValueError, AttributeError, RecursionError):
        words = [arguments]
    else:
        words = [value for value in values if isinstance(value, str)]
    return storable(" ".join([str(data.get("name", "")), *words])[:MOST_CALLED])


def _short_tokens(text: str) -> str:
    tokens = {short_token(word) for word in _SHORT_WORD.findall(text)}
    for run in _CJK_RUN.findall(text):
        tokens.update(map(short_token, run))
        tokens.update(short_token(run[at : at + 2]) for at in range(len(run) - 1))
    return " ".join(sorted(tokens))
