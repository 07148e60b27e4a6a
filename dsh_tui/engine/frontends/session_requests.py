"""``sessions requests``: what went to the model, rebuilt from the log alone, byte for byte.

Reads one file and the adapter's serialiser; nothing is booted. Source: design §4; core spec §8.3.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.frontends.speak import complain, say
from dsh_tui.engine.frontends.stored_session import StoredSessions
from dsh_tui.engine.llm.deepseek.wire import Fragments, body_bytes
from dsh_tui.engine.loop.rebuild import RebuiltRequest, rebuild_requests
from dsh_tui.engine.projection.cards import counted
from dsh_tui.engine.settings.home import Home

OK, FAILED = 0, 1
MOST_LISTED = 8
BUILT_IN = "deepseek"
"""The provider whose serialiser is known without a boot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestsQuery:
    """Which requests, and how to print them."""

    session_id: str
    turn: int | None = None
    step: int | None = None
    as_json: bool = False
    raw: bool = False
    one_shots: bool = False
    """Titles and summaries too."""

    def matches(self, request: RebuiltRequest) -> bool:
        return self.turn in (None, request.turn) and self.step in (None, request.step)


def show_requests(query: RequestsQuery) -> int:
    """Print the requests in the order they were sent; 1 if the log cannot be trusted to hold all."""
    try:
        stored = StoredSessions(Home.from_environment(os.environ), os.environ).read(query.session_id)
        if stored.dialect:
            raise HarnessError(
                f"session {query.session_id} was written by another program, which sent other bytes; "
                "only requests of dsh-tui can be rebuilt"
            )
        rebuilt = rebuild_requests(stored.events, one_shots=query.one_shots)
        requests = [request for request in rebuilt if query.matches(request)]
    except HarnessError as error:
        return complain(error.message, FAILED)
    known = Fragments()
    bodies = ((request, body_bytes(request.as_request(query.session_id), known)) for request in requests)
    if query.raw:
        _write(body + b"\n" for _, body in bodies)
    elif query.as_json:
        _write(_array(bodies))
    else:
        for request, body in bodies:
            say(_sentence(request, len(body)))
    others = {request.config["provider"] for request in requests} - {BUILT_IN}
    if others:
        complain(f"{', '.join(sorted(others))}: not built in; the bodies are {BUILT_IN}'s form of them", OK)
    for notice in stored.notices:
        complain(f"{stored.path}: {notice.text}", OK)
    if rebuilt and not requests:
        return complain(_none_of(query, rebuilt), FAILED)
    return FAILED if stored.damaged else OK


def _none_of(query: RequestsQuery, rebuilt: Sequence[RebuiltRequest]) -> str:
    """That nothing was sent there, and where something was."""
    in_turn = [request.step for request in rebuilt if request.turn == query.turn]
    if in_turn:
        return f"turn {query.turn} has no step {query.step} that was sent; there is {_listed(in_turn)}"
    if query.turn is None:
        return f"no turn has a step {query.step} that was sent"
    return f"nothing was sent in turn {query.turn}; there is {_listed([one.turn for one in rebuilt])}"


def _listed(numbers: Sequence[int]) -> str:
    kept = sorted(set(numbers))
    return ", ".join(map(str, kept)) if len(kept) <= MOST_LISTED else f"{kept[0]} to {kept[-1]}"


def _array(bodies: Iterator[tuple[RebuiltRequest, bytes]]) -> Iterator[bytes]:
    """One JSON array, a request a line; bodies are put in as they were sent."""
    yield b"["
    for number, (request, body) in enumerate(bodies):
        yield (b",\n" if number else b"\n") + _place(request).encode()[:-1] + b',"body":' + body + b"}"
    yield b"\n]\n"


def _place(request: RebuiltRequest) -> str:
    place = {"turn": request.turn, "step": request.step, "attempt": request.attempt}
    return dumps(place if request.purpose is None else {**place, "purpose": request.purpose})


def _sentence(request: RebuiltRequest, size: int) -> str:
    again = f" attempt {request.attempt}" if request.attempt > 1 else ""
    again = again if request.purpose is None else f" for {request.purpose}"
    config = request.config
    return (
        f"turn {request.turn} step {request.step}{again}: {config['provider']}/{config['model']}, "
        f"{counted(len(request.messages), 'message')}, {counted(len(request.tools), 'tool')}, {size:,} bytes"
    )


def _write(pieces: Iterator[bytes]) -> None:
    sys.stdout.flush()
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
