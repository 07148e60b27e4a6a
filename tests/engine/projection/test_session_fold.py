from __future__ import annotations

from typing import Any

from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import TodoView
from dsh_tui.engine.session.event import Event


def fold(*events: tuple[str, dict[str, Any]]) -> SessionFold:
    session = SessionFold({"id": "s", "cwd": "/w"}, generation=3)
    for seq, (type_, data) in enumerate(events):
        session.apply(Event(type_, seq, 1000 * seq, data))
    return session


TURN = ("turn/start", {"turn": 1, "trigger": {"kind": "message"}})
END = ("turn/end", {"turn": 1, "reason": {"kind": "completed"}})
HEADER = (
    "request/header",
    {
        "header": {"config": {"provider": "deepseek", "model": "flash", "reasoningEffort": "high"}},
        "reason": "initial",
    },
)
ASKED = (
    "approval/asked",
    {
        "id": "a",
        "callId": "c",
        "toolName": "bash",
        "arguments": '{"command":"rm x"}',
        "reason": "mode ask",
        "preview": {"card": "command", "command": "rm x", "cwd": "/w"},
    },
)


def test_a_view_carries_who_and_where() -> None:
    view = fold().view(queue=("next",), queue_paused=True, read_only="held by pid 7")
    assert (view.session_id, view.cwd, view.generation) == ("s", "/w", 3)
    assert (view.queue, view.queue_paused, view.read_only) == (("next",), True, "held by pid 7")
    assert view.changed_from == len(view.blocks) == 0


def test_the_status_follows_request_usage_and_mode() -> None:
    usage = {"inputTokens": 100, "outputTokens": 20, "cacheReadTokens": 300}
    status = (
        fold(
            TURN,
            HEADER,
            ("request/context", {"provider": "deepseek", "model": "flash", "contextWindow": 128_000}),
            ("permission/mode", {"mode": "edits"}),
            ("assistant/message", {"turn": 1, "step": 1, "id": "m", "content": (), "usage": usage}),
        )
        .view()
        .status
    )
    assert (status.provider, status.model, status.effort, status.mode) == (
        "deepseek",
        "flash",
        "high",
        "edits",
    )
    assert (status.context_used, status.context_window, status.cache_percent) == (420, 128_000, 75)
    assert (status.state, status.turns, status.turn_started) == ("running", 1, 0)


def test_silence_is_counted_from_the_last_chunk_and_only_while_the_model_is_asked() -> None:
    chunk = ("assistant/chunk", {"chunk": {"type": "text-delta", "index": 0, "text": "x"}})
    step = ("step/start", {"turn": 1, "step": 1})
    assert fold(TURN, step).view().status.last_activity == 1000
    assert fold(TURN, step, chunk).view().status.last_activity == 2000
    message = ("assistant/message", {"turn": 1, "step": 1, "id": "m", "content": ()})
    assert fold(TURN, step, chunk, message).view().status.last_activity is None


def test_a_retry_is_due_and_then_over() -> None:
    failure = {"message": "busy", "code": "RATE_LIMIT"}
    retry = ("llm/retry", {"retryId": "r", "retry": 2, "maxRetries": 5, "delayMs": 4000, "failure": failure})
    status = fold(TURN, retry).view().status
    assert status.retry is not None
    assert (status.retry.attempt, status.retry.limit, status.retry.due) == (2, 5, 5000)
    assert fold(TURN, retry, ("llm/retry-started", {"retryId": "r"})).view().status.retry is None


def test_an_approval_waits_until_it_is_decided_or_the_turn_ends() -> None:
    view = fold(TURN, ASKED).view()
    assert view.status.state == "waiting"
    approval = view.approvals[0]
    assert (approval.verb, approval.subject, approval.card.kind, approval.card.text) == (
        "Run", "rm x", "command", "rm x",
    )  # fmt: skip
    decided = ("approval/decided", {"id": "a", "callId": "c", "outcome": "rejected", "by": "user"})
    assert fold(TURN, ASKED, decided).view().approvals == ()
    assert fold(TURN, ASKED, END).view().approvals == ()


def test_the_agents_own_word_counts_where_the_log_cannot_know() -> None:
    assert fold(TURN).view(state="stopping").status.state == "stopping"
    assert fold(TURN, END).view(state="idle").status.state == "idle"


def test_the_newest_plan_is_the_plan() -> None:
    old = ("todo/write", {"todos": ({"content": "a", "status": "pending"},)})
    new = ("todo/write", {"todos": ({"content": "b", "status": "in_progress"},)})
    assert fold(old, new).view().todos == (TodoView("b", "in_progress"),)


def test_a_title_of_a_person_outlives_the_models() -> None:
    said = (
        "user/message",
        {"id": "u", "content": ({"type": "text", "text": " Fix\nit  now "},), "source": {"kind": "user"}},
    )
    assert fold(said).view().title == "Fix it now"
    model = ("session/title", {"title": "Fixing", "source": "model"})
    person = ("session/title", {"title": "Mine", "source": "user"})
    assert fold(said, model).view().title == "Fixing"
    assert fold(said, person, model).view().title == "Mine"


def test_long_first_words_are_cut_at_a_word() -> None:
    text = "word " * 40
    title = (
        fold(("user/message", {"id": "u", "content": ({"type": "text", "text": text},), "source": {}}))
        .view()
        .title
    )
    assert len(title) <= 61
    assert title.endswith("word…")
