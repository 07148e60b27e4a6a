"""What ``exec`` says at a terminal while there is no answer."""

from __future__ import annotations

from typing import Any

import pytest

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.frontends.waits import Waits
from dsh_tui.engine.session.event import Event
from tests.fakes.session_logs import bare_session

ONE = {"compactionId": "c1"}
BUSY = {
    "retry": 1,
    "maxRetries": 5,
    "delayMs": 500,
    "failure": {"code": "SERVER", "message": "Busy\x1b[31m."},
}


def told(*events: tuple[str, dict[str, Any]]) -> None:
    session, waits = bare_session("s1"), Waits()
    for seq, (tag, data) in enumerate(events):
        waits.tell(session, Event(tag, seq, seq, freeze(data)))


def test_a_compaction_is_one_line_and_each_retry_of_its_summary_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told(
        ("compact/start", {**ONE, "trigger": "overflow"}),
        ("compact/prune", {**ONE, "results": 2, "tokensBefore": 12_000, "tokensAfter": 3_000}),
        ("compact/retry", {**ONE, **BUSY}),
        ("compact/summary", {**ONE, "summary": [{"type": "text", "text": "We talked."}], "messages": 7,
                             "tokensBefore": 8_000, "tokensAfter": 90}),
        ("compact/end", {**ONE, "outcome": "done"}),
        ("tool/result", {}),
    )  # fmt: skip
    out, err = capsys.readouterr()
    assert out == ""
    retry, done = err.splitlines()
    assert retry == "dsh-tui: Busy␛[31m. · retry 1 of 5 after 0.5 s"
    assert done == (
        "dsh-tui: The request was too long: 7 messages summarised, ~17.0k → ~90 tokens, "
        "after 2 long tool results were shortened"
    )


def test_two_compactions_are_not_mixed(capsys: pytest.CaptureFixture[str]) -> None:
    told(
        ("compact/start", {**ONE, "trigger": "auto"}),
        ("compact/prune", {**ONE, "results": 2, "tokensBefore": 12_000, "tokensAfter": 3_000}),
        ("compact/end", {**ONE, "outcome": "done"}),
        ("compact/start", {"compactionId": "c2", "trigger": "auto"}),
        ("compact/end", {"compactionId": "c2", "outcome": "failed", "error": "bad key"}),
    )
    assert capsys.readouterr().err.splitlines() == [
        "dsh-tui: Window nearly full: 2 long tool results shortened, ~12.0k → ~3.0k tokens",
        "dsh-tui: History not summarised: bad key",
    ]
