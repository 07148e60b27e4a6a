"""Mounts the store of live sessions as service ``sessions``.

Source: core spec §3 (store).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.session.store import SESSIONS, SessionStore

name = "sessions"


def apply(ctx: Context, config: object) -> None:
    """Provide `SESSIONS`. ``config`` may be a clock; the machine's own is the default."""
    clock: Clock = SYSTEM_CLOCK if config is None else config  # type: ignore[assignment]  # a Clock by contract

    def install() -> Iterator[Callable[[], object]]:
        store = SessionStore(ctx, clock)
        yield store.detach_all
        yield ctx.provide(SESSIONS, store)

    ctx.effect(install)
