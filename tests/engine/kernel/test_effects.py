"""Effects: order of undoing, rollback, and disposers that work once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.kernel import (
    Context,
    Emit,
    FiberState,
    KernelError,
    ServiceKey,
    Undo,
    UndoStep,
    create_root,
)

PING: Emit[[]] = Emit("test/ping")


def undo(log: list[str], name: str, *, slow: bool = False) -> Undo:
    """An undo that notes its begin and end; a slow one needs the loop."""

    async def later() -> None:
        log.append(f"{name}…")
        await asyncio.sleep(0)
        log.append(name)

    return later if slow else lambda: log.append(name)


async def test_what_needs_no_waiting_is_undone_when_the_call_returns(root: Context) -> None:
    log: list[str] = []
    dispose = root.effect(lambda: undo(log, "a"))
    dispose()
    assert log == ["a"]


async def test_a_generator_is_undone_in_reverse_one_at_a_time(root: Context) -> None:
    log: list[str] = []

    def body() -> Iterator[Undo | None]:
        yield undo(log, "one", slow=True)
        yield None
        yield undo(log, "two")
        yield undo(log, "three", slow=True)

    await root.effect(body)()
    assert log == ["three…", "three", "two", "one…", "one"]


async def test_a_second_call_awaits_the_same_teardown(root: Context) -> None:
    log: list[str] = []
    dispose = root.effect(lambda: undo(log, "a", slow=True))
    first, second = dispose(), dispose()
    assert first is second
    await second
    await first
    assert log == ["a…", "a"]


async def test_a_waiter_that_is_cancelled_does_not_stop_the_teardown(root: Context) -> None:
    log: list[str] = []
    release = asyncio.Event()

    async def slow() -> None:
        await release.wait()
        log.append("undone")

    dispose = root.effect(lambda: slow)

    async def wait() -> None:
        await dispose()

    waiter = asyncio.create_task(wait())
    await asyncio.sleep(0)
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    release.set()
    await dispose()
    assert log == ["undone"]


async def test_a_later_raise_rolls_back_what_was_yielded(root: Context) -> None:
    log: list[str] = []

    def body() -> Iterator[Undo]:
        yield undo(log, "one")
        yield undo(log, "two", slow=True)
        raise ValueError("three")

    with pytest.raises(ValueError, match="three"):
        root.effect(body)
    await root.fiber.dispose()  # the part of the rollback that needs the loop is waited for here
    assert log == ["two…", "two", "one"]


async def test_an_asynchronous_generator_rolls_back_before_its_error_is_seen(root: Context) -> None:
    log: list[str] = []

    async def body() -> AsyncIterator[Undo]:
        yield undo(log, "one")
        await asyncio.sleep(0)
        yield undo(log, "two", slow=True)
        raise ValueError("three")

    with pytest.raises(ValueError, match="three"):
        await root.effect(body)
    assert log == ["two…", "two", "one"]


async def test_a_plugin_is_active_only_after_its_asynchronous_effects(root: Context) -> None:
    log: list[str] = []

    async def body() -> Undo:
        await asyncio.sleep(0)
        log.append("ready")
        return undo(log, "undone")

    fiber = await root.plugin(lambda ctx, _config: (ctx.effect(body), None)[1])
    assert (fiber.state, log) == (FiberState.ACTIVE, ["ready"])
    await fiber.dispose()
    assert log == ["ready", "undone"]


async def test_an_asynchronous_effect_that_fails_fails_the_plugin_unless_it_was_caught(root: Context) -> None:
    async def body() -> None:
        raise ValueError("no server")

    async def careless(ctx: Context, _config: object) -> None:
        ctx.effect(body)
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def careful(ctx: Context, _config: object) -> None:
        with pytest.raises(ValueError, match="no server"):
            await ctx.effect(body)

    failed, fine = root.plugin(careless), root.plugin(careful)
    await root.fiber
    assert (failed.state, fine.state) == (FiberState.FAILED, FiberState.ACTIVE)


async def test_disposing_during_an_asynchronous_setup_waits_for_its_step_and_undoes_it(root: Context) -> None:
    log: list[str] = []
    release = asyncio.Event()

    async def body() -> AsyncIterator[Undo]:
        yield undo(log, "one")
        await release.wait()
        yield undo(log, "two")
        log.append("never")
        yield undo(log, "three")

    dispose = root.effect(body)
    await asyncio.sleep(0)
    teardown = dispose()
    assert log == []
    release.set()
    await teardown
    assert log == ["two", "one"]


async def test_a_failing_undo_is_raised_to_who_awaits_after_the_others_ran(
    root: Context, caplog: pytest.LogCaptureFixture
) -> None:
    log: list[str] = []

    def body() -> Iterator[Undo]:
        yield undo(log, "one")
        yield lambda: 1 // 0
        yield undo(log, "three", slow=True)

    with pytest.raises(ZeroDivisionError):
        await root.effect(body)()
    assert log == ["three…", "three", "one"]
    assert "an undo failed" in caplog.text


async def test_an_undo_may_cancel_a_task_and_await_it(root: Context) -> None:
    log: list[str] = []

    def body() -> Iterator[Undo]:
        yield undo(log, "one")
        task = asyncio.create_task(asyncio.Event().wait())

        async def stop() -> None:
            task.cancel()
            await task

        yield stop

    await root.effect(body)()
    assert log == ["one"]


async def test_a_body_that_awaits_something_cancelled_has_failed(root: Context) -> None:
    log: list[str] = []

    async def body() -> AsyncIterator[Undo]:
        yield undo(log, "undone")
        gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        gone.cancel()
        await gone

    fiber = root.plugin(lambda _ctx, _config: body())
    await root.fiber
    assert (fiber.state, log) == (FiberState.FAILED, ["undone"])


async def test_a_composite_takes_its_inner_effects_and_plugins_into_its_order(root: Context) -> None:
    log: list[str] = []
    key: ServiceKey[int] = ServiceKey("n")

    def child(ctx: Context, _config: object) -> None:
        ctx.effect(lambda: undo(log, "child", slow=True))

    def plugin(ctx: Context, _config: object) -> None:
        def body() -> Iterator[UndoStep]:
            yield ctx.provide(key, 1)
            yield undo(log, "after provide")
            yield ctx.plugin(child)
            yield ctx.plugin(child).dispose
            yield undo(log, "last")

        ctx.effect(body)
        ctx.effect(lambda: undo(log, "sibling"))

    fiber = await root.plugin(plugin)
    await root.fiber
    await fiber.dispose()
    assert log == ["sibling", "last", "child…", "child", "child…", "child", "after provide"]
    assert root.get(key) is None


async def test_what_is_no_undo_is_refused(root: Context) -> None:
    log: list[str] = []

    def body() -> Iterator[object]:
        yield undo(log, "one")
        yield 3

    with pytest.raises(KernelError) as caught:
        root.effect(body)  # type: ignore[arg-type]  # the mistake is the test
    assert (caught.value.code, log) == ("INVALID_EFFECT", ["one"])


async def test_an_undo_that_disposes_its_own_effect_or_fiber_does_not_hang(root: Context) -> None:
    log: list[str] = []
    disposers: list[Callable[[], Awaitable[None]]] = []

    def plugin(ctx: Context, _config: object) -> None:
        async def own() -> None:
            await disposers[0]()
            await ctx.fiber.dispose()
            log.append("undone")

        disposers.append(ctx.effect(lambda: own))

    fiber = await root.plugin(plugin)
    await disposers[0]()
    await fiber.dispose()
    assert log == ["undone"]


async def test_a_listener_is_an_effect(root: Context) -> None:
    log: list[str] = []

    def plugin(ctx: Context, _config: object) -> None:
        ctx.on(PING, lambda: log.append("pong"))

    fiber = await root.plugin(plugin)
    root.emit(PING)
    await fiber.dispose()
    root.emit(PING)
    assert log == ["pong"]


@given(
    shape=st.lists(st.lists(st.booleans(), max_size=4), max_size=5),
    early=st.lists(st.integers(0, 4), max_size=3),
)
def test_everything_is_undone_once_and_in_reverse_within_each_effect(
    shape: list[list[bool]], early: list[int]
) -> None:
    log: list[tuple[int, int]] = []

    def step(effect: int, index: int, *, slow: bool) -> Undo:
        async def later() -> None:
            await asyncio.sleep(0)
            log.append((effect, index))

        return later if slow else lambda: log.append((effect, index))

    async def run() -> None:
        root = create_root()

        def body(effect: int, steps: list[bool]) -> Iterator[Undo]:
            for index, slow in enumerate(steps):
                yield step(effect, index, slow=slow)

        disposers = [root.effect(lambda n=n, steps=steps: body(n, steps)) for n, steps in enumerate(shape)]  # type: ignore[misc]  # late binding
        for index in early:
            if index < len(disposers):
                disposers[index]()
        await root.fiber.dispose()

    asyncio.run(run())
    assert sorted(log) == [(n, index) for n, steps in enumerate(shape) for index in range(len(steps))]
    for n in range(len(shape)):
        order = [index for effect, index in log if effect == n]
        assert order == sorted(order, reverse=True)
