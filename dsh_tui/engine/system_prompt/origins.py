"""Who wrote what stands in front of the history: each section of the system prompt, and each tool.

Kept beside the assembled prompt and logged with the request; no byte that is sent depends on it.
Source: ux spec §3.1 (system sections with their producer).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsh_tui.engine.kernel import Producer


@dataclass(frozen=True, slots=True)
class SectionOrigin:
    """Where a section stands in the system prompt, in characters."""

    name: str
    producer: Producer
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Origins:
    """The sections in their order, with gaps where a listener has its own words; tools in theirs."""

    sections: tuple[SectionOrigin, ...] = ()
    tools: tuple[tuple[str, Producer], ...] = ()

    def data(self) -> dict[str, Any]:  # Any: JSON of request/origins
        """As the log says it."""
        return {
            "sections": [
                {"name": one.name, **_named(one.producer), "start": one.start, "length": one.length}
                for one in self.sections
            ],
            "tools": [{"name": name, **_named(producer)} for name, producer in self.tools],
        }


def find_sections(
    system: str | None, texts: Sequence[tuple[str, Producer, str]]
) -> tuple[SectionOrigin, ...]:
    """Those of the ``(name, producer, text)`` that are in the prompt, whatever listeners made of it."""
    found, at = [], 0
    for name, producer, text in texts:
        start = (system or "").find(text, at)
        if start >= 0:
            found.append(SectionOrigin(name, producer, start, len(text)))
            at = start + len(text)
    return tuple(found)


def _named(producer: Producer) -> Mapping[str, Any]:  # Any: JSON
    return {"plugin": producer.plugin, "load": producer.load}
