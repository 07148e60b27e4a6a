"""Keys type-check where they are used: what is right passes, what is wrong needs an ignore.

Strict mypy reports an ignore that hides nothing, so each one below proves an error.
"""

from __future__ import annotations

from dataclasses import dataclass

from dsh_tui.engine.kernel import Context, Disposer, Emit, Next, Parallel, Serial, ServiceKey, Waterfall


@dataclass
class Session:
    id: str


@dataclass
class Event:
    seq: int


SESSIONS: ServiceKey[dict[str, Session]] = ServiceKey("sessions")
SESSION_EVENT: Emit[[Session, Event]] = Emit("session/event")
TOOLS_CHANGE: Emit[[]] = Emit("tools/change")
SESSION_FLUSH: Parallel[[Session]] = Parallel("session/flush")
FALLBACK: Serial[[Session], str] = Serial("agent/fallback")
PRE_EXECUTE: Waterfall[[Session, Event], bool] = Waterfall("tool/pre-execute")


class Store:
    """A plugin object with everything a plugin can declare."""

    name = "store"
    inject = (SESSIONS,)

    def apply(self, ctx: Context, config: dict[str, int]) -> None:
        ctx[SESSIONS]["a"] = Session("a")


async def right(ctx: Context) -> tuple[str | None, bool]:
    def on_event(session: Session, event: Event) -> None: ...

    async def on_flush(session: Session) -> None: ...

    async def decide(session: Session, event: Event, following: Next[bool]) -> bool:
        return session.id == "a" or await following()

    async def innermost() -> bool:
        return False

    session, event = Session("a"), Event(0)
    dispose: Disposer = ctx.on(SESSION_EVENT, on_event)
    ctx.on(TOOLS_CHANGE, lambda: None, everywhere=True)
    ctx.on(SESSION_FLUSH, on_flush, prepend=True)
    ctx.on(FALLBACK, lambda session: session.id)
    ctx.on(PRE_EXECUTE, decide)
    ctx.provide(SESSIONS, {})
    await ctx.plugin(Store(), {"size": 1})
    ctx.emit(SESSION_EVENT, session, event)
    ctx.emit(TOOLS_CHANGE)
    await ctx.parallel(SESSION_FLUSH, session)
    await dispose()
    return await ctx.serial(FALLBACK, session), await ctx.waterfall(PRE_EXECUTE, innermost, session, event)


async def wrong(ctx: Context) -> None:
    async def forgets_next(session: Session, event: Event) -> bool:
        return True

    async def number() -> int:
        return 1

    ctx.emit(SESSION_EVENT, Session("a"))  # type: ignore[call-arg]  # an argument is missing
    ctx.emit(SESSION_EVENT, Event(0), Session("a"))  # type: ignore[arg-type]  # the wrong way round
    ctx.emit(SESSION_FLUSH, Session("a"))  # type: ignore[arg-type]  # another kind of dispatch
    ctx.on(SESSION_EVENT, lambda session: None)  # type: ignore[arg-type, misc]  # takes too little
    ctx.on(PRE_EXECUTE, forgets_next)  # type: ignore[arg-type]  # takes no next
    await ctx.waterfall(PRE_EXECUTE, number, Session("a"), Event(0))  # type: ignore[arg-type]  # another answer
    ctx.provide(SESSIONS, [])  # type: ignore[misc]  # another service


async def test_what_type_checks_also_runs(root: Context) -> None:
    assert await right(root) == ("a", True)
