"""Request: what is about to leave is what the log says, to the byte.

Rebuilt with a fresh derivation, not the session's own cache, which is one of the things under test.

Source: core spec §9 (request), §8.3.
"""

from __future__ import annotations

from dsh_tui.engine.base.frozen import FrozenDict
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.invariants.errors import InvariantError
from dsh_tui.engine.kernel import Dispatch
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.llm.service import LLM_STREAM
from dsh_tui.engine.session.derive import Derivation
from dsh_tui.engine.session.request_header import canonical_header
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SessionStore
from dsh_tui.engine.session.surface import Surface

OWNER = "request"


class RequestCompanion:
    """Holds each request of the loop against its session's log."""

    def __init__(self, sessions: SessionStore) -> None:
        self._sessions = sessions

    def __call__(self, dispatch: Dispatch) -> None:
        if dispatch.event != LLM_STREAM.name or not isinstance(dispatch.args[0], ModelRequest):
            return
        request = dispatch.args[0]
        session = self._sessions.get(request.session_id)
        if session is None or session.open_step is None or session.request_header is None:
            raise InvariantError(OWNER, f"{request.session_id}: a request without a live step and a header")
        header = session.request_header
        for name, part in (
            ("config", request.config),
            ("tools", request.tools),
            ("messages", request.messages),
        ):
            if not _is_frozen(part):
                raise InvariantError(OWNER, f"{name} is not frozen")
        parts = {"system": request.system, "tools": request.tools, "config": request.config}
        prefix = header.get("messagePrefix", ())
        if dumps(canonical_header({**parts, "messagePrefix": prefix})) != dumps(header):
            raise InvariantError(OWNER, "the request is not what the folded header says")
        if dumps(request.messages) != dumps((*prefix, *_history(session))):
            raise InvariantError(OWNER, "the messages are not the prefix and the history before step/start")


def _history(session: Session) -> tuple[Message, ...]:
    rows = [row for row in session.events.slots() if getattr(row, "surface_op", None) or _starts(row)]
    last = max(at for at, row in enumerate(rows) if _starts(row))
    surface = Surface()
    for row in rows[:last]:
        surface.commit(row)  # type: ignore[arg-type]  # runs of chunks have no marker
    return Derivation(surface).messages()


def _starts(row: object) -> bool:
    return getattr(row, "type", None) == "step/start"


def _is_frozen(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_frozen, value))
    if isinstance(value, dict):
        return isinstance(value, FrozenDict) and all(map(_is_frozen, value.values()))
    return not isinstance(value, list | set | bytearray)
