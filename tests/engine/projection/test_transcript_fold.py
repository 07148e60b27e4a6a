from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.transcript import TranscriptFold
from dsh_tui.engine.projection.views import (
    AnswerView,
    NoticeView,
    ThinkingView,
    ToolView,
    TurnEndView,
    UserView,
)
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import pack


class Log:
    """Events with running numbers and a clock that ticks 100 ms an event."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, type_: str, **data: Any) -> None:
        seq = len(self.events)
        self.events.append(Event(type_, seq, 1000 + 100 * seq, data))

    def chunk(self, **chunk: Any) -> None:
        self("assistant/chunk", turn=1, step=1, chunk=chunk)

    def message(self, *content: dict[str, Any], **more: Any) -> None:
        self("assistant/message", turn=1, step=1, id="m", content=content, source={"kind": "model"}, **more)

    def start(self, text: str = "go") -> None:
        self("turn/start", turn=1, trigger={"kind": "message", "source": {"kind": "user"}})
        self("user/message", id="u", content=({"type": "text", "text": text},), source={"kind": "user"})
        self("step/start", turn=1, step=1)

    def end(self, **reason: Any) -> None:
        self("turn/end", turn=1, reason=reason or {"kind": "completed"})

    def call(self, call_id: str = "c") -> None:
        self("tool/call", turn=1, step=1, callId=call_id, name="bash", arguments='{"command":"ls"}')

    def result(self, text: str, call_id: str = "c", **more: Any) -> None:
        content = ({"type": "text", "text": text},)
        self("tool/result", turn=1, step=1, id="r", callId=call_id, content=content, isError=False, **more)

    def fold(self) -> TranscriptFold:
        session = SessionFold({})
        session.apply_all(self.events)
        session.transcript.take_dirty()
        return session.transcript


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


CALL = {"type": "tool-call", "id": "c", "name": "bash", "arguments": '{"command":"ls"}'}


def test_a_turn_becomes_its_blocks() -> None:
    log = Log()
    log.start()
    log.chunk(type="reasoning-delta", index=0, text="hm")
    log.chunk(type="text-delta", index=1, text="I lo")
    log.chunk(type="text-delta", index=1, text="ok.")
    log.chunk(type="tool-call-delta", index=2, id="c", name="bash", argumentsDelta='{"command":')
    log.message(
        {"type": "reasoning", "text": "hm"},
        text("I look."),
        CALL,
        usage={"inputTokens": 10, "outputTokens": 5, "cacheReadTokens": 90},
    )
    log.call()
    log.result("out", meta={"exitCode": 0, "durationMs": 12})
    log.end()
    user, thinking, answer, tool, end = log.fold().blocks
    assert isinstance(user, UserView)
    assert user.text == "go"
    assert isinstance(thinking, ThinkingView)
    assert (thinking.text, thinking.done) == ("hm", True)
    assert isinstance(answer, AnswerView)
    assert (answer.text, answer.done) == ("I look.", True)
    assert isinstance(tool, ToolView)
    assert (tool.state, tool.verb, tool.subject, tool.duration_ms) == ("ok", "Run", "ls", 12)
    assert isinstance(end, TurnEndView)
    assert (end.tokens_in, end.tokens_out, end.cache_percent) == (100, 5, 90)


def test_open_text_is_joined_only_when_a_view_is_taken() -> None:
    log = Log()
    log.start()
    fold = log.fold()
    for word in ("a", " b", " c"):
        fold.apply(
            Event("assistant/chunk", 9, 9, {"chunk": {"type": "text-delta", "index": 0, "text": word}})
        )
    assert fold.take_dirty() == 1
    assert fold.blocks[1] == AnswerView(seq=9, text="a b c", done=False)
    assert fold.take_dirty() is None


def test_blank_text_before_a_call_makes_no_block() -> None:
    log = Log()
    log.start()
    log.chunk(type="text-delta", index=0, text="\n\n")
    log.message(text("\n\n"), CALL)
    assert [type(block) for block in log.fold().blocks] == [UserView, ToolView]


def test_an_approval_is_seen_on_its_call() -> None:
    log = Log()
    log.start()
    log.message(CALL)
    log.call()

    def state() -> str:
        view = log.fold().blocks[1]
        assert isinstance(view, ToolView)
        return view.state

    log("approval/asked", id="a", callId="c", toolName="bash", arguments="{}", reason="asks")
    assert state() == "waiting"
    log("approval/decided", id="a", callId="c", outcome="allowed-once", by="user")
    assert state() == "running"
    log.result("out")
    assert state() == "ok"


def test_a_denied_call_stays_denied_with_the_words_of_the_person() -> None:
    log = Log()
    log.start()
    log.message(CALL)
    log.call()
    log("approval/asked", id="a", callId="c", toolName="bash", arguments="{}", reason="asks")
    log("approval/decided", id="a", callId="c", outcome="rejected", by="user", feedback="not there")
    log.result("denied")
    view = log.fold().blocks[1]
    assert isinstance(view, ToolView)
    assert (view.state, view.feedback) == ("denied", "not there")


def test_a_repaired_turn_says_that_it_was_interrupted() -> None:
    log = Log()
    log.start()
    log.message(CALL)
    log.call()
    log.chunk(type="text-delta", index=0, text="half an ans")
    log.end(kind="interrupted")
    _, tool, answer, notice, end = log.fold().blocks
    assert isinstance(tool, ToolView)
    assert tool.state == "cancelled"
    assert isinstance(answer, AnswerView)
    assert answer.interrupted
    assert isinstance(notice, NoticeView)
    assert "before this turn did" in notice.text
    assert isinstance(end, TurnEndView)
    assert end.reason == "interrupted"


def test_a_turn_in_which_only_a_plugin_spoke_has_no_end_of_its_own() -> None:
    log = Log()
    log("turn/start", turn=1, trigger={"kind": "injection", "source": {"kind": "plugin", "plugin": "shell"}})
    log("context/message", id="k", content=(text("ended"),), source={"kind": "plugin", "plugin": "shell"})
    log.end()
    assert [type(block) for block in log.fold().blocks] == [UserView]


def test_one_row_tells_of_a_chain_of_retries() -> None:
    log = Log()
    log.start()
    for retry in (1, 2):
        log(
            "llm/retry", retryId=f"r{retry}", turn=1, step=1, provider="p", mode="m", retry=retry,
            maxRetries=5, delayMs=2000, failure={"message": "busy", "code": "RATE_LIMIT"},
        )  # fmt: skip
    notices = [block for block in log.fold().blocks if isinstance(block, NoticeView)]
    assert [(notice.text, notice.hint) for notice in notices] == [("busy", "retry 2 of 5 after 2 s")]
    log.end(kind="error", step=1, message="Busy.", code="RATE_LIMIT")
    notices = [block for block in log.fold().blocks if isinstance(block, NoticeView)]
    assert [notice.text for notice in notices] == ["Busy. Tried 3 times."]


def test_what_a_failed_request_said_stays_and_is_marked() -> None:
    log = Log()
    log.start()
    log.chunk(type="text-delta", index=0, text="half")
    log("llm/retry", retryId="r", turn=1, step=1, retry=1, delayMs=1, failure={"message": "gone"})
    log.chunk(type="text-delta", index=0, text="whole")
    assert [a.answered_again for a in _answers(log)] == [False, False]
    log.message(text("whole"))
    assert [(a.text, a.interrupted, a.answered_again) for a in _answers(log)] == [
        ("half", True, True),
        ("whole", False, False),
    ]


def test_a_half_answer_stays_in_full_when_no_whole_one_follows() -> None:
    log = Log()
    log.start()
    log.chunk(type="text-delta", index=0, text="half")
    log("llm/retry", retryId="r", turn=1, step=1, retry=1, delayMs=1, failure={"message": "gone"})
    log.end(kind="error", step=1, message="gone", code="NETWORK")
    log.start()
    log.message(text("another answer"))
    assert [a.answered_again for a in _answers(log)] == [False, False]


def _answers(log: Log) -> list[AnswerView]:
    return [block for block in log.fold().blocks if isinstance(block, AnswerView)]


def test_an_error_ends_the_turn_with_its_message_and_the_next_step() -> None:
    log = Log()
    log.start()
    log.end(kind="error", step=1, message="The key was refused", code="AUTH")
    notice = log.fold().blocks[-2]
    assert isinstance(notice, NoticeView)
    assert (notice.tone, notice.text) == ("error", "The key was refused")
    assert "key" in notice.hint


def test_who_said_it_is_told_apart() -> None:
    log = Log()
    log.start()
    log("steering/message", id="s", turn=1, content=(text("rather this"),), source={"kind": "user"})
    log("context/message", id="k", content=(text("rules"),), source={"kind": "plugin", "plugin": "memory"})
    log("prompt/blocked", id="b", content=(text("no"),), source={"kind": "user"}, reason="policy")
    views = [block for block in log.fold().blocks if isinstance(block, UserView)]
    assert [(view.origin, view.producer) for view in views] == [
        ("prompt", ""), ("steering", ""), ("context", "memory"), ("blocked", "policy"),
    ]  # fmt: skip


def test_a_turn_of_a_plugin_that_shows_nothing_shows_nothing() -> None:
    log = Log()
    log("turn/start", turn=1, trigger={"kind": "title", "source": {"kind": "plugin"}})
    log("session/title", title="T", source="model")
    log.end()
    assert log.fold().blocks == []


def test_unknown_events_chunks_and_blocks_change_nothing() -> None:
    log = Log()
    log.start()
    log("plugin/thing", anything=1)
    log.chunk(type="weird", index=0)
    log.chunk(type="block-end", index=7, block={"type": "video", "url": "x"})
    log.message({"type": "video", "url": "x"}, text("ok"))
    assert [type(block) for block in log.fold().blocks] == [UserView, AnswerView]


def _blocks(log: Log, draw: st.DrawFn) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    for index in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["text", "reasoning", "tool-call"]))
        pieces = draw(st.lists(st.text(max_size=4), max_size=4))
        call_id = f"call-{len(log.events)}"
        for piece in pieces:
            if kind == "tool-call":
                log.chunk(type="tool-call-delta", index=index, id=call_id, name="read", argumentsDelta=piece)
            else:
                log.chunk(type=f"{kind}-delta", index=index, text=piece)
        block = {"type": kind, "text": "".join(pieces)}
        if kind == "tool-call":
            block = {"type": kind, "id": call_id, "name": "read", "arguments": "".join(pieces)}
        content.append(block)
        if draw(st.booleans()):
            log.chunk(type="block-end", index=index, block=block)
    return content


def _run(log: Log, call_id: str, draw: st.DrawFn) -> None:
    log.call(call_id)
    if draw(st.booleans()):
        log("approval/asked", id=call_id, callId=call_id, toolName="read", reason="r")
    if draw(st.booleans()):
        log.result("x", call_id)


def _steps(draw: st.DrawFn) -> Log:
    log = Log()
    for _ in range(draw(st.integers(1, 3))):
        log.start(draw(st.text(max_size=5)))
        content = _blocks(log, draw)
        if draw(st.booleans()):
            log.message(*content)
            for block in content:
                if block["type"] == "tool-call" and draw(st.booleans()):
                    _run(log, block["id"], draw)
        if draw(st.booleans()):
            log("llm/retry", retryId="r", turn=1, step=1, retry=1, delayMs=1, failure={"message": "m"})
        if draw(st.booleans()):
            log.end(kind=draw(st.sampled_from(["completed", "aborted", "error", "interrupted"])))
    return log


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_looking_in_between_changes_nothing(data: st.DataObject) -> None:
    log = _steps(data.draw)  # type: ignore[arg-type]  # the drawing function is the same
    whole, step_by_step = SessionFold({"id": "s"}), SessionFold({"id": "s"})
    whole.apply_all(log.events)
    mirror: list[Any] = []
    for event in log.events:
        step_by_step.apply(event)
        if data.draw(st.booleans()):
            view = step_by_step.view()
            mirror = [*mirror[: view.changed_from], *view.blocks[view.changed_from :]]
            assert mirror == list(view.blocks)
    one, other = whole.view(), step_by_step.view()
    assert list(one.blocks) == list(other.blocks)
    assert (one.status, one.approvals, one.title) == (other.status, other.approvals, other.title)
    assert [*mirror[: other.changed_from], *other.blocks[other.changed_from :]] == list(other.blocks)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_packed_runs_fold_to_what_their_events_fold_to(data: st.DataObject) -> None:
    events = _steps(data.draw).events  # type: ignore[arg-type]  # the drawing function is the same
    packed, plain = SessionFold({"id": "s"}), SessionFold({"id": "s"})
    log = EventLog.of(pack([Event(e.type, e.seq, e.time, freeze(e.data)) for e in events]))
    cut = data.draw(st.integers(0, len(events)))
    packed.apply_all(log.prefix(cut))
    packed.apply_all(log, cut)
    plain.apply_all(events)
    one, other = packed.view(), plain.view()
    assert list(one.blocks) == list(other.blocks)
    assert (one.status, one.approvals, one.title) == (other.status, other.approvals, other.title)


def test_who_cycles_through_the_modes_leaves_one_line() -> None:
    log = Log()
    log("permission/mode", mode="edits")
    log.start()
    log.end()
    for mode in ("edits", "plan", "sandbox"):
        log("turn/start", turn=2, trigger={"kind": "permission-mode"})
        log("permission/mode", mode=mode)
        log.end()
    log.start("more")
    log("permission/mode", mode="ask")
    notices = [block.text for block in log.fold().blocks if isinstance(block, NoticeView)]
    assert notices == ["Mode: sandbox", "Mode: ask"]


def test_a_switch_of_model_between_two_of_the_mode_keeps_both() -> None:
    log = Log()
    log.start()
    log("permission/mode", mode="edits")
    log("model/selected", provider="deepseek", model="pro")
    log("permission/mode", mode="plan")
    notices = [block.text for block in log.fold().blocks if isinstance(block, NoticeView)]
    assert notices == ["Mode: edits", "Model: deepseek/pro", "Mode: plan"]
