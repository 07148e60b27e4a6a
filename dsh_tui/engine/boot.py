"""Boot: a tree of plugins that all stand, or one clear error and nothing left running.

After mounting, every row is audited: what is not ACTIVE is named with the services it waits for.
Source: core spec §12 (boot); design §2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dsh_tui.engine.base.errors import HarnessError, error_chain
from dsh_tui.engine.kernel import Context, Fiber, FiberState, create_root


class BootError(HarnessError):
    """The engine did not come up. The message names each plugin that did not start, and why."""

    code = "BOOT_FAILED"


@dataclass(frozen=True, slots=True)
class Engine:
    """A running tree. Whoever booted it disposes it."""

    root: Context

    async def dispose(self) -> None:
        """Undo everything in reverse: agents end, logs are flushed, processes are gone."""
        await self.root.fiber.dispose()


async def boot(mount: Callable[[Context], object]) -> Engine:
    """Mount plugins on a fresh root and wait until all of them stand.

    Raises:
        BootError: some don't; the tree is disposed already.
    """
    root = create_root()
    try:
        mount(root)
        await root.fiber
        faults = [fault for fiber in root.fiber.children for fault in _audit(fiber)]
        if faults:
            raise BootError("; ".join(faults))
    except BaseException:  # raised again; what was begun is undone first
        await root.fiber.dispose()
        raise
    return Engine(root)


def _audit(fiber: Fiber) -> list[str]:
    """What is wrong below this fiber, one phrase each."""
    if fiber.state is FiberState.FAILED and fiber.error is not None:
        return [f"plugin {fiber.name} failed: {error_chain(fiber.error)}"]
    if fiber.state is not FiberState.ACTIVE:
        waits = ", ".join(fiber.missing()) or "nothing"
        return [f"plugin {fiber.name} is {fiber.state.value} and waits for {waits}"]
    return [fault for child in fiber.children for fault in _audit(child)]
