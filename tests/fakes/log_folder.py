"""A folder of session logs, written as the product writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.paths import log_path
from dsh_tui.engine.session.session import Session
from tests.fakes.session_logs import bare_session, whole_turn


class LogFolder:
    """Logs by session id below one root."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, session_id: str, *turns: tuple[str, str], cwd: str = "/work/app") -> Path:
        """A session with finished turns of a prompt and an answer each; its log."""
        return self.store(spoken(session_id, turns, cwd=cwd))

    def store(self, session: Session) -> Path:
        """The log of a session, in place of the one that was there."""
        path = log_path(self.root, session.header.get("cwd"), session.id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_header(session.header) + encode_rows(session.events.rows()))
        return path


def spoken(session_id: str, turns: Sequence[tuple[str, str]], *, cwd: str = "/work/app") -> Session:
    """A session in which that was said."""
    session = bare_session(session_id, cwd=cwd)
    for prompt, reply in turns:
        whole_turn(session, prompt, reply)
    return session
