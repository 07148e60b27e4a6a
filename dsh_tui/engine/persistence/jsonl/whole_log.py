"""A whole log written at once: for repaired copies and imports, which nobody has open.

Source: core spec §4.3; design §3.5.
"""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.persistence.errors import AlreadyStoredError
from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.paths import find_log, log_path
from dsh_tui.engine.persistence.jsonl.writer import LogFile
from dsh_tui.engine.session.session import Session


def write_whole_log(root: Path, session: Session) -> Path:
    """Publish every event of a session that is not live; durable when this returns. Blocks.

    Raises:
        AlreadyStoredError: a log of that id is there; it was not touched.
        WriteFailedError: there is no file.
    """
    taken = find_log(root, session.id)
    if taken is not None:
        raise AlreadyStoredError(f"session {session.id} is stored already in {taken}", path=taken)
    file = LogFile(log_path(root, session.header.get("cwd"), session.id))
    try:
        file.append(encode_rows(session.events.rows()), header=encode_header(session.header))
    finally:
        file.close()
    return file.path
