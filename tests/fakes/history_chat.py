"""A chat over the session of `history_log`, whose history can be looked at."""

from __future__ import annotations

from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.session_history import SessionHistory
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.history_log import HEADER, history


def with_history() -> FakeBridge:
    log = history()
    fold = SessionFold(HEADER, generation=1)
    fold.apply_all(log)
    bridge = FakeBridge(fold.view().at_rest(keep_approvals=False))
    bridge.history = SessionHistory(HEADER, log)
    return bridge
