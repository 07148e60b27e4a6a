"""The services of one tree: one slot per name and realm, one provider per slot.

A service counts as there when its provider is ACTIVE; the provider's own subtree sees
it from the moment it is provided until it is withdrawn. Withdrawing tells dependents
and waits until the last of them has unloaded; only then is the slot free.
Source: core spec §1 (inject).
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, TypeAlias

from dsh_tui.engine.kernel.errors import KernelError
from dsh_tui.engine.kernel.state import FiberState

if TYPE_CHECKING:
    from dsh_tui.engine.kernel.fiber import Fiber

Slot: TypeAlias = tuple[str, object]
"""A service's name and the realm's label (None where nothing isolates the name)."""


class Provision:
    """One service in its slot. Compared by identity: a replacement is another provision."""

    __slots__ = ("fiber", "service", "slot", "withdrawn")

    def __init__(self, slot: Slot, service: object, fiber: Fiber) -> None:
        self.slot = slot
        self.service = service
        self.fiber = fiber
        self.withdrawn = False

    def is_there_for(self, reader: Fiber) -> bool:
        if self.withdrawn:
            return False
        return self.fiber.state is FiberState.ACTIVE or reader.is_within(self.fiber)


class Services:
    """Finds services and tells dependents of changes."""

    __slots__ = ("_dependents", "_slots")

    def __init__(self) -> None:
        self._slots: dict[Slot, Provision] = {}
        self._dependents: dict[Slot, dict[Fiber, None]] = {}

    def find(self, slot: Slot, reader: Fiber) -> Provision | None:
        provision = self._slots.get(slot)
        return provision if provision is not None and provision.is_there_for(reader) else None

    def owned(self, slot: Slot, reader: Fiber) -> Provision | None:
        """The provision of the reader itself or an ancestor, even while it is withdrawn."""
        provision = self._slots.get(slot)
        return provision if provision is not None and reader.is_within(provision.fiber) else None

    def put(self, slot: Slot, service: object, fiber: Fiber) -> Provision:
        """Occupy a slot.

        Raises:
            KernelError: ``DUPLICATE_SERVICE``; order must not decide who provides.
        """
        present = self._slots.get(slot)
        if present is not None:
            raise KernelError(
                f"{fiber.name}: service {slot[0]!r} is provided by {present.fiber.name} already",
                code="DUPLICATE_SERVICE",
            )
        provision = self._slots[slot] = Provision(slot, service, fiber)
        self._tell(slot)
        return provision

    def withdraw(self, provision: Provision) -> Awaitable[None] | None:
        """Hide the service at once; the result (if any) ends when nobody uses it and the slot is free."""
        provision.withdrawn = True
        if self._users(provision):
            return self._vacate(provision)
        del self._slots[provision.slot]
        return None

    def announce(self, provider: Fiber) -> None:
        """Tell dependents that the provider became ACTIVE."""
        for provision in [*self._slots.values()]:
            if provision.fiber is provider:
                self._tell(provision.slot)

    async def release_outside(self, provider: Fiber) -> None:
        """Wait until dependents outside the provider's subtree have unloaded, last mounted first.

        They go before anything of the provider is undone; those inside go in their turn.
        """
        for provision in [*self._slots.values()]:
            if provision.fiber is provider:
                for user in self._users(provision):
                    if not user.is_within(provider):
                        await user.let_go(provision)

    def watch(self, fiber: Fiber, slot: Slot) -> None:
        self._dependents.setdefault(slot, {})[fiber] = None

    def unwatch(self, fiber: Fiber, slot: Slot) -> None:
        dependents = self._dependents.get(slot, {})
        dependents.pop(fiber, None)
        if not dependents:
            self._dependents.pop(slot, None)

    def _users(self, provision: Provision) -> list[Fiber]:
        dependents = self._dependents.get(provision.slot, ())
        return [fiber for fiber in reversed([*dependents]) if fiber.uses(provision)]

    async def _vacate(self, provision: Provision) -> None:
        try:
            for user in self._users(provision):
                await user.let_go(provision)
        finally:
            del self._slots[provision.slot]

    def _tell(self, slot: Slot) -> None:
        for fiber in [*self._dependents.get(slot, ())]:
            fiber.refresh()
