"""A settings file that is broken: what it denies and asks about all the same.

Half a file must allow nothing, and must not be a way to lose what was denied. Its deny and ask rules
count as far as they can be read; where there may be more, an `UnreadRule` stands for that.
Source: design §3.15, §4 (a broken file).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

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


_RULE_LIKE: Final = re.compile(r"\s*(?:deny|ask)\s+\w|\s*[A-Za-z_]\w*\(")


def strict_rules(path: Path, content: bytes, why: str) -> Strict:
    """The deny and ask rules of a file that is broken because of ``why``."""
    import yaml

    rules: dict[Rule, None] = {}
    unread: dict[UnreadRule, None] = {}
    others = UnreadRule(f"the rules in {path}", why)
    try:
        for text in _strict_texts(yaml.compose(content.decode("utf-8"), Loader=yaml.SafeLoader)):
            try:
                if text is None:
                    unread[others] = None
                else:
                    rules[Rule.parse(text)] = None
            except RuleError as error:
                unread[UnreadRule.of(text or "", f"{path}: {error.message}")] = None
    except (UnicodeDecodeError, yaml.YAMLError, ValueError, RecursionError):
        unread[others] = None
    return Strict(tuple(rules), tuple(unread))


def _strict_texts(root: yaml.Node | None) -> Iterator[str | None]:
    """Every rule that is no allow, with its effect in front; None where there may be others."""
    for key, value in _entries(root):
        if key == SECTION:
            for effect, listed in _entries(value):
                if effect != "allow":
                    yield from (None if body is None else f"{effect} {body}" for body in _texts(listed))
        elif key is None or _may_hold_rules(key, value):
            yield None


def _entries(node: yaml.Node | None) -> Iterator[tuple[str | None, yaml.Node | None]]:
    """The keys and values of a mapping; no key where it can't be told."""
    import yaml

    if node is None or _is_nothing(node):
        return
    if not isinstance(node, yaml.MappingNode):
        yield None, None
        return
    for key, value in node.value:
        is_plain = isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge"
        yield (key.value, value) if is_plain else (None, None)


def _texts(node: yaml.Node | None) -> Iterator[str | None]:
    import yaml

    if node is not None and _is_nothing(node):
        return
    if not isinstance(node, yaml.SequenceNode):
        yield None
        return
    for item in node.value:
        is_text = isinstance(item, yaml.ScalarNode) and item.tag != "tag:yaml.org,2002:binary"
        yield item.value if is_text else None


def _may_hold_rules(name: str, node: yaml.Node | None) -> bool:
    """Whether rules may stand under a mistaken name or indentation: nothing else looks like them."""
    import yaml

    waiting: list[tuple[str, yaml.Node | None]] = [(name, node)]
    seen: set[int] = set()
    while waiting:
        key, one = waiting.pop()
        texts = (key, one.value) if isinstance(one, yaml.ScalarNode) else (key,)
        if key.strip().casefold() in ("deny", "ask") or any(map(_RULE_LIKE.match, texts)):
            return True
        if key == "allow" or id(one) in seen or not isinstance(one, yaml.CollectionNode):
            continue
        seen.add(id(one))
        for item in one.value:
            inner, value = item if isinstance(one, yaml.MappingNode) else (None, item)
            if inner is not None and not isinstance(inner, yaml.ScalarNode):
                return True
            waiting.append((inner.value if inner is not None else "", value))
    return False


def _is_nothing(node: yaml.Node) -> bool:
    return node.tag == "tag:yaml.org,2002:null"
