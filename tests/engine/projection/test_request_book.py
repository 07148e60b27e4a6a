from __future__ import annotations

from dataclasses import replace

import pytest

from dsh_tui.engine.base.lossless import dump_bytes
from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.llm.deepseek.wire import body_bytes, request_body
from dsh_tui.engine.llm.prices import Price
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.projection.body_pieces import pieces_of
from dsh_tui.engine.projection.request_diff import request_changes
from dsh_tui.engine.projection.request_parts import estimate_tokens, sections
from dsh_tui.engine.projection.request_views import verdict
from dsh_tui.engine.projection.requests import RequestBook
from dsh_tui.engine.session.log import EventLog
from tests.fakes.history_log import SYSTEM, history, seqs


@pytest.fixture(scope="module")
def log() -> EventLog:
    return history()


@pytest.fixture(scope="module")
def book(log: EventLog) -> RequestBook:
    return RequestBook(log, request_body, "s1")


def test_every_step_has_the_body_that_the_log_rebuilds(book: RequestBook, log: EventLog) -> None:
    rebuilt = [body_bytes(request.as_request("s1")) for request in rebuild_requests(log)]
    assert [dump_bytes(book.body(row.index)) for row in book.rows] == rebuilt
    assert [(row.turn, row.step) for row in book.rows] == [
        *((1, step) for step in (1, 2, 3, 4)),
        *((turn, 1) for turn in (2, 3, 4, 5, 6)),
    ]


def test_every_step_knows_what_its_turn_was_asked_and_what_it_cost(log: EventLog) -> None:
    def price_of(_provider: str, model: str, at_ms: int) -> Price:
        return Price(currency="USD", input=0.0, cached=0.0, output=at_ms * 1.0)

    book = RequestBook(log, request_body, "s1", price_of)
    asked = {row.turn: row.asked for row in book.rows}
    prompts = [text_of(event.data["content"]) for event in log if event.type == "user/message"]
    assert list(asked.values()) == [" ".join(prompt.split()) for prompt in prompts]
    answers = [event for event in log if event.type == "assistant/message"]
    costs = {answer.data["usage"]["outputTokens"] * answer.time / 1_000_000 for answer in answers}
    assert {amount for row in book.rows for _, amount in row.cost.amounts} == costs


def test_tokens_written_to_the_cache_are_among_those_that_missed_it(log: EventLog) -> None:
    counted = {"inputTokens": 10, "cacheReadTokens": 5, "cacheWriteTokens": 7, "outputTokens": 1}
    answers = seqs(log, "assistant/message")
    events = [
        replace(event, data={**event.data, "usage": counted}) if event.seq == answers[0] else event
        for event in log
    ]
    row = RequestBook(events, request_body, "s1").rows[0]
    assert (row.hit, row.miss, row.written) == (5, 17, 7)


def test_pieces_are_the_bytes_at_their_places(book: RequestBook) -> None:
    for row in book.rows:
        body = dump_bytes(book.body(row.index))
        cut = pieces_of(book.body(row.index))
        assert cut.size == len(body)
        for piece in (*cut.settings.values(), *cut.messages, *cut.tools):
            assert body[piece.start : piece.start + len(piece.data)] == piece.data


def test_parts_name_their_events_and_producers(book: RequestBook, log: EventLog) -> None:
    view = book.view(5)
    assert view.row.turn == 3
    kinds = [part.kind for part in view.parts]
    assert kinds == sorted(kinds, key=["settings", "system", "tool", "message"].index)
    assert [part.label for part in view.parts if part.kind == "system"] == ["opening", "Tools", "Environment"]
    assert "".join(part.text for part in view.parts if part.kind == "system") == SYSTEM
    assert [part.label for part in view.parts if part.kind == "tool"] == ["browse", "bash", "edit", "read"]
    initial, fallback = seqs(log, "request/header")
    assert {part.seq for part in view.parts if part.kind == "system"} == {initial}
    tools = {part.label: part.seq for part in view.parts if part.kind == "tool"}
    assert tools == {"browse": fallback, "bash": initial, "edit": initial, "read": initial}
    messages = [part for part in view.parts if part.kind == "message"]
    assert [part.label for part in messages[:3]] == ["user", "assistant → read", "result read"]
    assert messages[-1].producer == "browser"
    for part in messages:
        assert log[part.seq].type in ("user/message", "context/message", "assistant/message", "tool/result")
    assert sum(part.bytes for part in view.parts) < view.body_bytes


def test_a_continuation_keeps_its_prefix(book: RequestBook) -> None:
    for index in (1, 2, 3, 8):
        view = book.view(index)
        assert view.broken is None
        assert not view.row.dropped
        assert verdict(view)[0] == "ok"
    assert book.rows[1].hit_percent == pytest.approx(100 * 4160 / 4580)
    assert verdict(book.view(0))[0] == "info"


@pytest.mark.parametrize(
    ("index", "where", "words"),
    [
        (4, "the settings", "reasoning_effort high → max"),
        (5, "the tools", "the tool browse was added"),
        (6, "message 2", "history was summarised"),
    ],
)
def test_a_break_is_put_down_to_its_event(
    book: RequestBook, log: EventLog, index: int, where: str, words: str
) -> None:
    view = book.view(index)
    assert view.row.dropped
    broken = view.broken
    assert broken is not None
    assert (broken.where, broken.words) == (where, words)
    assert log[broken.seq].type == broken.event
    before, after = dump_bytes(book.body(index - 1)), dump_bytes(book.body(index))
    assert before[: broken.byte] == after[: broken.byte] or broken.where in ("the settings", "the tools")
    assert f"byte {broken.byte:,}" in verdict(view)[1]


def test_a_lost_cache_with_the_same_prefix_is_the_providers(book: RequestBook) -> None:
    view = book.view(7)
    assert view.row.dropped
    assert view.broken is None
    tone, words = verdict(view)
    assert tone == "warning"
    assert "unchanged: provider side" in words
    assert "3 h" in words


def test_changes_are_what_differs_from_the_step_before(book: RequestBook) -> None:
    added = request_changes(book.view(0), book.view(1))
    assert [(change.kind, change.part.label) for change in added] == [
        ("added", "assistant → read"),
        ("added", "result read"),
    ]
    effort = request_changes(book.view(3), book.view(4))
    assert effort[0].lines == (" ⋯", " provider: deepseek", " model: deepseek-flash", *effort[0].lines[3:])
    assert effort[0].lines[-2:] == ("-reasoningEffort: high", "+reasoningEffort: max")
    summed = request_changes(book.view(5), book.view(6))
    assert [change.kind for change in summed].count("removed") == 6
    assert request_changes(None, book.view(0))[0].kind == "added"


@pytest.mark.parametrize("system", ["", "plain", "# A\nx\n## B\n", "\n# A\nx", "lead\n# A"])
def test_sections_are_the_whole_prompt(system: str) -> None:
    assert "".join(section.text for section in sections(system)) == system


def test_tokens_are_estimated_by_script() -> None:
    assert estimate_tokens("a" * 100) == 30
    assert estimate_tokens("汉" * 100) == 60


def test_a_log_without_requests_has_none() -> None:
    assert RequestBook([], request_body).rows == ()
