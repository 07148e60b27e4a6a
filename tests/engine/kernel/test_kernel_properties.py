"""What holds for any tree, whatever is mounted, disposed and replaced, and however slow it is."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_tui.engine.kernel import Context, Fiber, FiberState, KernelError, ServiceKey, create_root

KEYS: tuple[ServiceKey[str], ...] = tuple(ServiceKey(name) for name in "abcd")


@dataclass
class Part:
    """A plugin that uses some services and provides one, at its own pace."""

    inject: tuple[ServiceKey[str], ...]
    provides: ServiceKey[str] | None
    turns: int
    fails: bool
    child: Part | None = None
    running: list[str] = field(default_factory=list)
    is_sound: bool = True
    name: str = "part"

    async def apply(self, ctx: Context, _config: object) -> None:
        ctx.effect(lambda: self._run(ctx))
        for _ in range(self.turns):
            await asyncio.sleep(0)
        self._use(ctx)
        if self.provides is not None:
            ctx.provide(self.provides, "service")
        if self.child is not None:
            with contextlib.suppress(ValueError, KernelError):
                await ctx.plugin(self.child.fresh())
        if self.fails:
            raise ValueError("as planned")

    def fresh(self) -> Part:
        return Part(self.inject, self.provides, self.turns, self.fails, self.child)

    def _run(self, ctx: Context) -> Callable[[], Awaitable[None]]:
        self.running.append("on")

        async def end() -> None:
            self._use(ctx)
            for _ in range(self.turns):
                await asyncio.sleep(0)
            self._use(ctx)
            self.running.pop()

        return end

    def _use(self, ctx: Context) -> None:
        # The kernel contains what a plugin raises, so a fault is kept to be looked at.
        self.is_sound &= self.running == ["on"]
        self.is_sound &= all(ctx[key] == "service" for key in self.inject)


def _parts(child: st.SearchStrategy[Part | None]) -> st.SearchStrategy[Part]:
    return st.builds(
        Part,
        inject=st.lists(st.sampled_from(KEYS), max_size=2, unique=True).map(tuple),
        provides=st.none() | st.sampled_from(KEYS),
        turns=st.integers(0, 3),
        fails=st.sampled_from([False, False, False, True]),
        child=child,
    )


parts = _parts(st.none() | _parts(st.none()))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("mount"), parts, st.integers(0, 20)),
        st.tuples(st.just("dispose"), st.integers(0, 20), st.booleans()),
        st.tuples(st.just("tick"), st.integers(1, 4), st.none()),
        st.tuples(st.just("settle"), st.none(), st.none()),
    ),
    max_size=25,
)


def check_at_rest(root: Context, fibers: list[tuple[Fiber, Part]]) -> None:
    for fiber, part in fibers:
        is_up = fiber.state is FiberState.ACTIVE
        assert part.is_sound
        assert part.running == (["on"] if is_up else [])
        assert fiber.state not in (FiberState.LOADING, FiberState.UNLOADING)
        if is_up:
            assert not fiber.missing()
        elif fiber.state is FiberState.PENDING:
            assert fiber.missing()
        elif fiber.state is FiberState.FAILED:
            assert "as planned" in str(fiber.error) or "is provided by" in str(fiber.error)
    assert not root.fiber.motion.moving


@settings(max_examples=150, deadline=None)
@given(steps=steps)
def test_at_rest_everything_that_can_run_runs_and_after_disposal_nothing_does(
    steps: list[tuple[str, object, object]],
) -> None:
    async def run() -> None:
        root = create_root()
        fibers: list[tuple[Fiber, Part]] = []
        for verb, first, second in steps:
            if verb == "mount" and isinstance(first, Part) and isinstance(second, int):
                mount(root, fibers, first, second)
            elif verb == "dispose" and isinstance(first, int) and fibers:
                gone = fibers[first % len(fibers)][0].dispose()
                if second:
                    await gone
            elif verb == "tick" and isinstance(first, int):
                for _ in range(first):
                    await asyncio.sleep(0)
            elif verb == "settle":
                await root.fiber
                check_at_rest(root, fibers)
        await root.fiber
        check_at_rest(root, fibers)
        await root.fiber.dispose()
        assert all(fiber.state is FiberState.DISPOSED and part.is_sound for fiber, part in fibers)
        assert all(part.running == [] for _, part in fibers)
        assert len(asyncio.all_tasks()) == 1

    async def in_time() -> None:
        async with asyncio.timeout(5):  # a wait without end is what this test is for
            await run()

    asyncio.run(in_time())


def mount(root: Context, fibers: list[tuple[Fiber, Part]], part: Part, place: int) -> None:
    parents = [root, *(fiber.ctx for fiber, _ in fibers)]
    plugin = part.fresh()
    try:
        fibers.append((parents[place % len(parents)].plugin(plugin), plugin))
    except KernelError as error:
        if error.code != "INACTIVE_EFFECT":
            raise
