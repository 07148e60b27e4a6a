"""Reads a command line with the grammar of tree-sitter-bash: every command anywhere in it.

It finds commands in constructs that `reader` does not read (functions, cases, arrays, tests), so
that a denied one is seen there too. The parser is loaded with the first command line that is
judged. Source: design §3.15.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from dsh_tui.engine.permissions.command_line import UNKNOWN, NotUnderstood, SimpleCommand, Word
from dsh_tui.engine.permissions.words import WordReader

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

Span = tuple[int, int]

_COMMANDS: Final = frozenset({"command", "declaration_command", "unset_command", "test_command"})
_NOT_WORDS: Final = frozenset(
    {"command_name", "file_redirect", "herestring_redirect", "heredoc_redirect", "comment", "file_descriptor"}
)
_AS_ASCII: Final = bytes(byte if byte < 0x80 else ord("x") for byte in range(256))
"""The grammar's scanner looks characters up in C tables of 256 entries: one above U+FFFFF ended the
process. A letter in place of each byte keeps words and places as they are."""
_MOST_AROUND: Final = 4
"""Lists and pipelines around a command that are looked at for its here-document."""
_HOLDERS: Final = frozenset({"file_redirect", "herestring_redirect", "for_statement"})
"""Nodes whose words are no command's own."""


@dataclass(frozen=True, slots=True)
class Parse:
    """What the grammar finds. Places are offsets of UTF-8 bytes."""

    commands: tuple[SimpleCommand, ...]
    names: frozenset[Span]
    others: frozenset[Span]
    broken: bool
    """It could not be parsed as a whole."""


def parse(text: bytes) -> Parse:
    """The commands of ``text``, in order, also of a text with errors."""
    root = _OF_THREAD.parser.parse(text.translate(_AS_ASCII)).root_node
    commands: list[SimpleCommand] = []
    names: set[Span] = set()
    others: set[Span] = set()
    for node in _walk(root):
        if node.type in _COMMANDS:
            name = node.child_by_field_name("name") or node.child(0)
            assert name is not None
            places = [place for place in map(_place, _words(node)) if place != _place(name)]
            places += _dropped_dash(node, text)
            names.add(_place(name))
            others.update(places)
            commands.append(SimpleCommand(tuple(_word(text[slice(*at)]) for at in (_place(name), *places))))
        elif node.type in _HOLDERS:
            others.update(map(_place, _words(node)))
        elif node.type in (">&-", "<&-"):
            others.add((node.end_byte - 1, node.end_byte))
        elif node.type == "variable_assignment":
            others.add(_place(node))
    return Parse(tuple(commands), frozenset(names), frozenset(others), root.has_error)


class _OfThread(threading.local):
    """A parser belongs to one thread: past calls are judged in another than the present one."""

    @cached_property
    def parser(self) -> Parser:
        import tree_sitter  # 20 ms that the first paint need not wait for
        import tree_sitter_bash

        return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


_OF_THREAD: Final = _OfThread()


def _walk(root: Node) -> Iterator[Node]:
    """All nodes in order, without recursion: a text may be nested a thousand levels deep."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def _words(node: Node) -> Iterator[Node]:
    if node.type == "test_command":
        waiting = list(reversed(node.children))
        while waiting:
            child = waiting.pop()
            if child.type.endswith("_expression"):
                waiting.extend(reversed(child.children))
            else:
                yield child
        return
    for child in node.named_children:
        is_loop_name = node.type == "for_statement" and child.type in ("variable_name", "do_group")
        is_prefix = node.type == "command" and child.type == "variable_assignment"
        if child.type not in _NOT_WORDS and not is_loop_name and not is_prefix:
            yield child


def _dropped_dash(command: Node, text: bytes) -> list[Span]:
    """The grammar loses a ``-`` right in front of a here-document: ``wc - <<'E'``."""
    before: Node | None = command
    for _ in range(_MOST_AROUND):
        if before is None or before.end_byte != command.end_byte or before.next_sibling is not None:
            break
        before = before.parent
    document = None if before is None else before.next_sibling
    if document is None or document.type != "heredoc_redirect":
        return []
    gap = text[command.end_byte : document.start_byte]
    start = command.end_byte + len(gap) - len(gap.lstrip(b" \t"))
    return [(start, start + 1)] if gap.strip(b" \t") == b"-" and gap[:1] in b" \t" else []


def _place(node: Node) -> Span:
    return node.start_byte, node.end_byte


class _Word(WordReader):
    """One word alone; what its substitutions hold is found by the walk."""

    def read_list(self, end: str) -> None:
        raise NotUnderstood(end)

    def read_backquoted(self, start: int, end: int) -> None:
        raise NotUnderstood(self.text[start:end])


def _word(source: bytes) -> Word:
    reader = _Word(source.decode("utf-8", "replace"), 0)
    try:
        word = reader.word()
    except NotUnderstood:
        return UNKNOWN
    return word if reader.at == len(reader.text) else UNKNOWN
