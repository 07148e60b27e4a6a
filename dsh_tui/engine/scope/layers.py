"""Named registrations in layers: one for everybody, one for each scope, nearest wins a name.

Scope layers exist only while something is in them; reading creates none. A change is
announced after it is made, and taken back if the announcement raises.
Source: core spec §2 (ScopedLayers).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from dsh_tui.engine.kernel import Context, Disposer, KernelError
from dsh_tui.engine.scope.key import lineage
from dsh_tui.engine.scope.scope import scope_of

T = TypeVar("T")


class _Layer(Generic[T]):
    __slots__ = ("entries", "key")

    def __init__(self, key: object) -> None:
        self.key = key  # held, so that its id is not given to another object
        self.entries: dict[str, T] = {}


class ScopedLayers(Generic[T]):
    """A registry's contents. A name may be taken once in each layer."""

    __slots__ = ("_everybody", "_noun", "_on_change", "_scopes")

    def __init__(self, noun: str = "name", *, on_change: Callable[[], object] | None = None) -> None:
        """``noun`` is what error messages call an entry; ``on_change`` is called after each change."""
        self._noun = noun
        self._on_change = on_change
        self._everybody: dict[str, T] = {}
        self._scopes: dict[int, _Layer[T]] = {}

    def register(self, ctx: Context, name: str, value: T) -> Disposer:
        """Add to the layer of the caller's scope, for as long as the caller's fiber lives.

        Raises:
            KernelError: ``ALREADY_REGISTERED``; the layer has that name.
        """
        key = scope_of(ctx)

        def body() -> Callable[[], None]:
            self._insert(key, name, value)
            try:
                self._changed()
            except BaseException:  # raised again; what was begun is undone first
                self._remove(key, name)
                raise
            return undo

        def undo() -> None:
            self._remove(key, name)
            self._changed()

        return ctx.effect(body)

    def view(self, key: object | None = None) -> dict[str, T]:
        """What ``key`` sees: everybody's entries, then its ancestors', then its own."""
        seen = dict(self._everybody)
        if key is not None and self._scopes:
            for scope in reversed([*lineage(key)]):
                layer = self._scopes.get(id(scope))
                if layer is not None:
                    seen.update(layer.entries)
        return seen

    def get(self, key: object | None, name: str) -> T | None:
        """The entry of that name which ``key`` sees."""
        if key is not None and self._scopes:
            for scope in lineage(key):
                layer = self._scopes.get(id(scope))
                if layer is not None and name in layer.entries:
                    return layer.entries[name]
        return self._everybody.get(name)

    def _insert(self, key: object | None, name: str, value: T) -> None:
        layer = None if key is None else self._scopes.get(id(key))
        present = self._everybody if key is None else layer.entries if layer is not None else {}
        if name in present:
            where = "" if key is None else " in this scope"
            raise KernelError(
                f"{self._noun} {name!r} is registered already{where}", code="ALREADY_REGISTERED"
            )
        if key is None:
            self._everybody[name] = value
            return
        self._scopes.setdefault(id(key), _Layer(key)).entries[name] = value

    def _remove(self, key: object | None, name: str) -> None:
        if key is None:
            del self._everybody[name]
            return
        layer = self._scopes[id(key)]
        del layer.entries[name]
        if not layer.entries:
            del self._scopes[id(key)]

    def _changed(self) -> None:
        if self._on_change is not None:
            self._on_change()
