"""Scopes: registrations that belong to one agent, and events that reach only its own.

A scope is a child fiber whose context is tagged with the key: what is registered there
is seen by that agent and ends with the scope. Its events reach untagged listeners and
those tagged with the key or an ancestor of it, never a sibling's or a descendant's.
Source: core spec §2.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from dsh_tui.engine.kernel import Context, Dispatcher
from dsh_tui.engine.scope.key import hold, lineage, release

_TAG = "scope"


@dataclass(frozen=True, slots=True)
class ScopeHandle:
    """A scope, held by the one who created it."""

    ctx: Context
    """Register here what only this scope's key shall see."""
    dispose: Callable[[], Awaitable[None]]
    """Undo everything registered through ``ctx``; a second call awaits the same."""
    rebind: Callable[[object], None]
    """Give the key another parent; only for the handle that bound the present one."""


def create_scope(ctx: Context, key: object, parent: object | None = None) -> ScopeHandle:
    """A scope of ``key`` that lives no longer than ``ctx``. Several scopes may share a key.

    Raises:
        ScopeError: the parent contradicts one that is bound, or makes a cycle.
    """
    entry = hold(key)
    binder = object()
    try:
        if parent is not None:
            entry.bind(parent, binder)
        fiber = ctx.extend(**{_TAG: key}).fork(f"scope of {ctx.fiber.name}")
    except BaseException:  # raised again; what was begun is undone first
        entry.unbind(binder)
        release(entry)
        raise

    def forget() -> None:
        entry.unbind(binder)
        release(entry)
        ctx.readmit()

    # The first effect is undone last: the parent link holds while the scope's own are undone.
    fiber.effect(lambda: forget, "scope")
    ctx.readmit()

    def rebind(new_parent: object) -> None:
        entry.bind(new_parent, binder)
        ctx.readmit()

    return ScopeHandle(fiber.ctx, fiber.dispose, rebind)


def scope_of(ctx: Context) -> object | None:
    """The key that the context is tagged with, itself or inherited."""
    return ctx.meta(_TAG)


def scope_target(ctx: Context, key: object | None) -> Dispatcher:
    """A dispatcher to the listeners that belong to ``key``; without one, to untagged ones only.

    Keep it where events are frequent: it remembers whom it reaches.
    """
    return ctx.carrier(_Admission(key))


def scope_key(carrier: Dispatcher) -> object | None:
    """The key that a dispatcher of `scope_target` was made for; None for any other."""
    admits = carrier.admits
    return admits.key if isinstance(admits, _Admission) else None


class _Admission:
    """Admits untagged contexts, and those tagged with the key or an ancestor of it."""

    __slots__ = ("key",)

    def __init__(self, key: object | None) -> None:
        self.key = key

    def __call__(self, ctx: Context) -> bool:
        tag = scope_of(ctx)
        return tag is None or (self.key is not None and any(one is tag for one in lineage(self.key)))
