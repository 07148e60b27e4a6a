"""Mounts persistence on JSON-lines files as service ``persistence``.

The final drain is registered before the listeners, so that on the way out the listeners go
first and nothing is added behind the drain's back. Source: core spec §4.2.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.kernel import Context, UndoStep
from dsh_tui.engine.persistence.dialects.originals import OriginalSessions
from dsh_tui.engine.persistence.errors import PersistenceError
from dsh_tui.engine.persistence.jsonl.disk import SYSTEM_DISK, Disk
from dsh_tui.engine.persistence.jsonl.store import JsonlPersistence
from dsh_tui.engine.persistence.seam import LEASES, PERSISTENCE, PERSISTENCE_MENDED, PERSISTENCE_STATE
from dsh_tui.engine.session.store import (
    SESSION_CREATED,
    SESSION_DISPOSED,
    SESSION_EVENT,
    SESSION_FLUSH,
    SESSIONS,
)

name = "persistence"
inject = (SESSIONS,)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonlConfig:
    """Where sessions lie, and how long an event may wait for its write."""

    root: Path
    window_ms: int = 200
    clock: Clock = SYSTEM_CLOCK
    disk: Disk = SYSTEM_DISK
    originals: Path | None = None
    """Where the sessions of the original lie; they are listed and read too."""


Config = JsonlConfig


def apply(ctx: Context, config: JsonlConfig) -> None:
    """Provide `PERSISTENCE` and keep every live session written."""
    sessions = ctx[SESSIONS]
    store = JsonlPersistence(
        config.root,
        sessions.get,
        clock=config.clock,
        window=config.window_ms / 1000,
        leases=lambda: ctx.get(LEASES),
        on_state=lambda session_id, error: ctx.emit(PERSISTENCE_STATE, session_id, error),
        on_mended=lambda session_id, notices: ctx.emit(PERSISTENCE_MENDED, session_id, notices),
        disk=config.disk,
        originals=None if config.originals is None else OriginalSessions(config.originals),
    )

    def install() -> Iterator[UndoStep]:
        yield store.close
        yield ctx.on(SESSION_CREATED, store.bind)
        yield ctx.on(SESSION_EVENT, store.note)
        yield ctx.on(SESSION_FLUSH, store.flush_session)
        yield ctx.on(SESSION_DISPOSED, store.release)
        yield ctx.provide(PERSISTENCE, store)

    ctx.effect(install)
    for session in sessions.list():  # a reload: creation is not announced again
        try:
            store.bind(session)
        except PersistenceError as error:
            _log.error("session %s is not being saved: %s", session.id, error.message)
            ctx.emit(PERSISTENCE_STATE, session.id, error)
