"""Typed names: what a service is, and what an event carries and how it is dispatched.

A key is a module constant. Its type parameters make registrations and calls
type-check; at run time only the name counts, so that a reloaded module meets the
registrations of the old one.

    SESSIONS: ServiceKey[SessionStore] = ServiceKey("sessions")
    SESSION_EVENT: Emit[[Session, Event]] = Emit("session/event")

Source: core spec §1.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, ParamSpec, TypeAlias, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

Next: TypeAlias = Callable[[], Awaitable[R]]
"""What a waterfall listener calls, once at most, to let the rest of the chain decide."""


class ServiceKey(Generic[T]):
    """Names a service of type ``T``. Two keys of one name are one key."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ServiceKey) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"ServiceKey({self.name!r})"


class EventKey:
    """Names an event; the subclass says how it is dispatched."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class Emit(EventKey, Generic[P]):
    """A fact. Listeners hear it in order and cannot answer."""

    __slots__ = ()


class Parallel(EventKey, Generic[P]):
    """A fact whose listeners work at the same time and are all waited for."""

    __slots__ = ()


class Serial(EventKey, Generic[P, R]):
    """A question. Listeners are asked in order until one answers."""

    __slots__ = ()


class Waterfall(EventKey, Generic[P, R]):
    """A decision. Each listener may answer itself, or call ``next`` and change the answer."""

    __slots__ = ()
