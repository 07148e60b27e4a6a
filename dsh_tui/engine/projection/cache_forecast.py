"""How much of a request a provider would have to read anew, held against the last one it got. Pure.

A provider caches what a request begins with: its tools and messages, as one prefix for each model. What
stands beside them in a body (effort, temperature, limits) leaves that prefix as it is. Whether tools are
put before or behind the system prompt is the provider's affair, so a change of either is taken to cost
both. Counts are estimates, put in proportion to what the provider counted for the request before.
Source: ux spec §3.2; core spec §5 (stability).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.projection.body_pieces import Piece, Pieces, alike
from dsh_tui.engine.projection.request_parts import estimate_tokens

_SYSTEM: Final = b'{"role":"system"'
_FURTHEST: Final = 3.0
"""How far an estimate is corrected at most; beyond, the two did not count the same."""


@dataclass(frozen=True, slots=True)
class Uncached:
    """Tokens, about; ``why`` is empty where all of the earlier request is still the prefix."""

    tokens: int
    why: str


def uncached(old: Pieces | None, new: Pieces, *, counted: int | None) -> Uncached:
    """``old`` is the last request that the model got, None for none; ``counted`` what it came to."""
    everything = [*new.tools, *new.messages]
    if old is None:
        return Uncached(round(_estimate(everything)), "this model has nothing of it in its cache")
    scale = 1.0
    if counted is not None:
        scale = counted / max(1.0, _estimate([*old.tools, *old.messages]))
        scale = min(max(scale, 1 / _FURTHEST), _FURTHEST)
    if [piece.data for piece in old.tools] != [piece.data for piece in new.tools]:
        return Uncached(round(scale * _estimate(everything)), "its tools change")
    for place, (one, other) in enumerate(zip(old.messages, new.messages, strict=False)):
        if one.data != other.data:
            same = estimate_tokens(other.data[: alike(one.data, other.data)].decode("utf-8", "ignore"))
            if one.data.startswith(_SYSTEM):
                return Uncached(round(scale * (_estimate(everything) - same)), "the system prompt changes")
            rest = _estimate(new.messages[place:]) - same
            return Uncached(round(scale * rest), f"the prefix ends in message {place + 1}")
    return Uncached(round(scale * _estimate(new.messages[len(old.messages) :])), "")


def _estimate(pieces: Sequence[Piece]) -> float:
    return sum(estimate_tokens(piece.data.decode()) for piece in pieces)
