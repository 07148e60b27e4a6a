"""A request's body cut into the pieces that can change on their own, and where two bodies part.

The pieces are exact bytes of the body at exact offsets: settings, and each tool and message by
itself. A later request goes on from an earlier one if all of that is the same and only messages
were added at the end. Source: ux spec §3.2 (cache audit).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dsh_tui.engine.base.lossless import dump_bytes

Body = Mapping[str, object]
"""The JSON of a request, in the order in which it is written."""
LISTS = ("messages", "tools")


@dataclass(frozen=True, slots=True)
class Piece:
    """``data`` stands at ``start`` of the body. ``place`` counts within messages or tools."""

    field: str
    place: int
    start: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Pieces:
    """All pieces of one body; ``size`` is the body's length."""

    size: int
    settings: Mapping[str, Piece]
    messages: Sequence[Piece]
    tools: Sequence[Piece]


@dataclass(frozen=True, slots=True)
class Parting:
    """Where a body is no continuation of another: ``old`` or ``new`` is None where one has nothing."""

    byte: int
    field: str
    place: int
    old: Piece | None
    new: Piece | None


def pieces_of(body: Body) -> Pieces:
    """Cut a body."""
    settings: dict[str, Piece] = {}
    lists: dict[str, list[Piece]] = {name: [] for name in LISTS}
    at = 1
    for name, value in body.items():
        at += len(dump_bytes(name)) + 1
        if name in LISTS and isinstance(value, Sequence):
            at += 1
            for place, item in enumerate(value):
                lists[name].append(Piece(name, place, at, dump_bytes(item)))
                at += len(lists[name][-1].data) + 1
            at += not value
        else:
            settings[name] = Piece(name, 0, at, dump_bytes(value))
            at += len(settings[name].data)
        at += 1
    return Pieces(max(at, 2), settings, lists["messages"], lists["tools"])


def parting(old: Pieces, new: Pieces) -> Parting | None:
    """The first byte at which ``new`` does not go on from ``old``; None if it does."""
    found = [*_in_settings(old, new), *_in_list("tools", old.tools, new.tools, new.size)]
    longer = new.messages[: len(old.messages)]
    found += _in_list("messages", old.messages, longer, new.size)
    return min(found, key=lambda one: one.byte, default=None)


def _in_settings(old: Pieces, new: Pieces) -> Iterator[Parting]:
    for name in {**old.settings, **new.settings}:
        before, after = old.settings.get(name), new.settings.get(name)
        if before is None or after is None or before.data != after.data:
            yield _part(name, 0, before, after, new.size)


def _in_list(field: str, old: Sequence[Piece], new: Sequence[Piece], size: int) -> Iterator[Parting]:
    for place in range(max(len(old), len(new))):
        before = old[place] if place < len(old) else None
        after = new[place] if place < len(new) else None
        if before is None or after is None or before.data != after.data:
            end = new[-1].start + len(new[-1].data) if new else size
            yield _part(field, place, before, after, end)
            return


def _part(field: str, place: int, old: Piece | None, new: Piece | None, end: int) -> Parting:
    if new is None:
        return Parting(end, field, place, old, None)
    same = 0 if old is None else alike(old.data, new.data)
    return Parting(new.start + same, field, place, old, new)


def alike(one: bytes, other: bytes) -> int:
    """How many bytes two texts have in common at their start."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
