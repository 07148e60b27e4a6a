"""What a request has that the one before had not, part by part. Pure.

Source: ux spec §3.1 (difference to the step before).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from dsh_tui.engine.projection.request_views import PartChange, PartView, RequestView

AROUND = 3
"""Lines that stayed, around those that changed."""
LONGEST = 4_000
"""Lines of a part beyond which it is not compared line by line."""


def request_changes(before: RequestView | None, after: RequestView) -> tuple[PartChange, ...]:
    """In the order of the request; what is gone stands at the end."""
    if before is None:
        return tuple(PartChange(kind="added", part=part, lines=_all("+", part)) for part in after.parts)
    known = {_name(part): part for part in before.parts}
    changes = []
    for part in after.parts:
        old = known.pop(_name(part), None)
        if old is None:
            changes.append(PartChange(kind="added", part=part, lines=_all("+", part)))
        elif old.text != part.text:
            changes.append(PartChange(kind="changed", part=part, lines=_compared(old, part)))
    changes.extend(PartChange(kind="removed", part=part, lines=_all("-", part)) for part in known.values())
    return tuple(changes)


def _name(part: PartView) -> tuple[str, str]:
    return part.kind, part.key


def _all(sign: str, part: PartView) -> tuple[str, ...]:
    return tuple(f"{sign}{line}" for line in part.text.splitlines())


def _compared(old: PartView, new: PartView) -> tuple[str, ...]:
    one, other = old.text.splitlines(), new.text.splitlines()
    if max(len(one), len(other)) > LONGEST:
        return (*_all("-", old), *_all("+", new))
    return tuple(_differing(one, other))


def _differing(one: list[str], other: list[str]) -> Iterator[str]:
    compared = difflib.unified_diff(one, other, n=AROUND, lineterm="")
    for at, line in enumerate(compared):
        if at < 2:  # the names of the files that it takes the texts for
            continue
        yield " ⋯" if line.startswith("@@") else line
