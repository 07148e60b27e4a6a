"""Rows of session lists, marked where somebody writes the session. One look at a small file a row.

Source: design §4 (``sessions list``: status ``busy``).
"""

from __future__ import annotations

from dataclasses import replace

from dsh_tui.engine.persistence.lease.record import holder_of
from dsh_tui.engine.persistence.stored import SessionSummary


def marked_busy(summary: SessionSummary, now_ms: int) -> SessionSummary:
    """The row, ``busy`` while its lease is held. A lock file that can't be read says nothing here."""
    if summary.status != "ok":
        return summary
    try:
        holder = holder_of(summary.path, now_ms)
    except OSError:
        return summary
    return summary if holder is None else replace(summary, status="busy", note=f"in use by {holder}")
