"""What is wrong in a settings file, each fault with its line and its cure: all of them, in the file's order.

Source: design §4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dsh_tui.engine.base.visible import flattened

if TYPE_CHECKING:
    import yaml
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

Place: TypeAlias = tuple[int | str, ...]
"""The keys and indices that lead to a value."""
_MOST_LINES: Final = 6


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong. ``line`` is 1-based; None where it is the file itself."""

    line: int | None
    what: str


def in_one_line(path: object, faults: Sequence[Fault]) -> str:
    """The first fault, and how many more there are on which lines."""
    first, *others = faults
    if not others:
        return told(path, first)
    lines = [str(line) for line in dict.fromkeys(fault.line for fault in others) if line]
    named = ", ".join([*lines[:_MOST_LINES], *["…"][: len(lines) > _MOST_LINES]])
    where = f" (line{'s' if len(lines) > 1 else ''} {named})" if lines else ""
    return f"{told(path, first)}; and {len(others)} more{where}"


def told(path: object, fault: Fault) -> str:
    """``settings.yaml:3: what is wrong``."""
    return f"{path}:{fault.line}: {fault.what}" if fault.line else f"{path}: {fault.what}"


def keys_given_twice(root: yaml.Node | None) -> Iterator[Fault]:
    """Keys that their mapping has before: YAML would take the last, and say nothing."""
    import yaml

    waiting, seen = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen or not isinstance(node, yaml.CollectionNode):
            continue
        seen.add(id(node))
        keys: set[str] = set()
        for item in node.value:
            key, value = item if isinstance(node, yaml.MappingNode) else (None, item)
            waiting.append(value)
            if isinstance(key, yaml.ScalarNode):
                if key.value in keys:
                    what = f"`{flattened(key.value)}` stands there twice, and only one could count; keep one"
                    yield Fault(key.start_mark.line + 1, what)
                keys.add(key.value)


def faults_of(model: type[BaseModel], root: yaml.Node | None, error: ValidationError) -> list[Fault]:
    """The faults that the model found in what the nodes say, one for each place."""
    found: dict[Place, list[ErrorDetails]] = {}
    lines: dict[Place, int | None] = {}
    for one in error.errors(include_url=False, include_input=False):
        place, line = _place_of(root, one["loc"])
        found.setdefault(place, []).append(one)
        lines[place] = line
    return [Fault(lines[place], _cure(model, place, ones)) for place, ones in found.items()]


def _cure(model: type[BaseModel], place: Place, faults: Sequence[ErrorDetails]) -> str:
    dotted = flattened(".".join(str(part) for part in place))
    if faults[0]["type"] != "extra_forbidden":
        said = dict.fromkeys(fault["msg"][:1].lower() + fault["msg"][1:] for fault in faults)
        return f"{dotted or 'settings'}: {flattened(', or '.join(said))}"
    known = _names_at(model, place[:-1])
    near = get_close_matches(str(place[-1]), known, n=2, cutoff=0.5)
    names = " or ".join(f"`{name}`" for name in near)
    advice = f"did you mean {names}?" if near else f"known here: {', '.join(sorted(known))}"
    return f"unknown key `{dotted}`; {advice}"


def _names_at(model: type[BaseModel], place: Iterable[int | str]) -> list[str]:
    current: Any = model  # Any: walks annotations, which are types or generic aliases
    for part in place:
        if hasattr(current, "model_fields") and part in current.model_fields:
            current = current.model_fields[part].annotation
        else:  # a key of a mapping: go on with its value type
            current = getattr(current, "__args__", (None, None))[-1]
    return list(getattr(current, "model_fields", {}))


def _place_of(node: yaml.Node | None, loc: Place) -> tuple[Place, int | None]:
    """As far along ``loc`` as the file goes (the rest names types that a value could have), and the line."""
    import yaml

    line = node.start_mark.line + 1 if node is not None else None
    for at, part in enumerate(loc):
        if isinstance(node, yaml.MappingNode):
            for key, value in reversed(node.value):  # of two, the later one counts
                if getattr(key, "value", None) == str(part):
                    line, node = key.start_mark.line + 1, value
                    break
            else:
                return loc[:at], line
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return loc[:at], line
    return loc, line
