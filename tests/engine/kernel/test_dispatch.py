"""Events: four ways to reach listeners, in what order, and where an error goes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from dsh_tui.engine.kernel import (
    INTERNAL_DISPATCH,
    Context,
    Dispatch,
    Emit,
    KernelError,
    Next,
    Parallel,
    Serial,
    Waterfall,
    create_root,
)

TOLD: Emit[[str]] = Emit("test/told")
SAVE: Parallel[[str]] = Parallel("test/save")
ASK: Serial[[str], str] = Serial("test/ask")
DECIDE: Waterfall[[str], str] = Waterfall("test/decide")


async def test_listeners_are_called_in_order_and_prepended_ones_latest_first(root: Context) -> None:
    log: list[str] = []
    for name, prepend in (("a", False), ("b", True), ("c", True), ("d", False)):
        root.on(TOLD, lambda _text, name=name: log.append(name), prepend=prepend)  # type: ignore[misc]  # late binding
    root.emit(TOLD, "x")
    assert log == ["c", "b", "a", "d"]


async def test_an_emit_contains_what_a_listener_raises(
    root: Context, caplog: pytest.LogCaptureFixture
) -> None:
    log: list[str] = []

    def broken(_text: str) -> None:
        raise ValueError("bad listener")

    root.on(TOLD, broken)
    root.on(TOLD, log.append)
    root.emit(TOLD, "x")
    assert log == ["x"]
    assert "bad listener" in caplog.text
    assert "broken of root" in caplog.text


async def test_a_raw_emit_lets_a_raise_escape_and_tells_nobody_else(root: Context) -> None:
    log: list[str] = []

    def veto(_text: str) -> None:
        raise ValueError("no")

    root.on(TOLD, veto)
    root.on(TOLD, log.append)
    with pytest.raises(ValueError, match="no"):
        root.emit_raw(TOLD, "x")
    assert log == []


async def test_an_asynchronous_listener_of_an_emit_is_watched(
    root: Context, caplog: pytest.LogCaptureFixture
) -> None:
    done = asyncio.Event()

    async def later(_text: str) -> None:
        await asyncio.sleep(0)
        done.set()
        raise ValueError("late fault")

    root.on(TOLD, later)
    root.emit(TOLD, "x")
    await done.wait()
    await asyncio.sleep(0)
    assert "late fault" in caplog.text


async def test_what_emits_left_running_ends_with_the_tree() -> None:
    ended: list[str] = []

    async def forever(_text: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    root = create_root()
    root.on(TOLD, forever)
    root.emit(TOLD, "x")
    await asyncio.sleep(0)
    await root.fiber.dispose()
    assert ended == ["ended"]


async def test_a_registration_during_a_dispatch_counts_from_the_next_one_on(root: Context) -> None:
    log: list[str] = []

    def grow(_text: str) -> None:
        log.append("first")
        if len(log) == 1:
            root.on(TOLD, lambda _text: log.append("second"))

    root.on(TOLD, grow)
    root.emit(TOLD, "x")
    assert log == ["first"]
    root.emit(TOLD, "x")
    assert log == ["first", "first", "second"]


async def test_an_unregistered_listener_is_not_called_again(root: Context) -> None:
    log: list[str] = []
    off = root.on(TOLD, log.append)
    root.emit(TOLD, "x")
    off()
    root.emit(TOLD, "y")
    assert log == ["x"]


async def test_parallel_waits_for_all_and_raises_the_first_error(
    root: Context, caplog: pytest.LogCaptureFixture
) -> None:
    log: list[str] = []

    def saver(name: str, turns: int, error: Exception | None = None) -> Callable[[str], Awaitable[None]]:
        async def save(_text: str) -> None:
            for _ in range(turns):
                await asyncio.sleep(0)
            log.append(name)
            if error is not None:
                raise error

        return save

    root.on(SAVE, saver("slow", 3, OSError("first registered")))
    root.on(SAVE, saver("quick", 1, OSError("first raised")))
    root.on(SAVE, lambda _text: log.append("sync"))
    with pytest.raises(OSError, match="first registered"):
        await root.parallel(SAVE, "x")
    assert log == ["sync", "quick", "slow"]
    assert "first raised" in caplog.text


@pytest.mark.parametrize("count", [0, 1, 2])
async def test_parallel_without_errors_just_returns(root: Context, count: int) -> None:
    log: list[str] = []
    for _ in range(count):
        root.on(SAVE, log.append)
    await root.parallel(SAVE, "x")
    assert log == ["x"] * count


async def test_serial_stops_at_the_first_answer(root: Context) -> None:
    log: list[str] = []

    async def later(text: str) -> str | None:
        log.append("later")
        return text if text == "y" else None

    def refuses(_text: str) -> bool:
        log.append("refuses")
        return False

    def empty(_text: str) -> str:
        log.append("empty")
        return ""

    root.on(ASK, refuses)
    root.on(ASK, later)
    assert await root.serial(ASK, "x") is None
    root.on(ASK, empty)
    root.on(ASK, empty)
    assert await root.serial(ASK, "y") == "y"
    assert await root.serial(ASK, "x") == ""
    assert log == ["refuses", "later"] * 2 + ["refuses", "later", "empty"]


async def innermost() -> str:
    return "default"


async def test_a_waterfall_goes_inward_and_its_answer_outward(root: Context) -> None:
    async def outer(text: str, following: Next[str]) -> str:
        return f"outer({text} {await following()})"

    async def inner(text: str, following: Next[str]) -> str:
        return f"inner({text} {await following()})"

    assert await root.waterfall(DECIDE, innermost, "x") == "default"
    root.on(DECIDE, outer)
    root.on(DECIDE, inner)
    assert await root.waterfall(DECIDE, innermost, "x") == "outer(x inner(x default))"


async def test_a_waterfall_listener_that_does_not_call_next_has_decided(root: Context) -> None:
    async def veto(_text: str, _following: Next[str]) -> str:
        return "no"

    async def unreached(_text: str, _following: Next[str]) -> str:
        raise AssertionError

    root.on(DECIDE, unreached)
    root.on(DECIDE, veto, prepend=True)
    assert await root.waterfall(DECIDE, innermost, "x") == "no"


async def test_calling_next_a_second_time_raises(root: Context) -> None:
    async def twice(_text: str, following: Next[str]) -> str:
        return await following() + await following()

    root.on(DECIDE, twice)
    with pytest.raises(KernelError, match="a second time") as caught:
        await root.waterfall(DECIDE, innermost, "x")
    assert caught.value.code == "NEXT_CALLED_TWICE"


async def test_every_dispatch_is_shown_first_and_a_raise_there_stops_it_in_each_mode(root: Context) -> None:
    seen: list[tuple[str, str, tuple[object, ...]]] = []
    heard: list[str] = []

    def check(dispatch: Dispatch) -> None:
        seen.append((dispatch.mode, dispatch.event, dispatch.args))
        if dispatch.args == ("bad",):
            raise ValueError("invariant")

    root.on(INTERNAL_DISPATCH, check)
    root.on(TOLD, heard.append)
    root.emit(TOLD, "good")
    with pytest.raises(ValueError, match="invariant"):
        root.emit(TOLD, "bad")
    with pytest.raises(ValueError, match="invariant"):
        root.emit_raw(TOLD, "bad")
    with pytest.raises(ValueError, match="invariant"):
        await root.parallel(SAVE, "bad")
    with pytest.raises(ValueError, match="invariant"):
        await root.serial(ASK, "bad")
    with pytest.raises(ValueError, match="invariant"):
        await root.waterfall(DECIDE, innermost, "bad")
    assert heard == ["good"]
    assert [mode for mode, _, _ in seen] == ["emit", "emit", "emit", "parallel", "serial", "waterfall"]


async def test_internal_events_are_not_shown(root: Context) -> None:
    seen: list[str] = []
    root.on(INTERNAL_DISPATCH, lambda dispatch: seen.append(dispatch.event))
    await root.plugin(lambda _ctx, _config: None)
    assert seen == []
