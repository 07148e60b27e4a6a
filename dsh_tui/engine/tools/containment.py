"""Containment: code of tools and listeners is run here, and what it raises becomes a value.

Only two things pass: the end of the task that runs it, and Ctrl+C. Everything else, ``sys.exit()``
and exceptions that are no `Exception` included, is the caller's to report. Source: core spec §6.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from dsh_tui.engine.base.cancel import Cancelled

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Raised:
    """Something was raised instead of returned."""

    error: BaseException

    @property
    def is_cancellation(self) -> bool:
        return isinstance(self.error, Cancelled | asyncio.CancelledError)


async def contained(work: Awaitable[T]) -> T | Raised:
    """The result of the work, or what it raised."""
    try:
        return await work
    except asyncio.CancelledError as error:
        if _task_is_ending():
            raise
        return Raised(error)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001  # the promise of this module
        return Raised(error)


def attempt(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Raised:
    """The result of the call, or what it raised."""
    try:
        return function(*args, **kwargs)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # the promise of this module
        return Raised(error)


def _task_is_ending() -> bool:
    """True if the running task itself is being cancelled, not just something it awaited."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
