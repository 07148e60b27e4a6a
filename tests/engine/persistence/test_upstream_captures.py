"""Logs that published builds of the original wrote, where they are at hand: not part of this project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dsh_tui.engine.persistence.dialects.adoption import adopt
from dsh_tui.engine.persistence.dialects.reader import read_original
from dsh_tui.engine.persistence.dialects.summary import read_summary
from dsh_tui.engine.persistence.dialects.text import log_text
from dsh_tui.engine.persistence.stored import with_closers
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import AnswerView, ToolView, UserView
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.verify import verify_log

CAPTURES = Path(__file__).resolve().parents[4] / "shared" / "upstream-sessions"
LOGS = sorted(CAPTURES.glob("*/*/home*/sessions/*/*/session*.jsonl*"))

pytestmark = pytest.mark.skipif(not LOGS, reason="the captures are not here")


def decoded(path: Path) -> str:
    """The text of a log, from the copy that was decoded by another program."""
    if not path.name.endswith(".zstd"):
        return path.read_text(encoding="utf-8")
    home = path.parents[3]
    name = f"{path.parent.name}.{path.name.removesuffix('.zstd')}"
    return (home.parent / "decoded" / home.name / name).read_text(encoding="utf-8")


def place(row: dict[str, Any]) -> int:
    seq: int = row["seq"] if "seq" in row else row["seq0"]
    return seq


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in decoded(path).splitlines()]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: "/".join(path.parts[-7:-5]) + path.parent.name[-6:])
def test_a_capture_reads_as_it_was_written(path: Path) -> None:
    assert "\n".join(log_text(path.read_bytes(), path).lines) + "\n" == decoded(path)
    loaded = read_original(path)
    assert (loaded.status, loaded.notices) == ("ok", ())
    header, *rows = rows_of(path)
    assert loaded.dialect == f"dsh v{header['version']}"
    last = rows[-1]
    members = len(last["data"].get("texts") or last["data"].get("args") or [0])
    assert len(loaded.events) == place(last) + members
    events = {event.seq: event for event in loaded.events}
    for row in rows:
        event = events[place(row)]
        assert event.time == row.get("time", row.get("time0"))
        assert event.type in (row["type"], f"dsh/{row['type']}", "context/message", "assistant/chunk")
    fold = SessionFold(loaded.header)
    fold.apply_all(with_closers(loaded).events)
    view = fold.view()
    assert [b.text for b in view.blocks if isinstance(b, UserView) and b.origin == "prompt"] == [
        "".join(block["text"] for block in row["data"]["content"])
        for row in rows
        if row["type"] == "user/message" and row["data"]["source"]["kind"] == "user"
    ]
    answers = [b.text for b in view.blocks if isinstance(b, AnswerView) and not b.interrupted]
    assert answers == [
        block["text"]
        for row in rows
        if row["type"] == "assistant/message"
        for block in row["data"]["message"]["content"]
        if block["type"] == "text"
    ]
    calls = [b.call_id for b in view.blocks if isinstance(b, ToolView)]
    assert calls == [row["data"]["callId"] for row in rows if row["type"] == "tool/call"]
    titles = [row["data"]["title"] for row in rows if row["type"] == "session/title"]
    summary = read_summary(path)
    assert (view.title, summary.title) == (titles[-1], titles[-1])
    assert summary.turns == view.status.turns
    assert view.status.tokens_out == sum(
        row["data"].get("usage", {}).get("outputTokens", 0)
        for row in rows
        if row["type"] == "assistant/message"
    )


@pytest.mark.parametrize("path", LOGS, ids=lambda path: "/".join(path.parts[-7:-5]) + path.parent.name[-6:])
def test_a_capture_can_be_gone_on_from(path: Path) -> None:
    meta, seed = adopt(read_original(path))
    session = Session(new_header("copy", 1, meta), seed=seed)
    assert verify_log(session.events) is None
    assert session.open_turn is None
    assert session.request_header is not None
