"""Rules in the text of a settings file: one is put in or taken out, everything else stays as it is.

Pure: text in, text out. Whoever writes the result checks first that it says what was meant; where a
file is written in a form that is not known here, `UneditableError` says so and nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeGuard

if TYPE_CHECKING:
    import yaml

SECTION: Final = "permissions"
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./*()@+=~ -]*[A-Za-z0-9_./*)]|[A-Za-z_]")
"""What YAML can't take for anything but a text, without quotes."""


class UneditableError(ValueError):
    """The file is written in a form in which a rule can't be placed safely."""


def with_rule(text: str, effect: str, body: str) -> str:
    """The text with one more rule at the end of the list of its effect."""
    section = _entry(_compose(text), SECTION)
    if section is None:
        return _appended(text, f"{SECTION}:", f"  {effect}:", f"    - {_scalar(body)}")
    key, rules = section
    if not _is_mapping(rules):
        return _below(text, key, f"  {effect}:", f"    - {_scalar(body)}")
    listed = _entry(rules, effect)
    if listed is None:
        return _with_effect(text, key, rules, effect, body)
    name, items = listed
    if not _is_sequence(items):
        return _below(text, name, f"{' ' * (name.start_mark.column + 2)}- {_scalar(body)}")
    if items.flow_style:
        comma = ", " if items.value else ""
        at = items.value[-1].end_mark.index if items.value else items.start_mark.index + 1
        return f"{text[:at]}{comma}{_scalar(body, flow=True)}{text[at:]}"
    return _after_line(
        text, items.value[-1].end_mark.line, f"{' ' * items.start_mark.column}- {_scalar(body)}"
    )


def without_rule(text: str, effect: str, body: str) -> str:
    """The text without any rule of that effect that reads so."""
    while (found := _item(text, effect, body)) is not None:
        text = _without(text, *found)
    return text


def beside_rules(text: str) -> object:
    """All that the file says but for its rules."""
    import yaml

    values = yaml.safe_load(text)
    return {key: value for key, value in values.items() if key != SECTION} if values else {}


def _item(text: str, effect: str, body: str) -> tuple[yaml.Node, yaml.SequenceNode, int] | None:
    section = _entry(_compose(text), SECTION)
    listed = _entry(section[1], effect) if section is not None else None
    if listed is None or not _is_sequence(listed[1]):
        return None
    for at, item in enumerate(listed[1].value):
        if item.value == body:
            return listed[0], listed[1], at
    return None


def _without(text: str, name: yaml.Node, items: yaml.SequenceNode, at: int) -> str:
    item, last = items.value[at], len(items.value) - 1
    if items.flow_style:
        start = item.start_mark.index if at == 0 else items.value[at - 1].end_mark.index
        end = items.value[1].start_mark.index if at == 0 and last > 0 else item.end_mark.index
        return text[:start] + text[end:]
    lines = text.splitlines(keepends=True)
    if item.end_mark.line != item.start_mark.line:
        raise UneditableError("a rule goes over several lines")
    del lines[item.start_mark.line]
    if last == 0:  # an empty list must say that it is one
        line = lines[name.start_mark.line]
        colon = line.index(":", name.end_mark.column)
        lines[name.start_mark.line] = f"{line[: colon + 1]} []{line[colon + 1 :]}"
    return "".join(lines)


def _with_effect(text: str, key: yaml.Node, rules: yaml.MappingNode, effect: str, body: str) -> str:
    if rules.flow_style:
        comma = ", " if rules.value else ""
        at = rules.value[-1][1].end_mark.index if rules.value else rules.start_mark.index + 1
        return f"{text[:at]}{comma}{effect}: [{_scalar(body, flow=True)}]{text[at:]}"
    indent = " " * rules.start_mark.column
    return _below(text, key, f"{indent}{effect}:", f"{indent}  - {_scalar(body)}")


def _appended(text: str, *lines: str) -> str:
    end = _line_end(text)
    gap = "" if not text or text.endswith(("\n", "\r")) else end
    return text + gap + "".join(line + end for line in lines)


def _below(text: str, key: yaml.Node, *lines: str) -> str:
    """Lines right below the one that a key stands on, whose value is nothing or begins further down."""
    return _after_line(text, key.start_mark.line, *lines)


def _after_line(text: str, number: int, *added: str) -> str:
    end = _line_end(text)
    lines = text.splitlines(keepends=True)
    if not lines[number].endswith(("\n", "\r")):
        lines[number] += end
    return "".join([*lines[: number + 1], *(line + end for line in added), *lines[number + 1 :]])


def _scalar(body: str, *, flow: bool = False) -> str:
    if _PLAIN.fullmatch(body) is not None and "  " not in body and not flow:
        return body
    if body.isprintable():
        quoted = body.replace("'", "''")
        return f"'{quoted}'"
    return '"' + "".join(map(_escaped, body)) + '"'


def _escaped(character: str) -> str:
    if character in '\\"':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _compose(text: str) -> yaml.Node | None:
    import yaml

    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise UneditableError("is not YAML") from error


def _entry(node: yaml.Node | None, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    return next(((key, value) for key, value in _entries(node) if key.value == name), None)


def _entries(node: yaml.Node | None) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    if node is not None and _is_mapping(node):
        yield from node.value


def _is_mapping(node: yaml.Node) -> TypeGuard[yaml.MappingNode]:
    import yaml

    return isinstance(node, yaml.MappingNode)


def _is_sequence(node: yaml.Node) -> TypeGuard[yaml.SequenceNode]:
    import yaml

    return isinstance(node, yaml.SequenceNode)
