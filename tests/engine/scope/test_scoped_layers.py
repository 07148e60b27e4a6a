"""Layers: nearest wins, names are taken once a layer, and undoing is exact."""

from __future__ import annotations

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.kernel import Context, KernelError, create_root
from dsh_tui.engine.scope import ScopedLayers, create_scope


class Key:
    pass


async def test_the_nearest_layer_wins_a_name(root: Context) -> None:
    layers: ScopedLayers[str] = ScopedLayers("tool")
    preset, agent, other = Key(), Key(), Key()
    preset_scope, agent_scope = create_scope(root, preset), create_scope(root, agent, preset)
    layers.register(root, "bash", "everybody's")
    layers.register(root, "read", "everybody's")
    layers.register(preset_scope.ctx, "bash", "preset's")
    layers.register(agent_scope.ctx, "bash", "agent's")
    layers.register(preset_scope.ctx, "grep", "preset's")
    assert layers.view() == {"bash": "everybody's", "read": "everybody's"}
    assert layers.view(other) == layers.view()
    assert layers.view(preset) == {"bash": "preset's", "read": "everybody's", "grep": "preset's"}
    assert layers.view(agent) == {"bash": "agent's", "read": "everybody's", "grep": "preset's"}
    assert [layers.get(key, "bash") for key in (None, other, preset, agent)] == [
        "everybody's",
        "everybody's",
        "preset's",
        "agent's",
    ]
    assert layers.get(agent, "nothing") is None
    await agent_scope.dispose()
    assert layers.view(agent)["bash"] == "everybody's"


async def test_a_name_is_taken_once_in_each_layer(root: Context) -> None:
    layers: ScopedLayers[int] = ScopedLayers("tool")
    scope = create_scope(root, Key())
    for ctx in (root, scope.ctx):
        layers.register(ctx, "bash", 1)
        with pytest.raises(KernelError, match="tool 'bash' is registered already") as caught:
            layers.register(ctx, "bash", 2)
        assert caught.value.code == "ALREADY_REGISTERED"


async def test_undoing_twice_does_not_take_a_successor_away(root: Context) -> None:
    layers: ScopedLayers[int] = ScopedLayers()
    dispose = layers.register(root, "a", 1)
    await dispose()
    layers.register(root, "a", 2)
    await dispose()
    assert layers.view() == {"a": 2}


async def test_a_change_is_announced_after_it_and_taken_back_if_that_raises(root: Context) -> None:
    seen: list[dict[str, int]] = []

    def announce() -> None:
        seen.append(layers.view(agent))
        if "bad" in layers.view(agent):
            raise ValueError("refused")

    layers: ScopedLayers[int] = ScopedLayers(on_change=announce)
    agent = Key()
    scope = create_scope(root, agent)
    await layers.register(scope.ctx, "good", 1)()
    for ctx in (root, scope.ctx):
        with pytest.raises(ValueError, match="refused"):
            layers.register(ctx, "bad", 1)
    assert seen == [{"good": 1}, {}, {"bad": 1}, {"bad": 1}]
    assert layers.view(agent) == {}


async def test_an_empty_layer_lets_its_key_go_and_reading_makes_none(root: Context) -> None:
    layers: ScopedLayers[int] = ScopedLayers()
    agent, reader = Key(), Key()
    scope = create_scope(root, agent)
    layers.register(scope.ctx, "a", 1)
    assert layers.view(reader) == {}
    gone = [weakref.ref(agent), weakref.ref(reader)]
    await scope.dispose()
    del agent, reader, scope
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc"), st.booleans()), max_size=30),
)
def test_views_equal_a_plain_model_after_any_order_of_changes(
    changes: list[tuple[int, str, bool]],
) -> None:
    root = create_root()
    keys: list[Key | None] = [None, Key(), Key(), Key()]
    contexts = [root]
    contexts += [create_scope(root, keys[depth], keys[depth - 1]).ctx for depth in (1, 2, 3)]
    layers: ScopedLayers[int] = ScopedLayers()
    model: list[dict[str, int]] = [{}, {}, {}, {}]
    disposers = {}
    for number, (depth, name, add) in enumerate(changes):
        if add and name not in model[depth]:
            disposers[depth, name] = layers.register(contexts[depth], name, number)
            model[depth][name] = number
        elif not add and name in model[depth]:
            disposers.pop((depth, name))()
            del model[depth][name]
        for level, key in enumerate(keys):
            expected: dict[str, int] = {}
            for layer in model[: level + 1]:
                expected |= layer
            assert layers.view(key) == expected
