"""Who wrote the sections and tools of a request, as its log names them, and who changed them since. Pure.

Loadings of plugins are numbered within one process. A new one begins with a whole header (``initial`` or
``resume``); numbers from before it say nothing about those behind it.
Source: ux spec §3.1 (producers), §3.2 (cache audit).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

ANCHORS: Final = ("initial", "resume")
"""Reasons of the header that begins a process."""


@dataclass(frozen=True, slots=True)
class WrittenSection:
    """A piece of the system prompt. ``plugin`` is empty for what a listener put between sections."""

    name: str
    plugin: str
    text: str


class RequestOrigins:
    """One ``request/origins``."""

    __slots__ = ("_sections", "_tools", "loads", "process")

    def __init__(self, data: Mapping[str, Any], process: int) -> None:  # Any: JSON of the event
        self.process = process
        self._sections = data["sections"]
        self._tools = {tool["name"]: str(tool["plugin"]) for tool in data["tools"]}
        self.loads: Mapping[str, int] = {
            one["plugin"]: one["load"] for one in (*data["tools"], *data["sections"])
        }
        """The loading of each plugin that has a part in the request."""

    def sections(self, system: str) -> list[WrittenSection]:
        """The whole system prompt, piece by piece; white space between pieces belongs to none."""
        return list(self._cut(system))

    def plugin_of_tool(self, name: str) -> str:
        return self._tools.get(name, "")

    def _cut(self, system: str) -> Iterator[WrittenSection]:
        at = 0
        for one in self._sections:
            start, end = one["start"], one["start"] + one["length"]
            if start < at or end > len(system):
                break  # not the prompt that this was said of
            yield from _between(system[at:start])
            yield WrittenSection(str(one["name"]), str(one["plugin"]), system[start:end])
            at = end
        yield from _between(system[at:])


def _between(text: str) -> Iterator[WrittenSection]:
    if text.strip():
        yield WrittenSection("", "", text)


def section_change(old: RequestOrigins, was: str, new: RequestOrigins, now: str) -> str:
    """What happened to the first section that differs, and whose doing it was."""
    before, after = old.sections(was), new.sections(now)
    for one, other in zip([*before, None], [*after, None], strict=False):
        if one == other:
            continue
        if other is not None and (one is None or other.name not in {each.name for each in before}):
            return _told(old, new, other.plugin, f"{_named(other)} was added")
        if one is not None and (other is None or one.name not in {each.name for each in after}):
            return _told(old, new, one.plugin, f"{_named(one)} was removed")
        assert one is not None
        assert other is not None
        if one.name != other.name:
            return "the order of its sections changed"
        if one.plugin != other.plugin:
            return _told(old, new, other.plugin, f"{_named(other)} took the place of {one.plugin}'s")
        return _told(old, new, other.plugin, f"{_named(other)} changed")
    return "the space between its sections changed"


def tool_change(old: RequestOrigins | None, new: RequestOrigins | None, name: str, what: str) -> str:
    """What happened to a tool, and whose doing it was."""
    if old is None or new is None:
        return f"the tool {name} {what}"
    plugin = new.plugin_of_tool(name) or old.plugin_of_tool(name)
    return _told(old, new, plugin, f'tool "{name}" {what}')


def _named(section: WrittenSection) -> str:
    return f'section "{section.name}"' if section.name else "the text of a listener"


def _told(old: RequestOrigins, new: RequestOrigins, plugin: str, what: str) -> str:
    if not plugin:
        return what
    who = f'plugin "{plugin}"'
    before, after = old.loads.get(plugin), new.loads.get(plugin)
    if old.process != new.process:
        return f"{who} is another since the session was resumed: {what}"
    if before is None:
        return f"{who} loaded: {what}"
    if after is None:
        return f"{who} unloaded: {what}"
    return f"{who}: {what}" if before == after else f"{who} reloaded: {what}"
