"""Finding a mounted plugin by its name."""

from __future__ import annotations

from dsh_tui.engine.kernel.fiber import Fiber


def find_fiber(fiber: Fiber, name: str) -> Fiber:
    """The plugin of that name, at or below a fiber.

    Raises:
        LookupError: it is not mounted.
    """
    waiting = [fiber]
    while waiting:
        current = waiting.pop()
        if current.name == name:
            return current
        waiting.extend(current.children)
    raise LookupError(f"no plugin {name} is mounted")
