"""A context: a fiber's door to the tree. What is registered through it goes with the fiber.

Contexts of one fiber differ by realm (`isolate`) and tags (`extend`); plugins mounted
from one inherit both. Every context is also the unfiltered dispatcher of its tree.
Source: core spec §1.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ParamSpec, TypeVar, cast, overload

from dsh_tui.engine.kernel.dispatch import Dispatcher
from dsh_tui.engine.kernel.effects import Effect, EffectBody
from dsh_tui.engine.kernel.errors import KernelError
from dsh_tui.engine.kernel.fiber import Fiber
from dsh_tui.engine.kernel.keys import Emit, EventKey, Next, Parallel, Serial, ServiceKey, Waterfall
from dsh_tui.engine.kernel.listeners import Admits, Listener, ListenerTable, Snapshots
from dsh_tui.engine.kernel.motion import Motion
from dsh_tui.engine.kernel.plugin import Plugin, read_plugin
from dsh_tui.engine.kernel.producer import Producer
from dsh_tui.engine.kernel.services import Services, Slot

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
A1 = TypeVar("A1")
A2 = TypeVar("A2")
A3 = TypeVar("A3")
A4 = TypeVar("A4")


class Context(Dispatcher):
    """Mount plugins, provide and read services, register effects and listeners."""

    __slots__ = ("__weakref__", "_meta", "_realms", "fiber", "parent", "root")

    def __init__(
        self,
        fiber: Fiber,
        parent: Context | None,
        snapshots: Snapshots,
        *,
        realms: Mapping[str, object],
        meta: Mapping[str, object],
    ) -> None:
        super().__init__(snapshots, fiber.motion.observed)
        self.fiber = fiber
        self.parent = parent
        self.root: Context = self if parent is None else parent.root
        self._realms = realms
        self._meta = meta

    def __repr__(self) -> str:
        return f"<Context of {self.fiber.name}>"

    @property
    def producer(self) -> Producer:
        """The plugin that acts through here, as it is loaded now."""
        fiber = self.fiber
        while not fiber.is_plugin and fiber.parent is not None:
            fiber = fiber.parent
        return Producer(fiber.name, fiber.load)

    # Plugins

    def plugin(self, plugin: Plugin, config: object = None) -> Fiber:
        """Mount a plugin. It starts on the next tick, or when its services are there.

        Raises:
            KernelError: ``INVALID_PLUGIN``, or ``INACTIVE_EFFECT`` where this fiber is not running.
                What goes wrong later is raised by awaiting the fiber.
        """
        form = read_plugin(plugin)
        fiber = Fiber(self.fiber, form, config, name=form.name, tree=(self.fiber.services, self.fiber.motion))
        return self._mount(fiber)

    def fork(self, name: str) -> Fiber:
        """A child fiber without a plugin, ACTIVE at once: a lifetime of its own to register in."""
        return self._mount(
            Fiber(self.fiber, None, None, name=name, tree=(self.fiber.services, self.fiber.motion))
        )

    def _mount(self, fiber: Fiber) -> Fiber:
        fiber.ctx = self._derived(fiber, self._realms, self._meta)
        fiber.mount()
        return fiber

    # Services

    def provide(self, key: ServiceKey[T], service: T) -> Effect:
        """Offer a service for as long as this fiber lives.

        Raises:
            KernelError: ``DUPLICATE_SERVICE`` where the realm has a provider already.
        """
        fiber, slot = self.fiber, self.slot(key)

        def body() -> Callable[[], object]:
            provision = fiber.services.put(slot, service, fiber)
            return lambda: fiber.services.withdraw(provision)

        return fiber.effect(body, f"provide {key.name}")

    def get(self, key: ServiceKey[T]) -> T | None:
        """The service if it is there, else None. For what a plugin can do without."""
        provision = self.fiber.services.find(self.slot(key), self.fiber)
        return None if provision is None else cast("T", provision.service)

    def __getitem__(self, key: ServiceKey[T]) -> T:
        """A service that the plugin (or one above it) injects or provides.

        Raises:
            KernelError: ``UNDECLARED_SERVICE``, or ``SERVICE_UNAVAILABLE`` where no plugin
                asks (the root, and forks of it), which may read any service that is there.
        """
        slot = self.slot(key)
        fiber: Fiber | None = self.fiber
        is_bound_to_inject = False
        while fiber is not None:
            is_bound_to_inject = is_bound_to_inject or fiber.is_plugin
            loaded = fiber.loaded_with(slot)
            if loaded is not None:
                return cast("T", loaded.service)
            fiber = fiber.parent
        owned = self.fiber.services.owned(slot, self.fiber)
        if owned is not None:
            return cast("T", owned.service)
        if is_bound_to_inject:
            raise KernelError(
                f"{self.fiber.name}: inject {key.name!r}, or use ctx.get() where it is optional",
                code="UNDECLARED_SERVICE",
            )
        found = self.fiber.services.find(slot, self.fiber)
        if found is None:
            raise KernelError(f"no active plugin provides {key.name!r}", code="SERVICE_UNAVAILABLE")
        return cast("T", found.service)

    def slot(self, key: ServiceKey[Any]) -> Slot:  # Any: a key of whatever type
        """Where the name leads from here."""
        return (key.name, self._realms.get(key.name))

    # Effects and listeners

    def effect(self, body: EffectBody) -> Effect:
        """Run the body now; undo what it did when the disposer is called or the fiber unloads.

        The body returns an undo, None, or a (possibly asynchronous) generator of undos.
        Await the result where the body is asynchronous; it is the disposer all the same.
        """
        return self.fiber.effect(body)

    @overload
    def on(
        self,
        event: Emit[P] | Parallel[P],
        listener: Callable[P, object],
        *,
        prepend: bool = ...,
        everywhere: bool = ...,
    ) -> Effect: ...
    @overload
    def on(
        self,
        event: Serial[P, R],
        listener: Callable[P, R | bool | None | Awaitable[R | bool | None]],
        *,
        prepend: bool = ...,
        everywhere: bool = ...,
    ) -> Effect: ...
    @overload
    def on(
        self,
        event: Waterfall[[], R],
        listener: Callable[[Next[R]], Awaitable[R]],
        *,
        prepend: bool = ...,
        everywhere: bool = ...,
    ) -> Effect: ...
    @overload
    def on(
        self,
        event: Waterfall[[A1], R],
        listener: Callable[[A1, Next[R]], Awaitable[R]],
        *,
        prepend: bool = ...,
        everywhere: bool = ...,
    ) -> Effect: ...
    @overload
    def on(
        self,
        event: Waterfall[[A1, A2], R],
        listener: Callable[[A1, A2, Next[R]], Awaitable[R]],
        *,
        prepend: bool = ...,
        everywhere: bool = ...,
    ) -> Effect: ...
    @overload
    def on(
        self,
        event: Waterfall[[A1, A2, A3], R],
        listener: Callable[[A1, A2, A3, Next[R]], Awaitable[R]],
        *,
        prepend: bool = ...,
        everywhere: bool = ...,
    ) -> Effect: ...
    @overload
    def on(
        self,
        event: Waterfall[[A1, A2, A3, A4], R],
        listener: Callable[[A1, A2, A3, A4, Next[R]], Awaitable[R]],
        *,
        prepend: bool = ...,
        everywhere: bool = ...,
    ) -> Effect: ...
    def on(
        self,
        event: EventKey,
        listener: Callable[..., Any],  # Any: the overloads above are the typed door
        *,
        prepend: bool = False,
        everywhere: bool = False,
    ) -> Effect:
        """Listen for as long as this fiber lives.

        ``prepend`` puts it before all others so far; ``everywhere`` hears every scope's
        dispatches, whatever this context is tagged with.
        """
        table, name = self._snapshots.table, event.name
        entry = Listener(listener, self, everywhere=everywhere)

        def body() -> Callable[[], object]:
            table.add(name, entry, prepend=prepend)
            return lambda: table.remove(name, entry)

        return self.fiber.effect(body, f"on {name}")

    # Derived contexts

    def isolate(
        self, key: ServiceKey[Any], label: str | None = None
    ) -> Context:  # Any: a key of whatever type
        """A context whose subtree has its own slot for the service; equal labels share one."""
        realm = object() if label is None else label
        return self._derived(self.fiber, {**self._realms, key.name: realm}, self._meta)

    def extend(self, **meta: object) -> Context:
        """A context with tags that its subtree inherits."""
        return self._derived(self.fiber, self._realms, {**self._meta, **meta})

    def meta(self, name: str) -> object | None:
        """A tag, this context's or inherited."""
        return self._meta.get(name)

    def carrier(self, admits: Admits) -> Dispatcher:
        """A dispatcher that reaches only listeners whose context is admitted."""
        return Dispatcher(Snapshots(self._snapshots.table, admits), self._observed)

    def readmit(self) -> None:
        """Ask every carrier's ``admits`` again: what it answers has changed."""
        self._snapshots.table.invalidate()

    def _derived(self, fiber: Fiber, realms: Mapping[str, object], meta: Mapping[str, object]) -> Context:
        return Context(fiber, self, self._snapshots, realms=realms, meta=meta)


def create_root() -> Context:
    """A tree of its own: the root context, with nothing mounted."""
    fiber = Fiber(None, None, None, name="root", tree=(Services(), Motion()))
    fiber.ctx = Context(fiber, None, Snapshots(ListenerTable()), realms={}, meta={})
    return fiber.ctx
