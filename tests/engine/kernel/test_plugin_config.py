"""A plugin's config: checked before anything starts, and changed without losing what runs."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from dsh_tui.engine.kernel import INTERNAL_UPDATE, ConfigError, Context, Fiber, FiberState, Next


class Model(BaseModel):
    size: int = 1


@dataclass(frozen=True)
class Plain:
    size: int = 1


def parse(given: object) -> object:
    if not isinstance(given, dict) or not isinstance(given.get("size", 1), int):
        raise ValueError("size must be a whole number")  # noqa: TRY004  # as validators do
    return Plain(given.get("size", 1))


class Sized:
    name = "sized"

    def __init__(self, config_type: object = Model) -> None:
        self.Config = config_type
        self.log: list[str] = []

    def apply(self, ctx: Context, config: Model) -> None:
        if config.size < 0:
            raise OSError("cannot be")
        self.log.append(f"+{config.size}")
        ctx.effect(lambda: lambda: self.log.append(f"-{config.size}"))


@pytest.mark.parametrize("config_type", [Model, Plain, parse])
async def test_a_config_is_made_by_whatever_the_plugin_declares(root: Context, config_type: object) -> None:
    plugin = Sized(config_type)
    for config in (None, {"size": 2}):
        await root.plugin(plugin, config)
    assert plugin.log == ["+1", "+2"]


async def test_an_instance_of_the_config_passes_as_it_is(root: Context) -> None:
    plugin = Sized(Plain)
    config = Plain(3)
    assert (await root.plugin(plugin, config)).config is config


@pytest.mark.parametrize(
    ("config_type", "config"), [(Model, {"size": "x"}), (Plain, {"width": 1}), (parse, {"size": "x"})]
)
async def test_an_invalid_config_fails_the_plugin_before_it_starts(
    root: Context, config_type: object, config: object
) -> None:
    plugin = Sized(config_type)
    fiber = root.plugin(plugin, config)
    with pytest.raises(ConfigError, match="sized: invalid config"):
        await fiber
    assert (fiber.state, plugin.log) == (FiberState.FAILED, [])
    await fiber.update({"size": 2})
    assert (fiber.state, plugin.log) == (FiberState.ACTIVE, ["+2"])


async def test_a_new_config_restarts_the_plugin(root: Context) -> None:
    plugin = Sized()
    fiber = await root.plugin(plugin)
    assert await fiber.update({"size": 2}) is fiber
    assert plugin.log == ["+1", "-1", "+2"]


async def test_an_invalid_update_leaves_the_running_instance(root: Context) -> None:
    plugin = Sized()
    fiber = await root.plugin(plugin)
    with pytest.raises(ConfigError):
        fiber.update({"size": "x"})
    await root.fiber
    assert (fiber.state, fiber.config, plugin.log) == (FiberState.ACTIVE, Model(), ["+1"])


async def test_a_valid_config_that_does_not_start_fails_and_a_later_one_heals(root: Context) -> None:
    plugin = Sized()
    fiber = await root.plugin(plugin)
    with pytest.raises(OSError, match="cannot be"):
        await fiber.update({"size": -1})
    assert fiber.state is FiberState.FAILED
    await fiber.update({"size": 3})
    assert plugin.log == ["+1", "-1", "+3"]


async def test_a_listener_may_take_over_a_new_config_without_a_restart(root: Context) -> None:
    plugin = Sized()
    fiber = await root.plugin(plugin)
    taken: list[object] = []

    async def take(updated: Fiber, config: object, following: Next[None]) -> None:
        if updated is not fiber or config == Model(size=9):
            await following()
        else:
            taken.append(config)

    root.on(INTERNAL_UPDATE, take)
    await fiber.update({"size": 2})
    assert (taken, fiber.config, plugin.log) == ([Model(size=2)], Model(size=2), ["+1"])
    await fiber.update({"size": 9})
    assert plugin.log == ["+1", "-1", "+9"]


async def test_an_update_listener_that_fails_means_a_restart(root: Context) -> None:
    plugin = Sized()
    fiber = await root.plugin(plugin)

    async def broken(_fiber: Fiber, _config: object, _following: Next[None]) -> None:
        raise ValueError

    root.on(INTERNAL_UPDATE, broken)
    await fiber.update({"size": 2})
    assert plugin.log == ["+1", "-1", "+2"]
