"""Appending while nothing runs: a one-shot turn around one log-only event.

Titles, mode switches and model choices happen between turns, yet every event sits inside
one. Screens hide turns whose trigger is not a message. Source: core spec §3 (turn enclosure).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.registry import EVENT_TYPES
from dsh_tui.engine.session.session import Session


def append_idle(session: Session, kind: str, type: str, data: Mapping[str, Any]) -> Event:  # noqa: A002  # Any: JSON
    """Append in the open turn, or in a turn of its own with trigger ``kind``. Returns the event.

    Raises:
        InvalidEventError: before anything was written.
    """
    _, frozen = EVENT_TYPES.check(type, data)  # first, so that a refused event leaves no empty turn behind
    if session.open_turn is not None:
        return session.append(type, frozen)
    turn = session.last_turn + 1
    source = {"kind": "plugin", "plugin": kind}
    session.append("turn/start", {"turn": turn, "trigger": {"kind": kind, "source": source}})
    event = session.append(type, frozen)
    session.append("turn/end", {"turn": turn, "reason": {"kind": "completed"}})
    return event
