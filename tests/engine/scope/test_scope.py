"""Scopes: whose listeners hear an event, and what ends with a scope."""

from __future__ import annotations

import pytest

from dsh_tui.engine.kernel import INTERNAL_DISPATCH, Context, Emit, FiberState, KernelError
from dsh_tui.engine.scope import ScopeError, create_scope, scope_of, scope_target

TOLD: Emit[[str]] = Emit("test/told")


class Key:
    """Compared by identity, whatever it says; not even hashable."""

    __hash__ = None  # type: ignore[assignment]  # keys need no hash

    def __eq__(self, _other: object) -> bool:
        return True


async def test_a_scopes_event_reaches_its_own_its_ancestors_and_untagged_listeners_only(
    root: Context,
) -> None:
    log: list[str] = []
    preset, agent, sibling, below = Key(), Key(), Key(), Key()
    root.on(TOLD, lambda _text: log.append("untagged"))
    for name, key, parent in (
        ("preset", preset, None),
        ("agent", agent, preset),
        ("sibling", sibling, preset),
        ("below", below, agent),
    ):
        create_scope(root, key, parent).ctx.on(TOLD, lambda _text, name=name: log.append(name))  # type: ignore[misc]  # late binding
    scope_target(root, agent).emit(TOLD, "x")
    assert log == ["untagged", "preset", "agent"]
    log.clear()
    scope_target(root, None).emit(TOLD, "x")
    assert log == ["untagged"]
    log.clear()
    root.emit(TOLD, "x")
    assert log == ["untagged", "preset", "agent", "sibling", "below"]


async def test_a_listener_everywhere_hears_every_scope(root: Context) -> None:
    log: list[str] = []
    create_scope(root, Key()).ctx.on(TOLD, log.append, everywhere=True)
    scope_target(root, Key()).emit(TOLD, "x")
    scope_target(root, None).emit(TOLD, "y")
    assert log == ["x", "y"]


async def test_a_kept_dispatcher_learns_of_registrations_and_new_parents(root: Context) -> None:
    log: list[str] = []
    old, new, agent = Key(), Key(), Key()
    target = scope_target(root, agent)
    target.emit(TOLD, "none")
    scope = create_scope(root, agent, old)
    create_scope(root, old).ctx.on(TOLD, lambda _text: log.append("old"))
    create_scope(root, new).ctx.on(TOLD, lambda _text: log.append("new"))
    target.emit(TOLD, "x")
    scope.rebind(new)
    target.emit(TOLD, "x")
    assert log == ["old", "new"]


async def test_plugins_mounted_in_a_scope_belong_to_it_and_end_with_it(root: Context) -> None:
    log: list[str] = []
    agent = Key()
    scope = create_scope(root, agent)

    def plugin(ctx: Context, _config: object) -> None:
        assert scope_of(ctx) is agent
        ctx.on(TOLD, log.append)

    fiber = await scope.ctx.plugin(plugin)
    scope_target(root, agent).emit(TOLD, "mine")
    scope_target(root, Key()).emit(TOLD, "another's")
    await scope.dispose()
    await scope.dispose()
    scope_target(root, agent).emit(TOLD, "late")
    assert (log, fiber.state, scope_of(root)) == (["mine"], FiberState.DISPOSED, None)
    with pytest.raises(KernelError):
        scope.ctx.on(TOLD, log.append)


async def test_a_scope_ends_with_the_fiber_that_created_it(root: Context) -> None:
    agent = Key()

    def plugin(ctx: Context, _config: object) -> None:
        create_scope(ctx, agent, Key()).ctx.on(TOLD, lambda _text: None)

    await (await root.plugin(plugin)).dispose()
    create_scope(root, agent, Key())  # the old parent is forgotten with its scope


async def test_only_who_bound_the_parent_may_change_it(root: Context) -> None:
    parent, agent = Key(), Key()
    first = create_scope(root, agent, parent)
    second = create_scope(root, agent, parent)  # says the same
    create_scope(root, agent)  # says nothing
    for attempt in (lambda: create_scope(root, agent, Key()), lambda: second.rebind(Key())):
        with pytest.raises(ScopeError) as caught:
            attempt()
        assert caught.value.code == "SCOPE_BOUND"
    first.rebind(Key())


async def test_a_cycle_of_parents_is_refused(root: Context) -> None:
    a, b, c = Key(), Key(), Key()
    create_scope(root, b, a)
    create_scope(root, c, b)
    for key, parent in ((a, c), (a, a)):
        with pytest.raises(ScopeError) as caught:
            create_scope(root, key, parent)
        assert caught.value.code == "SCOPE_CYCLE"
    create_scope(root, a)


async def test_a_checker_of_dispatches_sees_the_carrier(root: Context) -> None:
    target = scope_target(root, Key())
    seen: list[bool] = []
    root.on(INTERNAL_DISPATCH, lambda dispatch: seen.append(dispatch.carrier is target))
    target.emit(TOLD, "x")
    root.emit(TOLD, "x")
    assert seen == [True, False]
