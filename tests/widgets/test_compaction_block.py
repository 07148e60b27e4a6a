"""The row of a compaction, from its events to what is drawn."""

from __future__ import annotations

from typing import Any

import pytest

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.projection.compaction_views import CompactionView
from dsh_tui.engine.projection.plain_text import render_markdown
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.session.event import Event
from dsh_tui.theme import THEMES
from dsh_tui.widgets import block_rows, compaction_block
from dsh_tui.widgets.palette import palette_from

THEME = THEMES[0]
INK = palette_from({**THEME.to_color_system().generate(), **THEME.variables})
TEXT = {"type": "text", "text": "We talked.\n\x1b[31mThen we wrote src/retry.py."}
START = ("compact/start", {"compactionId": "c1", "trigger": "auto", "keep": "the names"})
SUMMARY = (
    "compact/summary",
    {
        "compactionId": "c1", "summary": [TEXT], "messages": 42, "tokensBefore": 182_400, "tokensAfter": 950,
    },
)  # fmt: skip
PRUNE = ("compact/prune", {"compactionId": "c1", "results": 3, "tokensBefore": 40_200, "tokensAfter": 4_100})
RETRY = (
    "compact/retry",
    {
        "compactionId": "c1", "retry": 1, "maxRetries": 5, "delayMs": 2_000,
        "failure": {"code": "SERVER", "message": "The provider has a problem (503): busy."},
    },
)  # fmt: skip
ASKED = (
    "request/one-shot",
    {"purpose": "compaction", "header": {}, "inherits": [], "history": 2, "messages": []},
)
CHECKPOINT = (
    "context/message",
    {"id": "m1", "content": [TEXT], "source": {"kind": "plugin", "plugin": "compaction"}},
)


def end(outcome: str, error: str = "") -> tuple[str, dict[str, Any]]:
    said = {"compactionId": "c1", "outcome": outcome}
    return "compact/end", {**said, "error": error} if error else said


def turn_end(kind: str) -> tuple[str, dict[str, Any]]:
    return "turn/end", {"turn": 1, "reason": {"kind": kind}}


def folded(*told: tuple[str, dict[str, Any]]) -> SessionFold:
    fold = SessionFold({"id": "s1"})
    trigger = {"kind": "compaction", "source": {"kind": "plugin", "plugin": "compaction"}}
    for seq, (tag, data) in enumerate([("turn/start", {"turn": 1, "trigger": trigger}), *told]):
        fold.apply(Event(tag, seq, 1_000 + seq, freeze(data)))
    return fold


def rows(fold: SessionFold, *, closed: bool = True, width: int = 80) -> list[str]:
    (view,) = fold.view().blocks
    assert isinstance(view, CompactionView)
    drawn = compaction_block.render(view, width, INK, folded=closed)
    return ["".join(segment.text for segment in row.segments).rstrip() for row in drawn]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ([START], "Summarising the early history… esc stops"),
        ([START, end("cancelled"), turn_end("aborted")], "was stopped; the history is as it was"),
        ([START, turn_end("interrupted")], "was cut by the end of the program"),
        ([START, end("failed", "the server is on fire.")], "History not summarised: the server is on fire"),
        (
            [START, RETRY],
            "No summary yet: The provider has a problem (503): busy · retry 1 of 5 after 2 s · esc stops",
        ),
        (
            [START, PRUNE, end("failed", "bad key"), turn_end("completed")],
            "History not summarised: bad key; 3 long tool results were shortened, ~40.2k → ~4.1k tokens",
        ),
        (
            [START, PRUNE, end("cancelled"), turn_end("aborted")],
            "Summarising was stopped; 3 long tool results were shortened, ~40.2k → ~4.1k tokens",
        ),
        (
            [START, PRUNE, end("done"), turn_end("completed")],
            "Window nearly full: 3 long tool results shortened, ~40.2k → ~4.1k tokens",
        ),
        (
            [("compact/start", {"compactionId": "c1", "trigger": "overflow"}), PRUNE, end("done")],
            "The request was too long: 3 long tool results shortened, ~40.2k → ~4.1k tokens",
        ),
    ],
)
def test_what_came_to_nothing_is_said(told: list[tuple[str, dict[str, Any]]], words: str) -> None:
    fold = folded(*told)
    view = next(view for view in fold.view().blocks if isinstance(view, CompactionView))
    shown = compaction_block.render(view, 80, INK, folded=True)
    drawn = "".join(segment.text for row in shown for segment in row.segments)
    assert words in " ".join(drawn.split())
    assert not block_rows.foldable(view)


def test_a_crash_while_the_history_is_summarised_is_told_by_its_row_alone() -> None:
    (row,) = rows(folded(START, turn_end("interrupted")))
    assert "was cut by the end of the program; the history is as it was" in row


def test_one_row_tells_what_was_saved_and_opens_to_the_summary() -> None:
    fold = folded(START, SUMMARY, CHECKPOINT, end("done"), turn_end("completed"))
    (row,) = rows(fold)
    assert row.split("▸")[0].strip() == ("≡ Window nearly full: 42 messages summarised, ~182k → ~950 tokens")
    opened = rows(fold, closed=False)
    assert any("Above all: the names" in row for row in opened)
    assert any("Then we wrote src/retry.py." in row for row in opened)
    assert not any("\x1b" in row for row in opened)
    assert "Then we wrote src/retry.py." in render_markdown("t", fold.view().blocks)


def test_a_summary_behind_shortened_results_tells_what_both_saved() -> None:
    (row,) = rows(folded(START, PRUNE, SUMMARY, CHECKPOINT, end("done"), turn_end("completed")), width=120)
    assert row.split("▸")[0].strip() == (
        "≡ Window nearly full: 42 messages summarised, ~218k → ~950 tokens, "
        "after 3 long tool results were shortened"
    )


def test_a_wait_for_the_summary_is_counted_down_and_gone_when_it_is_asked_again() -> None:
    fold = folded(START, RETRY)
    retry = fold.view().status.retry
    assert retry is not None
    assert (retry.attempt, retry.limit, retry.due) == (1, 5, 1_002 + 2_000)
    assert fold.view().status.summarising
    for told in (ASKED, end("done")):
        fold.apply(Event(told[0], 9, 4_000, freeze(told[1])))
        assert fold.view().status.retry is None


def test_while_it_runs_the_status_says_so_and_afterwards_the_context_is_smaller() -> None:
    usage = {"inputTokens": 220_000, "outputTokens": 100}
    said = {"turn": 1, "step": 1, "id": "a", "content": [], "source": {"kind": "model"}, "usage": usage}
    fold = folded(("assistant/message", said), START)
    assert fold.view().status.summarising
    for tag, data in (PRUNE, SUMMARY, end("done")):
        fold.apply(Event(tag, 9, 2_000, freeze(data)))
    status = fold.view().status
    assert not status.summarising
    assert status.context_used == 220_100 - (40_200 - 4_100) - 182_400 + 950
