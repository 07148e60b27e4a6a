"""Sections: named pieces of the system prompt, with variables.

What a section says must not change while a session lives: providers cache requests by their
first bytes. What changes (date, branch, mode) goes into the history. Source: core spec §5.
"""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from dsh_tui.engine.system_prompt.errors import SystemPromptError

if TYPE_CHECKING:
    from dsh_tui.engine.agent.agent import Agent

Provider: TypeAlias = Callable[["Agent"], "str | None | Awaitable[str | None]"]
"""Text for one agent; ``None`` or empty leaves a section out, and makes a variable an error."""

IDENTITY, PERSONA, TOOL_GUIDANCE = -100, 0, 100
"""Orders that sections of those kinds have; guidance on single tools goes up to 199."""

VARIABLE = re.compile(r"[a-z][a-z0-9_]*")
_PLACEHOLDER = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Section:
    """One piece: ``text``, or a provider asked at every assembly.

    Ascending ``order``; sections of one order go by name, never by who came first. A ``complete``
    section is the whole prompt by itself, and no listener changes that.
    """

    name: str
    order: float
    text: str | Provider
    complete: bool = False

    def __post_init__(self) -> None:
        if not self.name:
            raise SystemPromptError("a section needs a name")
        if not math.isfinite(self.order):
            raise SystemPromptError(f"section {self.name!r}: order must be a finite number")

    @property
    def position(self) -> tuple[float, str]:
        return (self.order, self.name)


def placeholders(text: str, section: str) -> frozenset[str]:
    """The variables a text names.

    Raises:
        SystemPromptError: ``{{…}}`` around something that is no variable name.
    """
    names = frozenset(_PLACEHOLDER.findall(text))
    for name in names:
        if VARIABLE.fullmatch(name) is None:
            raise SystemPromptError(
                f"section {section!r}: {{{{{name}}}}} is no variable; write {{{{a_name}}}}"
            )
    return names


def interpolate(text: str, values: Mapping[str, str]) -> str:
    """The text with every ``{{name}}`` replaced, once: values are not looked at again."""
    return _PLACEHOLDER.sub(lambda match: values[match.group(1)], text)
