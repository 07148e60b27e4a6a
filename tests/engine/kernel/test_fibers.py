"""One plugin's life: loading, failing, being disposed, and what that does to the tree."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from dsh_tui.engine.base.cancel import Cancelled
from dsh_tui.engine.kernel import INTERNAL_STATE, Context, Fiber, FiberState, KernelError, create_root


def noted(log: list[str], name: str) -> Callable[[Context, object], None]:
    """A plugin that notes when it starts and when it is undone."""

    def apply(ctx: Context, _config: object) -> None:
        log.append(f"+{name}")
        ctx.effect(lambda: lambda: log.append(f"-{name}"))

    apply.__name__ = name
    return apply


async def test_a_plugin_starts_on_the_next_tick_and_never_inside_plugin(root: Context) -> None:
    log: list[str] = []
    fiber = root.plugin(noted(log, "a"))
    assert (log, fiber.state) == ([], FiberState.PENDING)
    assert await fiber is fiber
    assert (log, fiber.state, fiber.name) == (["+a"], FiberState.ACTIVE, "a")


class Instance:
    name = "instance"

    async def apply(self, ctx: Context, config: list[str]) -> None:
        await asyncio.sleep(0)
        config.append(ctx.fiber.name)


class Constructed:
    def __init__(self, ctx: Context, config: list[str]) -> None:
        config.append(ctx.fiber.name)


class Static:
    name = "static"

    @staticmethod
    def apply(ctx: Context, config: list[str]) -> None:
        config.append(ctx.fiber.name)


def function(ctx: Context, config: list[str]) -> None:
    config.append(ctx.fiber.name)


@pytest.mark.parametrize(
    ("plugin", "name"),
    [(Instance(), "instance"), (Constructed, "Constructed"), (Static, "static"), (function, "function")],
)
async def test_each_plugin_form_is_run_with_context_and_config(root: Context, plugin: Any, name: str) -> None:
    seen: list[str] = []
    await root.plugin(plugin, seen)
    assert seen == [name]


@pytest.mark.parametrize("plugin", [3, Instance, type("Bad", (), {"apply": 3})()])
async def test_what_cannot_be_mounted_is_refused_at_once(root: Context, plugin: Any) -> None:
    with pytest.raises(KernelError) as caught:
        root.plugin(plugin)
    assert caught.value.code == "INVALID_PLUGIN"


async def test_an_inject_that_holds_no_keys_is_refused(root: Context) -> None:
    class Wrong:
        inject = ("sessions",)

        def apply(self, ctx: Context, config: object) -> None: ...

    with pytest.raises(KernelError, match="not a ServiceKey"):
        root.plugin(Wrong())


async def test_a_tree_is_undone_in_reverse_order_of_mounting() -> None:
    log: list[str] = []

    async def bundle(ctx: Context, _config: object) -> None:
        await ctx.plugin(noted(log, "inner1"))
        await ctx.plugin(noted(log, "inner2"))

    async def slow(ctx: Context, _config: object) -> None:
        async def undo() -> None:
            await asyncio.sleep(0)
            log.append("-slow")

        ctx.effect(lambda: undo)

    root = create_root()
    for plugin in (noted(log, "first"), bundle, slow, noted(log, "last")):
        await root.plugin(plugin)
    log.clear()
    await root.fiber.dispose()
    assert log == ["-last", "-slow", "-inner2", "-inner1", "-first"]
    assert root.fiber.state is FiberState.DISPOSED
    assert not root.fiber.children


async def test_a_failed_plugin_undoes_what_it_did_and_leaves_the_tree_alone(
    root: Context, caplog: pytest.LogCaptureFixture
) -> None:
    log: list[str] = []

    def broken(ctx: Context, _config: object) -> None:
        ctx.plugin(noted(log, "child"))
        ctx.effect(lambda: lambda: log.append("undone"))
        raise ValueError("no disk")

    good = root.plugin(noted(log, "good"))
    bad = root.plugin(broken)
    with pytest.raises(ValueError, match="no disk"):
        await bad
    await good
    assert (bad.state, good.state) == (FiberState.FAILED, FiberState.ACTIVE)
    assert isinstance(bad.error, ValueError)
    assert not bad.children
    assert log == ["+good", "undone"]
    assert "broken: failed to start" in caplog.text
    await bad.dispose()
    assert bad.state is FiberState.DISPOSED


async def test_a_fault_that_only_undoing_meets_is_logged_and_undoing_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log: list[str] = []

    def plugin(ctx: Context, _config: object) -> None:
        ctx.effect(lambda: lambda: log.append("first"))
        ctx.effect(lambda: lambda: 1 // 0)

    root = create_root()
    await root.plugin(plugin)
    await root.fiber.dispose()
    assert log == ["first"]
    assert "ZeroDivisionError" in caplog.text


async def test_disposing_from_inside_setup_ends_in_disposed_with_everything_undone(root: Context) -> None:
    log: list[str] = []

    async def suicidal(ctx: Context, _config: object) -> None:
        ctx.effect(lambda: lambda: log.append("undone"))
        await ctx.fiber.dispose()
        log.append("setup over")

    fiber = root.plugin(suicidal)
    await fiber
    assert (fiber.state, log) == (FiberState.DISPOSED, ["setup over", "undone"])


async def test_a_plugin_may_dispose_the_whole_tree_from_inside_its_setup(root: Context) -> None:
    async def fatal(ctx: Context, _config: object) -> None:
        await ctx.root.fiber.dispose()

    fiber = root.plugin(fatal)
    await root.fiber
    assert (fiber.state, root.fiber.state) == (FiberState.DISPOSED, FiberState.DISPOSED)


async def test_two_that_dispose_each_other_while_being_undone_both_end(root: Context) -> None:
    fibers: list[Fiber] = []

    def deadly(other: int) -> Callable[[Context, object], None]:
        def apply(ctx: Context, _config: object) -> None:
            async def undo() -> None:
                await fibers[other].dispose()

            ctx.effect(lambda: undo)

        return apply

    fibers += [root.plugin(deadly(1)), root.plugin(deadly(0))]
    await root.fiber
    await fibers[0].dispose()
    await root.fiber
    assert [fiber.state for fiber in fibers] == [FiberState.DISPOSED] * 2


async def test_disposing_twice_and_without_awaiting_is_one_teardown(root: Context) -> None:
    log: list[str] = []
    fiber = await root.plugin(noted(log, "a"))
    fiber.dispose()
    await asyncio.gather(fiber.dispose(), fiber.dispose())
    assert log == ["+a", "-a"]


async def test_registering_on_a_fiber_that_unloads_or_is_gone_raises(root: Context) -> None:
    codes: list[str] = []

    def plugin(ctx: Context, _config: object) -> None:
        def late() -> None:
            with pytest.raises(KernelError) as caught:
                ctx.effect(lambda: None)
            codes.append(caught.value.code)

        ctx.effect(lambda: late)

    fiber = await root.plugin(plugin)
    await fiber.dispose()
    with pytest.raises(KernelError) as caught:
        fiber.ctx.plugin(plugin)
    assert [*codes, caught.value.code] == ["INACTIVE_EFFECT"] * 2


async def test_a_setup_that_is_to_be_disposed_cannot_register_any_more(root: Context) -> None:
    entered, released = asyncio.Event(), asyncio.Event()

    async def slow(ctx: Context, _config: object) -> None:
        entered.set()
        await released.wait()
        ctx.effect(lambda: None)

    fiber = root.plugin(slow)
    await entered.wait()
    gone = fiber.dispose()
    released.set()
    await gone
    assert fiber.state is FiberState.DISPOSED
    assert getattr(fiber.error, "code", None) in (None, "INACTIVE_EFFECT")


async def test_a_setup_that_hangs_can_watch_the_signal_of_its_fiber(
    root: Context, caplog: pytest.LogCaptureFixture
) -> None:
    entered = asyncio.Event()

    async def child(ctx: Context, _config: object) -> None:
        entered.set()
        await ctx.fiber.signal.race(asyncio.Event().wait())

    async def parent(ctx: Context, _config: object) -> None:
        await ctx.plugin(child)

    fiber = root.plugin(parent)
    await entered.wait()
    await fiber.dispose()
    assert fiber.state is FiberState.DISPOSED
    assert any(record.exc_info and record.exc_info[0] is Cancelled for record in caplog.records)


async def test_waiting_for_the_root_waits_until_nothing_moves(root: Context) -> None:
    fibers: list[Fiber] = []

    async def slow(ctx: Context, _config: object) -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    async def outer(ctx: Context, _config: object) -> None:
        await asyncio.sleep(0)
        fibers.append(ctx.plugin(slow))

    fibers.append(root.plugin(outer))
    await root.fiber
    assert [fiber.state for fiber in fibers] == [FiberState.ACTIVE] * 2


async def test_plugins_that_wait_for_each_other_are_told_so(root: Context) -> None:
    fibers: list[Fiber] = []

    def waits_for(other: int) -> Callable[[Context, object], Any]:
        async def apply(_ctx: Context, _config: object) -> None:
            await fibers[other]

        return apply

    fibers += [root.plugin(waits_for(1)), root.plugin(waits_for(0))]
    await root.fiber
    assert [getattr(fiber.error, "code", None) for fiber in fibers] == ["WAIT_CYCLE"] * 2


async def test_a_fork_is_a_lifetime_at_once_and_goes_with_its_parent(root: Context) -> None:
    log: list[str] = []
    fork = root.fork("session s1")
    fork.ctx.effect(lambda: lambda: log.append("undone"))
    assert fork.state is FiberState.ACTIVE
    await root.fiber.dispose()
    assert (log, fork.state) == (["undone"], FiberState.DISPOSED)


async def test_every_change_of_state_is_announced(root: Context) -> None:
    states: list[tuple[str, str]] = []
    root.on(INTERNAL_STATE, lambda fiber: states.append((fiber.name, fiber.state.value)))
    fiber = await root.plugin(noted([], "a"))
    await fiber.dispose()
    assert states == [("a", state) for state in ("loading", "active", "unloading", "disposed")]


async def test_a_plugin_may_return_its_undo_or_yield_undos(root: Context) -> None:
    log: list[str] = []

    def returning(_ctx: Context, _config: object) -> Callable[[], None]:
        return lambda: log.append("returned")

    async def yielding(_ctx: Context, _config: object) -> Any:  # an async generator
        yield lambda: log.append("one")
        await asyncio.sleep(0)
        yield lambda: log.append("two")

    for plugin in (returning, yielding):
        await (await root.plugin(plugin)).dispose()
    assert log == ["returned", "two", "one"]


async def test_a_startup_error_is_one_line_at_error_level(
    root: Context, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_ctx: Context, _config: object) -> None:
        raise OSError("port taken")

    root.plugin(broken)
    await root.fiber
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.getMessage() == "broken: failed to start"
