"""Who listens to what, and the tuple that one dispatch calls.

A dispatch works on a snapshot: registrations during it count from the next one on.
Snapshots are cached per event and carrier and built again after any registration,
because ``session/event`` is dispatched twenty thousand times a second.
Source: core spec §1 (Dispatch), §2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from dsh_tui.engine.kernel.context import Context

Admits: TypeAlias = "Callable[[Context], bool]"
"""Says whether listeners registered on that context hear a carrier's dispatches."""

GATE = "internal/dispatch"


class Listener:
    """One registration."""

    __slots__ = ("call", "ctx", "everywhere")

    def __init__(self, call: Callable[..., Any], ctx: Context, *, everywhere: bool) -> None:
        self.call = call  # Any: typed by the key where it is registered, and by the key where it is called
        self.ctx = ctx
        self.everywhere = everywhere

    def __repr__(self) -> str:
        name = getattr(self.call, "__qualname__", None) or type(self.call).__qualname__
        return f"{name} of {self.ctx.fiber.name}"


class ListenerTable:
    """Every listener of one tree, by event, in calling order."""

    __slots__ = ("_rows", "gate", "version")

    def __init__(self) -> None:
        self._rows: dict[str, list[Listener]] = {}
        self.version = 0
        self.gate: tuple[Listener, ...] = ()
        """Listeners of `GATE`, at hand because every dispatch asks them first."""

    def add(self, event: str, listener: Listener, *, prepend: bool) -> None:
        row = self._rows.setdefault(event, [])
        row.insert(0 if prepend else len(row), listener)
        self.invalidate()

    def remove(self, event: str, listener: Listener) -> None:
        row = self._rows[event]
        row.remove(listener)
        if not row:
            del self._rows[event]
        self.invalidate()

    def invalidate(self) -> None:
        """Drop every snapshot: a registration, or what a carrier admits, has changed."""
        self.version += 1
        self.gate = tuple(self._rows.get(GATE, ()))

    def select(self, event: str, admits: Admits | None) -> tuple[Listener, ...]:
        row = self._rows.get(event, ())
        if admits is None:
            return tuple(row)
        return tuple(listener for listener in row if listener.everywhere or admits(listener.ctx))


class Snapshots:
    """What one carrier's dispatches call, by event."""

    __slots__ = ("_cache", "_version", "admits", "table")

    def __init__(self, table: ListenerTable, admits: Admits | None = None) -> None:
        self.table = table
        self.admits = admits
        self._cache: dict[str, tuple[Listener, ...]] = {}
        self._version = table.version

    def of(self, event: str) -> tuple[Listener, ...]:
        if self._version != self.table.version:
            self._cache.clear()
            self._version = self.table.version
        found = self._cache.get(event)
        if found is None:
            found = self._cache[event] = self.table.select(event, self.admits)
        return found
