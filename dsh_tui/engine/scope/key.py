"""Scope keys: which object a scope stands for, and which scope is its parent.

A key is any object, compared by identity; an agent is its own key. Its parent is bound
once, by one binder, and may be bound to another only by that binder; a cycle is refused.
Keys are process-wide because identity is; a key is forgotten when its last scope is gone.
Source: core spec §2.
"""

from __future__ import annotations

from collections.abc import Iterator

from dsh_tui.engine.kernel import KernelError


class ScopeError(KernelError):
    """A scope was bound against the rules: ``SCOPE_BOUND`` or ``SCOPE_CYCLE``."""

    code = "SCOPE_BOUND"


class ScopeKey:
    """What is known of one key while a scope of it lives."""

    __slots__ = ("_binder", "holders", "key", "parent")

    def __init__(self, key: object) -> None:
        self.key = key
        self.parent: object | None = None
        self.holders = 0
        self._binder: object | None = None

    def bind(self, parent: object, binder: object) -> None:
        """Set the parent.

        Raises:
            ScopeError: somebody else has bound one, or the key would be its own ancestor.
        """
        if self._binder is not None and self._binder is not binder:
            if self.parent is parent:
                return  # says the same; the link stays the other's to change
            raise ScopeError(f"the scope of {self.key!r} has a parent that another binder set")
        if any(ancestor is self.key for ancestor in lineage(parent)):
            raise ScopeError(f"{self.key!r} would be its own ancestor", code="SCOPE_CYCLE")
        self.parent, self._binder = parent, binder

    def unbind(self, binder: object) -> None:
        """Let another binder come, if ``binder`` bound the parent. The parent stays until one does."""
        if self._binder is binder:
            self._binder = None


_known: dict[int, ScopeKey] = {}  # by id: keys need no hash, and each entry keeps its key alive


def hold(key: object) -> ScopeKey:
    """Know the key for as long as it is held."""
    entry = _known.setdefault(id(key), ScopeKey(key))
    entry.holders += 1
    return entry


def release(entry: ScopeKey) -> None:
    """Give up one `hold`."""
    entry.holders -= 1
    if entry.holders == 0:
        del _known[id(entry.key)]


def lineage(key: object) -> Iterator[object]:
    """The key, its parent, and so on, nearest first."""
    current: object | None = key
    while current is not None:
        yield current
        entry = _known.get(id(current))
        current = None if entry is None else entry.parent
