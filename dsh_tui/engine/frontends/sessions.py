"""``sessions list|show|export``: stored sessions for people and for scripts. Only reads.

Source: design §4.
"""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.frontends.speak import complain
from dsh_tui.engine.persistence.dialects.originals import OriginalSessions
from dsh_tui.engine.persistence.dialects.paths import original_sessions
from dsh_tui.engine.persistence.errors import PersistenceError
from dsh_tui.engine.persistence.jsonl.paths import find_log
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.jsonl.summary import list_summaries
from dsh_tui.engine.persistence.stored import LoadedSession, SessionSummary, with_closers
from dsh_tui.engine.projection.plain_text import render_markdown
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.visible import visible
from dsh_tui.engine.settings.home import Home

OK, FAILED = 0, 1
ID_WIDTH, TURNS_WIDTH = 44, 5


def list_sessions(*, as_json: bool) -> int:
    """Print all sessions, newest first."""
    summaries = _summaries(whole=as_json)
    if as_json:
        _print(dumps([_json_row(summary) for summary in summaries]))
        return OK
    if not summaries:
        complain(f"no sessions in {_root()} or {_originals().root}", OK)
    for summary in summaries:
        when = datetime.fromtimestamp(summary.updated_at / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
        turns = "" if summary.turns is None else f"{summary.turns} turns"
        note = "" if summary.status == "ok" else f"  [{summary.status}] {summary.note}"
        title = f"{'dsh · ' if summary.source == 'dsh' else ''}{summary.title or 'untitled'}"
        _print(visible(f"{summary.id:<{ID_WIDTH}}  {when}  {turns:>9}  {title}{note}"))
    return OK


def show_session(session_id: str, *, as_json: bool) -> int:
    """Print one transcript, or its log one row a line."""
    loaded = _load(session_id)
    if loaded is None:
        return FAILED
    _print(_text(loaded, as_json=as_json).rstrip("\n"))
    for notice in loaded.notices:
        complain(f"{loaded.path}: {notice.text}", OK)
    return OK


def export_session(session_id: str, *, as_json: bool, target: Path | None) -> int:
    """Write one session as Markdown or JSON lines to a file, or print it."""
    if target is None:
        return show_session(session_id, as_json=as_json)
    loaded = _load(session_id)
    if loaded is None:
        return FAILED
    if target.exists():
        return complain(f"{target} exists; name another file", FAILED)
    try:
        write_atomic(target.absolute(), _text(loaded, as_json=as_json).encode("utf-8", "backslashreplace"))
    except OSError as error:
        return complain(f"cannot write {target}: {error.strerror or error}", FAILED)
    return OK


def _text(loaded: LoadedSession, *, as_json: bool) -> str:
    if as_json:
        rows = [dumps(loaded.header), *(dumps(event.to_json()) for event in loaded.events)]
        return "\n".join(rows) + "\n"
    fold = SessionFold(loaded.header)
    fold.apply_all(with_closers(loaded).events)
    view = fold.view()
    return render_markdown(view.title, view.blocks)


def _load(session_id: str) -> LoadedSession | None:
    path = find_log(_root(), session_id)
    try:
        loaded = _originals().read(session_id) if path is None else read_log(path)
    except PersistenceError as error:
        complain(error.message, FAILED)
        return None
    if loaded is None:
        known = [summary.id for summary in _summaries()]
        near = [known_id for known_id in known if session_id and known_id.startswith(session_id)]
        near = near or get_close_matches(session_id, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else "; see `dsh-tui sessions list`"
        complain(f"no session {session_id}{hint}", FAILED)
    return loaded


def _summaries(*, whole: bool = False) -> list[SessionSummary]:
    """Of both homes, newest first."""
    rows = list_summaries(_root(), now_ms=_now_ms(), whole=whole)
    rows += _originals().list({row.id for row in rows}, whole=whole)
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


def _print(text: str) -> None:
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")
