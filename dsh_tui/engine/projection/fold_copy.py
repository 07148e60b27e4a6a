"""A second fold that goes on from where a first one stands, while the first one goes on too.

Folds keep values and containers of values; only drafts of what is being written are mutable, so a
fold is copied where nothing is.
"""

from __future__ import annotations

from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import BlockView

_PARTS = ("spending", "transcript", "status", "todos", "approvals", "title")
_OWN = ("_cwd", "_session_id")
_NOT_STATE = ("routes", "blocks", "_spending", "price_of")


def copied(fold: SessionFold, blocks: list[BlockView]) -> SessionFold:
    """A fold in the same state over ``blocks``, which it owns from now on."""
    assert not fold.transcript.writing
    made = SessionFold({}, generation=fold.generation, price_of=fold.spending.price_of)
    _carry(fold, made, _OWN)
    for name in _PARTS:
        old, new = getattr(fold, name), getattr(made, name)
        _carry(old, new, [slot for slot in type(old).__slots__ if slot not in _NOT_STATE])
    made.transcript.blocks.extend(blocks)
    return made


def _carry(old: object, new: object, names: list[str] | tuple[str, ...]) -> None:
    for name in names:
        value = getattr(old, name)
        setattr(new, name, value.copy() if isinstance(value, dict | set | list) else value)
