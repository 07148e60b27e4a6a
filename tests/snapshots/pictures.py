"""How a picture is made: an app over a fake, some steps, and what it looks like then."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.pilot import Pilot

from dsh_tui.app import DshApp
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import Hands, app_over

Compare = Callable[..., bool]
Steps = Callable[[Pilot[None]], Awaitable[None]]

SIZES = [(80, 24), (120, 40)]


def keys(*pressed: str) -> Steps:
    async def press(pilot: Pilot[None]) -> None:
        await pilot.press(*pressed)
        await pilot.pause(0.3)

    return press


async def nothing(pilot: Pilot[None]) -> None:
    await pilot.pause()


async def arm(pilot: Pilot[None]) -> None:
    app = pilot.app
    assert isinstance(app, DshApp)
    assert isinstance(app.monotonic, Hands)
    for _ in range(2):
        app.monotonic.pass_(1)
        app.chat.dock.tick()
        await pilot.pause()
    await pilot.press("right")


def then(first: Steps, second: Steps) -> Steps:
    async def both(pilot: Pilot[None]) -> None:
        await first(pilot)
        await second(pilot)

    return both


def shoot(
    compare: Compare, make: Callable[[], FakeBridge], steps: Steps, size: tuple[int, int], theme: str
) -> None:
    """Compare a scene with the picture that was accepted."""

    async def before(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, DshApp)
        while app.bridge is None:
            await pilot.pause()
        await pilot.pause()
        await steps(pilot)
        app.chat.status_bar.clear_notice()
        await pilot.pause()

    assert compare(app_over(make(), theme=theme), terminal_size=size, run_before=before)
