"""The ledger: who decided on each call of a log, why, and after how long; and rules tried on it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from dsh_tui.engine.permissions.dry_run import dry_run
from dsh_tui.engine.permissions.hits import Hits
from dsh_tui.engine.permissions.ledger import LONGEST_ARGUMENT, PastCall, session_calls
from dsh_tui.engine.permissions.past_calls import PastCalls, one_line_of
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.persistence.jsonl.logs import JsonlLogs
from dsh_tui.engine.persistence.log_source import Excerpt, LogSource
from dsh_tui.engine.session.fork import fork_meta, fork_seed
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.session import Session
from tests.fakes.asked_log import ask_about, asked_log, begin_call, decide_on
from tests.fakes.fake_clock import FakeClock
from tests.fakes.log_folder import LogFolder
from tests.fakes.permission_bench import rules
from tests.fakes.session_logs import NOON, answer, bare_session, open_step, open_turn, result, result_data

ALLOW_LOG = "allow bash(git log *)"


def began(clock: FakeClock | None = None, calls: int = 1) -> Session:
    session = bare_session("s1", clock=clock)
    open_turn(session, "Find the flaky test")
    open_step(session)
    answer(session, "", *(f"c{at}" for at in range(calls)))
    return session


def calls_of(session: Session) -> tuple[PastCall, ...]:
    return session_calls(session.header, session.events).calls


def the_call(session: Session) -> PastCall:
    (call,) = calls_of(session)
    return call


def failed(session: Session, call_id: str, code: str) -> None:
    data = {**result_data(session, call_id), "isError": True, "error": {"name": "Error", "code": code}}
    session.append("tool/result", data)


@pytest.mark.parametrize(
    ("outcome", "ended", "decider", "by"),
    [
        ("allowed-once", "allowed", "person", "user"),
        ("rejected", "refused", "person", "user"),
        ("cancelled", "not answered", "stopped", "cancel"),
        ("unavailable", "refused", "nobody", "nobody"),
    ],
)
async def test_an_answer_says_who_why_and_after_how_long(
    outcome: str, ended: str, decider: str, by: str
) -> None:
    clock = FakeClock(NOON)
    session = began(clock)
    begin_call(session, "c0", "bash", command="npm test")
    ask_about(session, "c0")
    await clock.advance(4.2)
    decide_on(session, "c0", outcome, feedback="later")
    result(session, "c0")
    call = the_call(session)
    assert (call.ended, call.decider, call.by) == (ended, decider, by)
    assert (call.took_ms, call.why, call.words) == (4_200, "The agent wants to run a command.", "later")
    assert (call.session_id, call.call_id, call.cwd) == ("s1", "c0", "/work/app")
    assert one_line_of(call) == "Run npm test"


@pytest.mark.parametrize(("decision", "ended"), [("allow", "allowed"), ("deny", "refused")])
def test_a_rule_that_decided_is_named(decision: str, ended: str) -> None:
    session = began()
    begin_call(session, "c0", "bash", command="git log")
    rule = f"{decision} bash(git log *)"
    data = {"callId": "c0", "toolName": "bash", "decision": decision, "rule": rule, "scope": "user"}
    session.append("permission/decided", data)
    result(session, "c0")
    call = the_call(session)
    assert (call.ended, call.decider, call.by, call.scope) == (ended, "rule", rule, "user")
    assert Hits.of([call]).count(Rule.parse(rule), "user") == 1
    assert Hits.of([call]).count(Rule.parse(rule), "project") == 0


@pytest.mark.parametrize("by_person", [False, True])
@pytest.mark.parametrize(
    ("code", "ended", "decider", "by"),
    [
        ("TOOL_DENIED", "refused", "plugin", "a guard"),
        ("ABORTED_BEFORE_DISPATCH", "not run", "stopped", "cancel"),
        ("TOOL_TIMEOUT", "allowed", None, None),
        ("TOOL_OUTCOME_UNKNOWN", "allowed", None, None),
    ],
)
def test_a_call_that_was_allowed_and_did_not_run_is_no_hit_of_the_rule_that_allowed_it(
    code: str, ended: str, decider: str | None, by: str | None, by_person: bool
) -> None:
    session = began()
    begin_call(session, "c0", "bash", command="git log")
    if by_person:
        ask_about(session, "c0")
        decide_on(session, "c0", "allowed-once")
    else:
        allowed = {
            "callId": "c0",
            "toolName": "bash",
            "decision": "allow",
            "rule": ALLOW_LOG,
            "scope": "user",
        }
        session.append("permission/decided", allowed)
    failed(session, "c0", code)
    call = the_call(session)
    assert call.ended == ended
    assert call.decider == (decider or ("person" if by_person else "rule"))
    assert by is None or call.by == by
    run = dry_run(rules("deny bash(git log *)"), [call], lambda _tool: "execute")
    assert len(run.denied_but_allowed) == (ended == "allowed")
    expected = int(ended == "allowed" and not by_person)
    assert Hits.of([call]).count(Rule.parse(ALLOW_LOG), "user") == expected


def test_a_deny_rule_stays_the_one_that_refused() -> None:
    session = began()
    begin_call(session, "c0", "bash", command="rm x")
    denied = {"callId": "c0", "toolName": "bash", "decision": "deny", "rule": "deny bash", "scope": "user"}
    session.append("permission/decided", denied)
    failed(session, "c0", "TOOL_DENIED")
    call = the_call(session)
    assert (call.ended, call.decider, call.by) == ("refused", "rule", "deny bash")


def test_a_rule_that_asked_has_a_hit_whoever_answered() -> None:
    session = began()
    begin_call(session, "c0", "bash", command="git push")
    ask_about(session, "c0", by="ask bash(git push *)")
    decide_on(session, "c0", "rejected")
    result(session, "c0")
    call = the_call(session)
    assert (call.decider, call.asked_by) == ("person", "ask bash(git push *)")
    assert Hits.of([call]).count(Rule.parse("ask bash(git push *)"), "user") == 1


def test_hits_of_a_sessions_rule_are_those_of_that_session() -> None:
    session = began()
    begin_call(session, "c0", "bash", command="git log")
    data = {"callId": "c0", "toolName": "bash", "decision": "allow", "rule": ALLOW_LOG, "scope": "session"}
    session.append("permission/decided", data)
    result(session, "c0")
    hits = Hits.of(calls_of(session))
    assert hits.count(Rule.parse(ALLOW_LOG), "session", "s1") == 1
    assert hits.count(Rule.parse(ALLOW_LOG), "session", "s2") == 0


def test_what_nobody_was_asked_about_was_decided_by_the_mode_of_that_time() -> None:
    session = began(calls=2)
    begin_call(session, "c0", "read", file_path="a.py")
    result(session, "c0")
    session.append("permission/mode", {"mode": "plan"})
    begin_call(session, "c1", "write", file_path="a.py")
    failed(session, "c1", "TOOL_DENIED")
    first, second = calls_of(session)
    assert (first.decider, first.by, first.ended) == ("mode", "ask", "allowed")
    assert (second.decider, second.by, second.ended) == ("mode", "plan", "refused")


@pytest.mark.parametrize("code", ["UNKNOWN_TOOL", "INVALID_ARGS", "ABORTED_BEFORE_DISPATCH"])
def test_calls_that_nobody_had_to_decide_on_are_left_out(code: str) -> None:
    session = began(calls=2)
    begin_call(session, "c0", "nope")
    failed(session, "c0", code)
    begin_call(session, "c1", "bash", command="ls")  # not over yet
    assert calls_of(session) == ()


def test_a_fork_tells_only_its_own_calls() -> None:
    parent = asked_log("parent", [("ls", "allowed-once")])
    seed = fork_seed(parent.events, None)
    header = new_header("fork", NOON, fork_meta(parent.header, len(seed)))
    fork = Session(header, clock=FakeClock(NOON), seed=seed)
    assert calls_of(fork) == ()
    assert len(calls_of(parent)) == 1
    assert session_calls(fork.header, fork.events).title == "go"


def test_long_arguments_are_cut_and_commands_are_not() -> None:
    session = began(calls=2)
    begin_call(session, "c0", "write", file_path="a.py", content="x" * 50_000)
    result(session, "c0")
    begin_call(session, "c1", "bash", command="true; " * 5_000)
    result(session, "c1")
    write, bash = calls_of(session)
    assert len(str(write.arguments["content"])) == LONGEST_ARGUMENT
    assert len(str(bash.arguments["command"])) == 30_000


def test_a_dry_run_counts_what_a_rule_would_have_allowed_and_what_a_person_refused() -> None:
    session = asked_log(
        "s1",
        [
            ("git log -3", "allowed-once"),
            ("git log -p", "rejected"),
            ("git log; curl x", "allowed-once"),
            ("npm test", "rejected"),
        ],
    )
    run = dry_run(rules(ALLOW_LOG), calls_of(session), lambda _tool: "execute")
    assert run.summary == "would allow 2 of 4, among them 1 you refused"
    assert [call.arguments["command"] for call in run.allowed] == ["git log -3", "git log -p"]
    assert [call.arguments["command"] for call in run.allowed_but_refused] == ["git log -p"]
    denied = dry_run(rules("deny bash(git log *)"), calls_of(session), lambda _tool: "execute")
    assert denied.summary == "would deny 3 of 4, among them 2 that ran"
    nothing = dry_run(rules("allow bash(cargo *)"), calls_of(session), lambda _tool: "execute")
    assert nothing.summary == "would allow 0 of 4"


def test_a_dry_run_that_is_stopped_ends() -> None:
    session = asked_log("s1", [("git log", "allowed-once")] * 3)
    calls = (call for _ in range(1_000_000) for call in calls_of(session))  # would take minutes
    assert dry_run(rules(ALLOW_LOG), calls, lambda _tool: "execute", lambda: True).total < 1_000_000


class Counted(JsonlLogs):
    """Counts the logs that are read."""

    reads = 0

    def excerpt(self, path: str, types: Collection[str]) -> Excerpt:
        self.reads += 1
        return super().excerpt(path, types)


def test_logs_are_read_once_and_again_only_when_they_have_changed(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.store(asked_log("s1", [("ls", "allowed-once")]))
    logs.store(asked_log("s2", [("npm test", "rejected")]))
    source = Counted(tmp_path)
    past = PastCalls(lambda: [source])
    assert len(past.calls()) == len(past.calls()) == 2
    assert source.reads == 2
    logs.store(asked_log("s1", [("ls", "allowed-once"), ("pwd", "allowed-once")]))
    assert len(past.calls()) == 3
    assert source.reads == 3


def test_a_log_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.store(asked_log("good", [("ls", "allowed-once")]))
    broken = logs.store(asked_log("bad", [("pwd", "allowed-once"), ("id", "allowed-once")]))
    lines = broken.read_bytes().split(b"\n")
    no_call = b'{"type":"tool/call","data":{}}'
    broken.write_bytes(b"\n".join([lines[0], b"\xff{", *lines[2:-4], no_call, b"{half"]))
    newer = logs.store(asked_log("newer", [("date", "allowed-once")]))
    newer.write_bytes(newer.read_bytes().replace(b'"version":1', b'"version":9', 1))
    found = {str(call.arguments["command"]) for call in PastCalls(lambda: [JsonlLogs(tmp_path)]).calls()}
    assert {"ls", "pwd"} <= found
    assert "date" not in found


def test_sources_of_several_homes_are_read_alike(tmp_path: Path) -> None:
    one, two = LogFolder(tmp_path / "one"), LogFolder(tmp_path / "two")
    one.store(asked_log("s1", [("ls", "allowed-once")]))
    two.store(asked_log("s2", [("pwd", "allowed-once")]))
    sources: list[LogSource] = [JsonlLogs(one.root), JsonlLogs(two.root)]
    assert len(PastCalls(lambda: sources).calls()) == 2
