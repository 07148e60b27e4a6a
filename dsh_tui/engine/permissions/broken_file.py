"""A settings file that is broken: what it denies and asks about all the same.

Half a file must allow nothing, and must not be a way to lose what was denied. Its deny and ask rules
count as far as they can be read; where there may be more, an `UnreadRule` stands for that.
Source: design §3.15, §4 (a broken file).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dsh_tui.engine.permissions.rule import Rule, RuleError
from dsh_tui.engine.permissions.rules_text import SECTION
from dsh_tui.engine.permissions.unread import UnreadRule

if TYPE_CHECKING:
    import yaml


@dataclass(frozen=True, slots=True)
class Strict:
    """What counts of a file; of a broken one no rule that allows."""

    rules: tuple[Rule, ...] = ()
    unread: tuple[UnreadRule, ...] = ()

    @property
    def effect_now(self) -> str:
        """What a broken one comes to, in a clause."""
        held = "it allows nothing and denies what it denied" if self.rules else "it counts for nothing"
        return ", and ".join((held, *dict.fromkeys(one.effect_now for one in self.unread)))


class _UnclearError(Exception):
    """Rules may stand where none can be told."""


def strict_rules(path: Path, content: bytes, why: str) -> Strict:
    """The deny and ask rules of a file that is broken because of ``why``."""
    import yaml

    rules: dict[Rule, None] = {}
    unread: dict[UnreadRule, None] = {}
    try:
        for text in _strict_texts(yaml.compose(content.decode("utf-8"), Loader=yaml.SafeLoader)):
            try:
                rules[Rule.parse(text)] = None
            except RuleError as error:
                unread[UnreadRule.of(text, f"{path}: {error.message}")] = None
    except (_UnclearError, UnicodeDecodeError, yaml.YAMLError, ValueError, RecursionError):
        unread[UnreadRule(f"the rules in {path}", why)] = None
    return Strict(tuple(rules), tuple(unread))


def _strict_texts(root: yaml.Node | None) -> Iterator[str]:
    """Every rule that is no allow, with its effect in front.

    Raises:
        _UnclearError: there may be others.
    """
    for key, value in _entries(root):
        if key != SECTION:
            _require_no_rules(value)
            continue
        for effect, listed in _entries(value):
            if effect == "allow":
                continue
            for body in _texts(listed):
                yield f"{effect} {body}"


def _entries(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node]]:
    import yaml

    if _is_nothing(node):
        return
    if not isinstance(node, yaml.MappingNode):
        raise _UnclearError
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
            raise _UnclearError
        yield key.value, value


def _texts(node: yaml.Node) -> Iterator[str]:
    import yaml

    if _is_nothing(node):
        return
    if not isinstance(node, yaml.SequenceNode):
        raise _UnclearError
    for item in node.value:
        if not isinstance(item, yaml.ScalarNode):
            raise _UnclearError
        yield item.value


def _require_no_rules(node: yaml.Node) -> None:
    """A section with a mistake in its name is looked for: nothing else has lists to deny or to ask about."""
    import yaml

    waiting: list[yaml.Node] = [node]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen or not isinstance(one, yaml.CollectionNode):
            continue
        seen.add(id(one))
        for item in one.value:
            key, value = item if isinstance(one, yaml.MappingNode) else (None, item)
            if isinstance(key, yaml.ScalarNode) and key.value in ("deny", "ask"):
                raise _UnclearError
            waiting.append(value)


def _is_nothing(node: yaml.Node | None) -> bool:
    return node is None or node.tag == "tag:yaml.org,2002:null"
