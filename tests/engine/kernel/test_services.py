"""Services: who sees them, when, and what happens to those who use them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

import pytest

from dsh_tui.engine.kernel import Context, Effect, FiberState, KernelError, ServiceKey, create_root

NUMBER: ServiceKey[int] = ServiceKey("number")
WORD: ServiceKey[str] = ServiceKey("word")


class Reader:
    """Loads with the number, notes it, and notes what it still sees while it is undone."""

    inject = (NUMBER,)

    def __init__(self, log: list[str], name: str = "reader") -> None:
        self.name = name
        self._log = log

    def apply(self, ctx: Context, _config: object) -> None:
        self._log.append(f"{self.name}+{ctx[NUMBER]}")
        ctx.effect(lambda: lambda: self._log.append(f"{self.name}-{ctx[NUMBER]}"))


def provider(value: int, log: list[str] | None = None) -> Callable[[Context, object], None]:
    def apply(ctx: Context, _config: object) -> None:
        ctx.provide(NUMBER, value)
        if log is not None:
            ctx.effect(lambda: lambda: log.append(f"provider-{value}"))

    return apply


async def test_a_plugin_waits_until_its_services_are_there(root: Context) -> None:
    log: list[str] = []
    reader = root.plugin(Reader(log))
    await reader
    assert (reader.state, reader.missing()) == (FiberState.PENDING, ("number",))
    root.plugin(provider(1))
    await reader
    assert (reader.state, reader.missing(), log) == (FiberState.ACTIVE, (), ["reader+1"])


async def test_awaiting_a_plugin_waits_for_providers_that_are_still_starting(root: Context) -> None:
    reader = root.plugin(Reader([]))

    async def slow(ctx: Context, _config: object) -> None:
        await asyncio.sleep(0)
        ctx.provide(NUMBER, 1)

    root.plugin(slow)
    assert (await reader).state is FiberState.ACTIVE


async def test_a_bundle_may_await_a_child_that_misses_a_service(root: Context) -> None:
    async def bundle(ctx: Context, _config: object) -> None:
        await ctx.plugin(Reader([]))

    fiber = await root.plugin(bundle)
    assert [child.missing() for child in fiber.children] == [("number",)]


async def test_a_replaced_service_reloads_who_uses_it(root: Context) -> None:
    log: list[str] = []
    reader = root.plugin(Reader(log))
    first = await root.plugin(provider(1))
    await reader
    await first.dispose()
    assert reader.state is FiberState.PENDING
    root.plugin(provider(2))
    await reader
    assert log == ["reader+1", "reader-1", "reader+2"]


async def test_users_are_undone_first_and_see_the_service_to_their_end(root: Context) -> None:
    log: list[str] = []
    fiber = await root.plugin(provider(1, log))
    for name in ("a", "b"):
        await root.plugin(Reader(log, name))
    log.clear()
    await fiber.dispose()
    assert log == ["b-1", "a-1", "provider-1"]


async def test_the_owner_keeps_its_service_until_the_last_user_has_let_go(root: Context) -> None:
    log: list[int | None] = []
    release = asyncio.Event()

    class Slow:
        inject = (NUMBER,)

        def apply(self, ctx: Context, _config: object) -> None:
            ctx.effect(lambda: release.wait)

    provided = root.provide(NUMBER, 7)
    await root.plugin(Slow())
    teardown = provided()
    log += [root.get(NUMBER), root[NUMBER]]
    with pytest.raises(KernelError) as caught:
        root.provide(NUMBER, 8)
    release.set()
    await teardown
    root.provide(NUMBER, 9)
    assert (log, caught.value.code, root[NUMBER]) == ([None, 7], "DUPLICATE_SERVICE", 9)


async def test_a_user_that_is_still_loading_finishes_and_is_undone_before_the_service_goes(
    root: Context,
) -> None:
    log: list[str] = []
    entered, proceed = asyncio.Event(), asyncio.Event()

    class Slow:
        inject = (NUMBER,)

        async def apply(self, ctx: Context, _config: object) -> None:
            ctx.effect(lambda: lambda: log.append("undone"))
            entered.set()
            await proceed.wait()
            log.append(f"still {ctx[NUMBER]}")

    fiber = await root.plugin(provider(1, log))
    root.plugin(Slow())
    await entered.wait()
    gone = fiber.dispose()
    proceed.set()
    await gone
    assert log == ["still 1", "undone", "provider-1"]


async def test_a_user_may_dispose_its_own_provider_from_inside_setup(root: Context) -> None:
    fiber = await root.plugin(provider(1))

    class Ungrateful:
        inject = (NUMBER,)

        async def apply(self, ctx: Context, _config: object) -> None:
            await fiber.dispose()

    user = root.plugin(Ungrateful())
    await root.fiber
    assert (fiber.state, user.state) == (FiberState.DISPOSED, FiberState.PENDING)


async def test_get_sees_active_providers_only_and_never_raises(root: Context) -> None:
    seen: list[int | None] = []
    started, proceed = asyncio.Event(), asyncio.Event()

    async def slow(ctx: Context, _config: object) -> None:
        ctx.provide(NUMBER, 1)
        seen.append(ctx.get(NUMBER))
        started.set()
        await proceed.wait()

    fiber = root.plugin(slow)
    await started.wait()
    seen.append(root.get(NUMBER))
    proceed.set()
    await fiber
    seen.append(root.get(NUMBER))
    await fiber.dispose()
    seen.append(root.get(NUMBER))
    assert seen == [1, None, 1, None]


async def test_an_undeclared_service_raises_and_says_what_to_do(root: Context) -> None:
    root.provide(NUMBER, 1)

    def other(ctx: Context, _config: object) -> None:
        assert ctx[NUMBER] == 1  # provided by an ancestor
        ctx[WORD]

    with pytest.raises(KernelError, match=r"other: inject 'word'") as caught:
        await root.plugin(other)
    assert caught.value.code == "UNDECLARED_SERVICE"


async def test_children_may_read_what_an_ancestor_injects(root: Context) -> None:
    log: list[int] = []

    class Parent:
        inject: ClassVar = {NUMBER: {"unit": "m"}}

        async def apply(self, ctx: Context, _config: object) -> None:
            await ctx.plugin(lambda child, _config: log.append(child[NUMBER]))
            log.append(ctx.fork("part").ctx[NUMBER])

    root.plugin(provider(3))
    fiber = await root.plugin(Parent())
    assert (log, dict(fiber.inject)) == ([3, 3], {NUMBER: {"unit": "m"}})


async def test_the_root_reads_any_active_service_and_is_told_when_there_is_none(root: Context) -> None:
    with pytest.raises(KernelError) as caught:
        root[NUMBER]
    await root.plugin(provider(1))
    assert (caught.value.code, root[NUMBER], root.fork("f").ctx[NUMBER]) == ("SERVICE_UNAVAILABLE", 1, 1)


async def test_a_second_provider_in_one_realm_fails_and_the_first_stays(root: Context) -> None:
    await root.plugin(provider(1))
    second = root.plugin(provider(2))
    with pytest.raises(KernelError, match="provided by apply already"):
        await second
    assert root[NUMBER] == 1


async def test_a_service_of_a_plugin_that_failed_is_never_seen(root: Context) -> None:
    log: list[str] = []

    def broken(ctx: Context, _config: object) -> None:
        ctx.provide(NUMBER, 1)
        raise ValueError

    reader = root.plugin(Reader(log))
    root.plugin(broken)
    await root.fiber
    assert (log, reader.state) == ([], FiberState.PENDING)
    assert (await root.plugin(provider(2))).state is FiberState.ACTIVE


async def test_a_plugin_that_failed_tries_again_with_a_replaced_service(root: Context) -> None:
    class Picky:
        inject = (NUMBER,)

        def apply(self, ctx: Context, _config: object) -> None:
            if ctx[NUMBER] < 2:
                raise ValueError("too small")

    first = await root.plugin(provider(1))
    picky = root.plugin(Picky())
    await root.fiber
    assert picky.state is FiberState.FAILED
    await first.dispose()
    assert (picky.state, picky.error) == (FiberState.PENDING, None)
    await root.plugin(provider(2))
    assert (await picky).state is FiberState.ACTIVE


async def test_an_isolated_subtree_has_its_own_service_and_equal_labels_share_one(root: Context) -> None:
    root.provide(NUMBER, 0)
    alone, one, same = root.isolate(NUMBER), root.isolate(NUMBER, "x"), root.isolate(NUMBER, "x")
    one.provide(NUMBER, 1)
    log: list[str] = []
    await same.plugin(Reader(log, "same"))
    await root.plugin(Reader(log, "outer"))
    pending = await alone.plugin(Reader(log, "alone"))
    assert log == ["same+1", "outer+0"]
    assert pending.missing() == ("number",)
    assert (alone.get(NUMBER), same.get(NUMBER), root.get(NUMBER)) == (None, 1, 0)


async def test_tags_are_inherited_by_subtrees_and_not_by_siblings(root: Context) -> None:
    seen: list[object] = []
    tagged = root.extend(colour="red").extend(size=3)
    await tagged.plugin(lambda ctx, _config: seen.extend([ctx.meta("colour"), ctx.meta("size")]))
    assert seen == ["red", 3]
    assert root.meta("colour") is None


async def test_a_chain_of_services_is_undone_from_its_end() -> None:
    log: list[str] = []

    class Middle:
        inject = (NUMBER,)

        def apply(self, ctx: Context, _config: object) -> None:
            ctx.provide(WORD, str(ctx[NUMBER]))
            ctx.effect(lambda: lambda: log.append("middle"))

    class End:
        inject = (WORD,)

        def apply(self, ctx: Context, _config: object) -> Effect:
            return ctx.effect(lambda: lambda: log.append(f"end {ctx[WORD]}"))

    root = create_root()
    root.plugin(End())
    root.plugin(Middle())
    first = root.plugin(provider(5, log))
    await root.fiber
    await first.dispose()
    assert log == ["end 5", "middle", "provider-5"]
    await root.fiber.dispose()
