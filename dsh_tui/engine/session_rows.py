"""Stored sessions as rows for people: one mapping, used by every front end that lists them."""

from __future__ import annotations

from pathlib import PurePath

from dsh_tui.engine.persistence.stored import SessionSummary
from dsh_tui.engine.projection.views import SessionRow


def session_row(summary: SessionSummary) -> SessionRow:
    """The browser's row; the project is the last part of the directory. Its note names no path."""
    cwd = summary.cwd or ""
    return SessionRow(
        id=summary.id,
        title=summary.title,
        cwd=cwd,
        project=PurePath(cwd).name or cwd or "no directory",
        created_at=summary.created_at,
        updated_at=summary.updated_at,
        turns=summary.turns or 0,
        status=summary.status,
        source=summary.source,
        parent=summary.parent_session,
        origin=summary.origin,
        note=summary.note.removeprefix(f"{summary.path}: ").replace(str(summary.path), "the log"),
    )
