"""A first look at a session: its newest turns are on screen while the engine is still being imported.

What it shows is replaced by the session itself, which stands at the same place, its end.
Source: design §6 (open and continue a session of any length).
"""

from __future__ import annotations

import logging
from pathlib import Path

from dsh_tui.engine.projection.views import ChatView

GENERATION = -1
"""Of no feed, so that what a feed shows is drawn anew."""

_log = logging.getLogger(__name__)


def first_look(sessions: Path, session_id: str) -> ChatView | None:
    """The end of a stored session; None when there is nothing to show. Blocks, and imports: use a thread."""
    from dsh_tui.engine.persistence.jsonl.paths import find_log
    from dsh_tui.engine.persistence.jsonl.tail import read_tail
    from dsh_tui.engine.projection.session import SessionFold

    try:
        path = find_log(sessions, session_id)
        tail = read_tail(path) if path is not None else None
        if tail is None:
            return None
        header, rows = tail
        fold = SessionFold(header, generation=GENERATION)
        fold.apply_rows(rows)
        return fold.view()
    except Exception as error:  # noqa: BLE001  # whatever is wrong with it is told when it is opened
        _log.info("no first look at %s: %s", session_id, error)
        return None
