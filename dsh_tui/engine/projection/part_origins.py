"""Since which event each section and each tool of a request is as it is. Pure.

A header event says anew what did not change: a section counts from the first request that had it like
this, without a break. Source: ux spec §3.1 (the event behind each part).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from dsh_tui.engine.base.lossless import dump_bytes
from dsh_tui.engine.projection.request_parts import keyed_sections
from dsh_tui.engine.projection.sent_steps import SentStep

Part: TypeAlias = tuple[str, str]
"""``system`` or ``tools``, and the part's key."""


def part_origins(step: SentStep, before: Iterable[SentStep]) -> Mapping[Part, int]:
    """Seqs by part; ``before`` are the steps before it, the latest first."""
    parts = _contents(step)
    found = {part: step.origin.get(part[0], step.row.seq) for part in parts}
    open_parts, later = dict(parts), step
    for earlier in before:
        if not open_parts:
            break
        if earlier.header is not later.header:
            there = _contents(earlier)
            open_parts = {part: text for part, text in open_parts.items() if there.get(part) == text}
            found.update((part, earlier.origin.get(part[0], earlier.row.seq)) for part in open_parts)
        later = earlier
    return found


def _contents(step: SentStep) -> dict[Part, object]:
    header = step.header
    if header is None:
        return {}
    sections = keyed_sections(header.get("system", ""), step.origins)
    contents: dict[Part, object] = {("system", key): text for _, text, key, _ in sections}
    contents.update((("tools", tool["name"]), dump_bytes(tool)) for tool in header.get("tools", ()))
    return contents
