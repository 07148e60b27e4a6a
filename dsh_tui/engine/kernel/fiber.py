"""A fiber: one mounted plugin, from waiting for services to being undone.

It loads when every injected service is there, unloads when one is lost or replaced,
and loads again with the new one. Its effects and children are one stack, undone in
reverse, one at a time, awaited. One task at a time moves a fiber, so states never race.
A failure stays in its fiber. Source: core spec §1.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel.effects import Effect, EffectBody, Owned, is_being_cancelled
from dsh_tui.engine.kernel.errors import ConfigError, KernelError
from dsh_tui.engine.kernel.internal_events import INTERNAL_STATE, INTERNAL_UPDATE
from dsh_tui.engine.kernel.keys import ServiceKey
from dsh_tui.engine.kernel.motion import Motion
from dsh_tui.engine.kernel.plugin import PluginForm
from dsh_tui.engine.kernel.services import Provision, Services, Slot
from dsh_tui.engine.kernel.state import FiberState

if TYPE_CHECKING:
    from dsh_tui.engine.kernel.context import Context

Epoch: TypeAlias = dict[Slot, Provision]
"""The very services a fiber was loaded with."""

_log = logging.getLogger(__name__)


class Fiber(Owned):
    """One plugin instance. Await it for its start; a startup error is raised there."""

    __slots__ = (
        "_doomed", "_epoch", "_form", "_new_config", "_restart", "_setups", "_slots", "_stack", "_task",
        "_validity", "children", "config", "ctx", "error", "load", "motion", "name", "parent", "services",
        "signal", "state",
    )  # fmt: skip

    def __init__(
        self,
        parent: Fiber | None,
        form: PluginForm | None,
        config: object,
        *,
        name: str,
        tree: tuple[Services, Motion],
    ) -> None:
        self.name = name
        self.parent = parent
        self.services, self.motion = tree
        self.ctx: Context
        """Set by the context that mounts the fiber, before anything can run."""
        self.state = FiberState.PENDING if form is not None else FiberState.ACTIVE
        self.error: BaseException | None = None
        """Why it is FAILED."""
        self.config = config
        """As validated, once that has happened."""
        self.load = 0
        """The number of its last loading; see `Producer`."""
        self.children: dict[Fiber, None] = {}
        """Fibers mounted from here, in order."""
        self.signal = CancelSignal()
        """Fires when the fiber is about to unload, before anything is undone: a setup that takes
        long watches it. A new one for each loading."""
        self._form = form
        self._validity: bool | None = None if form is not None else True
        self._new_config: tuple[object] | None = None
        self._slots: dict[str, Slot] = {}
        self._epoch: Epoch = {}
        self._stack: dict[Owned, None] = {}
        self._setups: list[Effect] = []
        self._task: asyncio.Task[None] | None = None
        self._doomed = False
        self._restart = False

    def __repr__(self) -> str:
        return f"<Fiber {self.name} {self.state.value}>"

    def __await__(self) -> Generator[Any, None, Fiber]:  # Any: what the loop is handed
        return self.motion.started(self).__await__()

    @property
    def is_plugin(self) -> bool:
        """False for the root and for forks, which stand for no plugin of their own."""
        return self._form is not None

    @property
    def is_moving(self) -> bool:
        return self._task is not None

    @property
    def is_loading(self) -> bool:
        return self.state is FiberState.LOADING

    @property
    def inject(self) -> Mapping[ServiceKey[Any], object]:  # Any: keys of all types
        """The services it declared, with what it gave beside each."""
        return self._form.inject if self._form is not None else {}

    def missing(self) -> tuple[str, ...]:
        """Names of the injected services that are not there."""
        return tuple(name for name, slot in self._slots.items() if self.services.find(slot, self) is None)

    def is_within(self, other: Fiber) -> bool:
        """Whether this is ``other`` or was mounted somewhere below it."""
        current: Fiber | None = self
        while current is not None:
            if current is other:
                return True
            current = current.parent
        return False

    def mount(self) -> None:
        """Take a place under the parent, and begin on the next tick."""
        if self.parent is not None:
            self.parent.own(self)
            self.parent.children[self] = None
        for key in self.inject:
            slot = self._slots[key.name] = self.ctx.slot(key)
            self.services.watch(self, slot)
        self.refresh()

    def update(self, config: object) -> Fiber:
        """Restart with another config. Await the result for the restart.

        Raises:
            ConfigError: the config is invalid; the running instance goes on undisturbed.
        """
        if self._form is None:
            raise KernelError(f"{self.name}: has no plugin to configure", code="INVALID_PLUGIN")
        self._new_config = (self._form.validate(config),)
        self.refresh()
        return self

    def dispose(self) -> Awaitable[None]:
        """Undo everything and go, for good. Begins at once; await the result for the end.

        From inside its own setup or teardown, awaiting returns at once: waiting there
        would be waiting for oneself.
        """
        if not self._doomed:
            self._doomed = True
            self.warn()
            self.refresh()
        return self.motion.gone(self)

    async def close(self) -> None:
        await self.dispose()

    def detach(self) -> None:
        if self.parent is not None:
            self.parent.drop(self)

    def effect(self, body: EffectBody, label: str | None = None) -> Effect:
        """Run the body now and remember how to undo it; see `effects`."""
        effect = Effect(self, label or str(getattr(body, "__qualname__", type(body).__qualname__)))
        self.own(effect)
        effect.begin(body)
        return effect

    def own(self, owned: Owned) -> None:
        """Put on the stack.

        Raises:
            KernelError: ``INACTIVE_EFFECT``; the fiber is not running, so nobody would undo it.
        """
        if self._doomed or self.state not in (FiberState.LOADING, FiberState.ACTIVE):
            state = "being disposed" if self._doomed else self.state.value
            raise KernelError(f"{self.name}: cannot register while {state}", code="INACTIVE_EFFECT")
        self._stack[owned] = None

    def drop(self, owned: Owned) -> None:
        """Take off the stack."""
        self._stack.pop(owned, None)

    def note_setup(self, effect: Effect) -> None:
        """Wait for an asynchronous effect before becoming ACTIVE."""
        if self.is_loading:
            self._setups.append(effect)

    def uses(self, provision: Provision) -> bool:
        return self._epoch.get(provision.slot) is provision

    def loaded_with(self, slot: Slot) -> Provision | None:
        """The provision the fiber was loaded with; its own until the last undo has run."""
        return self._epoch.get(slot)

    async def let_go(self, provision: Provision) -> None:
        """Unload because the provision goes, unless its provider is what this fiber waits for."""
        self.refresh()

        def is_over() -> bool:
            return not self.uses(provision) or self.motion.leads_to(self, provision.fiber)

        with self.motion.waiting(provision.fiber, self, is_over):
            while not is_over():
                await self.motion.change()

    def refresh(self) -> None:
        """Begin to move, if there is something to do and nothing is being done."""
        if self.is_loading and self._is_stale():
            self.warn()
        if self._task is None and self._next() is not None:
            self._task = self.motion.spawn(self, self._drive())
            self.motion.moving.add(self)

    def warn(self) -> None:
        """Fire the signal here and in setups below, which this fiber's own setup may be waiting for."""
        self.signal.cancel(f"{self.name} is unloading")
        for child in self.children:
            if child.is_loading:
                child.warn()

    def _next(self) -> Callable[[], Awaitable[None]] | None:
        state = self.state
        if state is FiberState.ACTIVE or state is FiberState.FAILED:
            if self._doomed or self._restart or self._is_stale():
                return self._unload
            return self._take_config if self._new_config is not None else None
        if state is FiberState.PENDING:
            if self._doomed:
                return self._bury
            if self._new_config is not None:
                return self._take_config
            if self._validity is None:
                return self._validate
            return self._load if self._resolve() is not None else None
        return None

    async def _drive(self) -> None:
        try:
            while (step := self._next()) is not None:
                await step()
        finally:
            self._task = None
            self.motion.moving.discard(self)
            self.motion.pulse()

    def _resolve(self) -> Epoch | None:
        found: Epoch = {}
        for slot in self._slots.values():
            provision = self.services.find(slot, self)
            if provision is None:
                return None
            found[slot] = provision
        return found

    def _is_stale(self) -> bool:
        return self._validity is True and self._resolve() != self._epoch

    async def _validate(self) -> None:
        assert self._form is not None
        try:
            self.config = self._form.validate(self.config)
            self._validity = True
        except ConfigError as error:
            self._validity = False
            self._fail(error)

    async def _take_config(self) -> None:
        assert self._new_config is not None
        (config,), self._new_config = self._new_config, None
        self._validity = True
        if self.state is not FiberState.ACTIVE:
            self.config, self._restart = config, self.state is FiberState.FAILED
            return

        async def restart() -> None:
            self._restart = True

        try:
            await self.ctx.root.waterfall(INTERNAL_UPDATE, restart, self, config)
        except Exception:  # noqa: BLE001  # a fault in taking over a config is healed by the restart
            _log.exception("%s: an update listener failed, restarting", self.name)
            self._restart = True
        self.config = config

    async def _load(self) -> None:
        assert self._form is not None
        self._epoch, self.error, self._restart = self._resolve() or {}, None, False
        self.signal = CancelSignal()
        self.load = next(self.motion.loads)
        self._move(FiberState.LOADING)
        try:
            await self._set_up(self._form)
        except asyncio.CancelledError as error:
            if is_being_cancelled():
                raise
            await self._roll_back(error)
        except Exception as error:  # noqa: BLE001  # a plugin may raise anything; it fails alone
            await self._roll_back(error)
        else:
            if self._doomed or self._is_stale():
                await self._unload()
                return
            self._move(FiberState.ACTIVE)
            self.services.announce(self)

    async def _set_up(self, form: PluginForm) -> None:
        self._setups.clear()
        main = self.effect(lambda: form.begin(self.ctx, self.config), "apply")
        await main.ready()
        for effect in self._setups:  # grows while we wait
            if not effect.error_seen:
                await effect.ready()

    async def _roll_back(self, error: BaseException) -> None:
        self._move(FiberState.UNLOADING)
        await self._undo_all()
        self._fail(error)

    def _fail(self, error: BaseException) -> None:
        if self._doomed and getattr(error, "code", None) == "INACTIVE_EFFECT":
            _log.debug("%s: disposed during its setup", self.name)
            self._move(FiberState.FAILED)
            return
        self.error = error
        if isinstance(error, ConfigError):
            _log.error("%s", error)
        else:
            _log.error("%s: failed to start", self.name, exc_info=error)
        self._move(FiberState.FAILED)

    async def _unload(self) -> None:
        self.warn()
        self._move(FiberState.UNLOADING)
        await self.services.release_outside(self)
        await self._undo_all()
        self._epoch, self._restart = {}, False
        if self._doomed:
            await self._bury()
        else:
            self.error = None
            self._move(FiberState.PENDING)

    async def _undo_all(self) -> None:
        while self._stack:
            owned = next(reversed(self._stack))
            await owned.close()
            self.drop(owned)

    async def _bury(self) -> None:
        for slot in self._slots.values():
            self.services.unwatch(self, slot)
        if self.parent is None:
            await self.motion.stop_observed()
        else:
            self.parent.drop(self)
            self.parent.children.pop(self, None)
        self._move(FiberState.DISPOSED)

    def _move(self, state: FiberState) -> None:
        self.state = state
        self.motion.pulse()
        self.ctx.root.emit(INTERNAL_STATE, self)
