"""``sessions list|show``: stored sessions for people and for scripts. Only reads.

Source: design §4.
"""

from __future__ import annotations

import os
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.base.visible import visible
from dsh_tui.engine.frontends.speak import complain, say
from dsh_tui.engine.frontends.stored_session import StoredSessions
from dsh_tui.engine.persistence.dialects.originals import OriginalSessions
from dsh_tui.engine.persistence.dialects.paths import original_sessions
from dsh_tui.engine.persistence.jsonl.paths import id_of
from dsh_tui.engine.persistence.jsonl.summary import list_summaries
from dsh_tui.engine.persistence.stored import SessionSummary
from dsh_tui.engine.session_export import as_json_lines, as_markdown
from dsh_tui.engine.settings.home import Home

OK, FAILED = 0, 1
ID_WIDTH = 44


def list_sessions(*, as_json: bool) -> int:
    """Print all sessions, newest first."""
    summaries = _summaries()
    if as_json:
        say(dumps([_json_row(summary) for summary in summaries]))
        return OK
    if not summaries:
        complain(f"no sessions in {_root()} or {_originals().root}", OK)
    for summary in summaries:
        when = datetime.fromtimestamp(summary.updated_at / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
        turns = "" if summary.turns is None else f"{summary.turns} turn{'' if summary.turns == 1 else 's'}"
        note = "" if summary.status == "ok" else f"  [{summary.status}] {summary.note}"
        title = f"{'dsh · ' if summary.source == 'dsh' else ''}{summary.title or 'untitled'}"
        say(visible(f"{summary.id:<{ID_WIDTH}}  {when}  {turns:>9}  {title}{note}"))
    return OK


def show_session(session_id: str, *, as_json: bool) -> int:
    """Print one transcript, or its log one row a line."""
    try:
        loaded = StoredSessions(Home.from_environment(os.environ), os.environ).read(session_id)
    except HarnessError as error:
        return complain(error.message, FAILED)
    say((as_json_lines(loaded) if as_json else as_markdown(loaded)).rstrip("\n"))
    for notice in loaded.notices:
        complain(f"{loaded.path}: {notice.text}", OK)
    return OK


def _summaries() -> list[SessionSummary]:
    """Of both homes, newest first."""
    rows = list_summaries(_root(), now_ms=_now_ms())
    rows += _originals().list({id_of(row.path) for row in rows})
    return sorted(rows, key=lambda row: row.updated_at, reverse=True)


def _json_row(summary: SessionSummary) -> dict[str, Any]:  # Any: JSON
    return {
        "id": summary.id,
        "title": summary.title,
        "cwd": summary.cwd,
        "createdAt": summary.created_at,
        "updatedAt": summary.updated_at,
        "turns": summary.turns,
        "source": summary.source,
        "parentSession": summary.parent_session,
        "status": summary.status,
    }


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _root() -> Path:
    return Home.from_environment(os.environ).sessions


def _originals() -> OriginalSessions:
    return OriginalSessions(original_sessions(os.environ))
