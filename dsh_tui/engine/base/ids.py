"""Ids: random, readable in a log, and never reused."""

from __future__ import annotations

import secrets
import uuid


def new_session_id() -> str:
    """An id that also names the session's directory."""
    return f"session-{uuid.uuid4()}"


def new_id(kind: str) -> str:
    """A short id such as ``msg-3f9a1c20b7d4``; unique within a session."""
    return f"{kind}-{secrets.token_hex(6)}"
