"""What a test runs commands with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Run: TypeAlias = Callable[..., tuple[int, str, str]]
"""The arguments of ``dsh-tui sessions`` to its exit status, stdout (Latin-1) and stderr."""
