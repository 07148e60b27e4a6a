"""A chat over the session of `history_log`, whose history can be looked at."""

from __future__ import annotations

from dsh_tui.bridge.session_history import SessionHistory
from dsh_tui.engine.llm.prices import Price
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import TurnEndView
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.history_log import HEADER, history


def listed_price(_provider: str, _model: str, _at_ms: int) -> Price:
    """The same for every model, at any time."""
    return Price(currency="USD", input=0.15, cached=0.003, output=0.60)


def with_history() -> FakeBridge:
    """All of it, to the crash at its end."""
    log = history()
    fold = SessionFold(HEADER, generation=1, price_of=listed_price)
    fold.apply_all(log)
    bridge = FakeBridge(fold.view().at_rest(keep_approvals=False))
    bridge.history = SessionHistory(HEADER, log, listed_price)
    return bridge


def first_turn() -> FakeBridge:
    """Its first turn, in which a file changed and a command ran."""
    bridge = with_history()
    blocks = bridge.view.blocks
    end = next(at for at, block in enumerate(blocks) if isinstance(block, TurnEndView))
    bridge.change(blocks=blocks[: end + 1])
    return bridge
