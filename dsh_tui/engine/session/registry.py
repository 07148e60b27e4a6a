"""The open registry of event types: tag → what its data must look like.

Only registered types enter a log. Core types are built in (`session.core_types`); a plugin
adds its own for as long as it lives, and those are marked ignorable by default, so that a
log stays readable once the plugin is gone. Validators are hand-written: they run on every
append, and a schema library would cost more than the append itself.
Source: core spec §3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from dsh_tui.engine.base.frozen import FrozenDict, LosslessError, freeze
from dsh_tui.engine.session.errors import InvalidEventError

if TYPE_CHECKING:
    from dsh_tui.engine.kernel import Context, Disposer
    from dsh_tui.engine.llm.messages import Message
    from dsh_tui.engine.session.event import Event

Validate: TypeAlias = Callable[[Mapping[str, Any]], str | None]  # Any: JSON of any shape goes in
Project: TypeAlias = "Callable[[Event], Message | None]"


def accept_any(_data: Mapping[str, Any]) -> str | None:  # Any: see Validate
    """The validator of a type that promises nothing about its data."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventType:
    """What a tag stands for. ``validate`` answers with what is wrong, or None."""

    tag: str
    validate: Validate = accept_any
    surface: bool = False
    """Its events are part of what the model sees."""
    project: Project | None = None
    """Turns a surface event into a message; None for the core types, which `session.derive` knows."""
    ignorable: bool = True
    """A reader that does not know the type may skip its events."""
    about: str = field(default="", compare=False)
    """What an event of it says, for the reader of a log; docs/events.md is made from it."""


class EventTypes:
    """Registered types by tag. One tag has one meaning at a time."""

    def __init__(self) -> None:
        self._types: dict[str, EventType] = {}
        self._holders: dict[str, int] = {}

    def get(self, tag: str) -> EventType | None:
        return self._types.get(tag)

    def __contains__(self, tag: object) -> bool:
        return tag in self._types

    def add(self, kind: EventType) -> Callable[[], None]:
        """Register; the result takes it away. The same type may be added by several trees of plugins.

        Raises:
            InvalidEventError: the tag already means something else.
        """
        tag = kind.tag
        known = self._types.get(tag)
        if known is not None and known is not kind and known != kind:
            raise InvalidEventError(f"event type {tag!r} is registered already with another meaning")
        self._types[tag] = kind
        self._holders[tag] = self._holders.get(tag, 0) + 1
        left = [tag]

        def remove() -> None:
            if not left:
                return
            left.clear()
            self._holders[tag] -= 1
            if not self._holders[tag]:
                del self._holders[tag], self._types[tag]

        return remove

    def check(self, tag: str, data: Mapping[str, Any]) -> tuple[EventType, FrozenDict]:  # Any: see Validate
        """The type and the frozen, valid data.

        Raises:
            InvalidEventError: unknown tag, data that is not JSON, or not of the type's shape.
        """
        kind = self._types.get(tag)
        if kind is None:
            raise InvalidEventError(f"event type {tag!r} is not registered")
        try:
            frozen = freeze(data, path=tag)
        except LosslessError as error:
            raise InvalidEventError(error.message) from error
        if type(frozen) is not FrozenDict:
            raise InvalidEventError(f"{tag}: data must be an object")
        problem = kind.validate(frozen)
        if problem is not None:
            raise InvalidEventError(f"{tag}: {problem}")
        return kind, frozen


EVENT_TYPES = EventTypes()


def register_event_type(ctx: Context, kind: EventType) -> Disposer:
    """Register a plugin's type as an effect of its context."""

    def install() -> Iterator[Callable[[], None]]:
        yield EVENT_TYPES.add(kind)

    return ctx.effect(install)
