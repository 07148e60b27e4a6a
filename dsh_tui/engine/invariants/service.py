"""The registry of companions, and how they are hooked to a running engine.

Each companion lives in a child fiber of its own. Its name is taken even where it is left out, so that
two companions never claim one owner. Source: core spec §9 (registry).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from weakref import WeakKeyDictionary

from dsh_tui.engine.invariants.errors import InvariantError
from dsh_tui.engine.invariants.log.check import LogCheck
from dsh_tui.engine.kernel import INTERNAL_DISPATCH, Context, Dispatch, Disposer, ServiceKey
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SessionStore
from dsh_tui.engine.session.verify import last_imported

DispatchCheck = Callable[[Dispatch], None]


class Invariants:
    """Companions by the name of their owner."""

    def __init__(self, sessions: SessionStore, leave_out: Collection[str] = ()) -> None:
        self._sessions = sessions
        self._leave_out = frozenset(leave_out)
        self._owners: set[str] = set()

    def watch_logs(self, ctx: Context, owner: str, make: Callable[[], LogCheck]) -> Disposer:
        """Check every event of every session before it is committed.

        Raises:
            InvariantError: the owner has a companion already.
        """
        traces: WeakKeyDictionary[Session, _Trace] = WeakKeyDictionary()

        def guard(session: Session, event: Event) -> None:
            trace = traces.get(session)
            if trace is None:
                trace = traces[session] = _Trace(session, make())
            trace.check(event)

        return self._mount(ctx, owner, lambda own: self._sessions.guard(own, guard))

    def watch_dispatches(self, ctx: Context, owner: str, check: DispatchCheck) -> Disposer:
        """Show every dispatch to ``check`` before its listeners; a raise stops it.

        Raises:
            InvariantError: the owner has a companion already.
        """
        return self._mount(
            ctx, owner, lambda own: own.on(INTERNAL_DISPATCH, check, prepend=True, everywhere=True)
        )

    def _mount(self, ctx: Context, owner: str, hook: Callable[[Context], object]) -> Disposer:
        if owner in self._owners:
            raise InvariantError(owner, "a companion of that name is mounted already")

        def install() -> Callable[[], object]:
            self._owners.add(owner)
            fiber = ctx.fork(f"invariant {owner}")
            if owner not in self._leave_out:
                hook(fiber.ctx)

            async def leave() -> None:
                await fiber.dispose()
                self._owners.discard(owner)

            return leave

        return ctx.effect(install)


class _Trace:
    """One check and how much of its log it has seen. Catches up from the log itself, however late it came."""

    def __init__(self, session: Session, check: LogCheck) -> None:
        self._events = session.events
        self._check = check
        self._seen = 0 if check.judges_imported else last_imported(session.events) + 1

    def check(self, event: Event) -> None:
        if not self._check.concerns(event):
            return
        while self._seen < event.seq:
            known = self._events[self._seen]
            self._seen += 1
            if self._check.concerns(known):
                self._check.advance(known)
        self._check.check(event)


INVARIANTS: ServiceKey[Invariants] = ServiceKey("invariants")
