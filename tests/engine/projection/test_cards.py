"""What a tool call and its result look like in a few words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.projection.calls import called, finished
from dsh_tui.engine.projection.cards import card_from_json, present_call, present_result
from dsh_tui.engine.projection.partial_json import members


@pytest.mark.parametrize(
    ("name", "arguments", "verb", "subject"),
    [
        ("bash", {"command": "ls -la\nwc -l", "description": "d"}, "Run", "ls -la ⏎ wc -l"),
        ("bash", {"description": "d", "command": "ls"}, "Run", "ls"),
        ("read", {"file_path": "a.py", "limit": 3}, "Read", "a.py"),
        ("edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "Edit", "a.py"),
        ("grep", {"pattern": "a[", "path": "src"}, "Search", "a["),
        ("todo_write", {"todos": [{"content": "one", "status": "in_progress"}]}, "Plan", "one"),
        ("exit_plan_mode", {"plan": "\n## Split it\n\n1. Move a"}, "Plan", "Split it"),
        ("exit_plan_mode", {"plan": "#"}, "Plan", ""),
        ("todo_write", {"todos": [{"content": "one", "status": "pending"}]}, "Plan", "1 item"),
        ("mcp__x__y", {"limit": 1, "query": "q"}, "mcp__x__y", "q"),
        ("mcp__x__y", {"other": "text"}, "mcp__x__y", "text"),
        ("web_search", {"queries": ["a", "b"]}, "Search", "a, b"),
    ],
)
def test_a_call_is_a_verb_and_its_object(
    name: str, arguments: dict[str, object], verb: str, subject: str
) -> None:
    card = present_call(name, json.dumps(arguments))
    assert (card.verb, card.subject) == (verb, subject)


@pytest.mark.parametrize(
    ("raw", "subject"),
    [
        ("", ""),
        ("{", ""),
        ('{"comm', ""),
        ('{"command"', ""),
        ('{"command": "l', "l"),
        ('{"command": "a\\', "a"),
        ('{"command": "a\\\\', "a\\"),
        ('{"command": "a\\u4e', "a"),
        ('{"command": "a\\\\u4e', "a\\u4e"),
        ("not json", ""),
        ("[1,2]", ""),
        ("null", ""),
    ],
)
def test_half_streamed_arguments_show_what_has_come(raw: str, subject: str) -> None:
    assert present_call("bash", raw).subject == subject


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=20) | st.integers() | st.none(), max_size=4))
def test_every_prefix_of_arguments_has_a_card_and_strings_only_grow(value: dict[str, object]) -> None:
    raw = json.dumps(value)
    for end in range(len(raw) + 1):
        for key, part in members(raw[:end]):
            whole = value[key]
            if isinstance(part, str) and isinstance(whole, str) and part.isascii() and whole.isascii():
                assert whole.startswith(part)
        present_call("x", raw[:end])
    assert dict(members(raw)) == value


@pytest.mark.parametrize(
    ("name", "meta", "text", "summary"),
    [
        ("bash", {"exitCode": 0, "signal": None, "timedOut": False}, "ok", ""),
        ("bash", {"exitCode": 1, "signal": None, "timedOut": False}, "no", "exit 1"),
        ("bash", {"exitCode": 1, "sandbox": {"denied": True}}, "no", "exit 1, sandbox"),
        ("bash", {"exitCode": 1, "sandbox": {"denied": False}}, "no", "exit 1"),
        ("bash", {"exitCode": 1, "sandbox": "odd"}, "no", "exit 1"),
        ("bash", {"exitCode": None, "signal": "SIGTERM", "timedOut": False}, "", "killed by SIGTERM"),
        ("bash", {"exitCode": None, "signal": "SIGTERM", "timedOut": True}, "", "timed out"),
        ("bash", {"jobId": "bash-1"}, "Started", "in the background as bash-1"),
        ("bash", None, "text\n[exit code: 7]", "exit 7"),
        ("bash", None, "text", ""),
        ("read", {"path": "a", "lines": 80, "total": 80}, "", "80 lines"),
        ("read", {"path": "a", "lines": 10, "total": 80}, "", "10 of 80 lines"),
        ("edit", {"path": "a", "added": 3, "removed": 1, "hunks": []}, "", "+3 −1"),
        ("write", {"path": "a", "added": 3, "removed": 0, "hunks": [], "created": True}, "", "new, 3 lines"),
        ("grep", {"matches": 3, "files": 2}, "", "3 in 2 files"),
        ("grep", {"matches": 0, "files": 0}, "", "no matches"),
        ("glob", {"matches": 1, "files": 1}, "", "1 file"),
        ("todo_write", {"completed": 1, "total": 3}, "", "1 of 3 done"),
        ("bash_output", None, "x\n[status: completed, exit code: 0]", "completed, exit code: 0"),
        ("anything", {"lines": 3}, "text", ""),
        ("read", {"lines": "many"}, "text", ""),
    ],
)
def test_a_result_has_a_summary(name: str, meta: dict[str, object] | None, text: str, summary: str) -> None:
    card = present_result(name, meta, text, False)
    assert (card.summary, card.output) == (summary, text)


def test_an_error_is_summed_up_by_its_first_line() -> None:
    assert present_result("read", None, "No such file: a.py\nmore", True).summary == "No such file: a.py"
    assert present_result("read", None, "", True).summary == "failed"


def test_a_diff_comes_out_of_meta_and_preview_alike() -> None:
    change = {
        "path": "a.py",
        "added": 1,
        "removed": 1,
        "hunks": [{"oldStart": 4, "newStart": 4, "lines": (" a", "-b", "+c")}],
    }
    diff = present_result("edit", change, "", False).diff
    card = card_from_json({"card": "diff", **change})
    assert diff is not None
    assert card.diff == diff
    assert diff.hunks[0].lines == (" a", "-b", "+c")


def test_a_command_card_holds_the_whole_command() -> None:
    command = "echo " + "x" * 5000 + "\nrm -rf build"
    card = card_from_json({"card": "command", "command": command, "cwd": "/w", "description": "d"})
    assert (card.kind, card.text, card.cwd, card.description) == ("command", command, "/w", "d")


@pytest.mark.parametrize("preview", [None, {}, {"card": "diff"}, {"card": "command"}, {"card": 3}])
def test_without_a_usable_preview_the_arguments_are_shown(preview: dict[str, object] | None) -> None:
    card = card_from_json(preview, '{"a":1}')
    assert card.kind == "generic"
    assert card.text == '{\n  "a": 1\n}'
    assert card_from_json(preview, "{broken").text == "{broken"


@pytest.mark.parametrize(
    ("meta", "error", "state"),
    [
        ({"exitCode": 0, "signal": None, "timedOut": False}, None, "ok"),
        ({"exitCode": 1, "signal": None, "timedOut": False}, None, "failed"),
        ({"exitCode": None, "signal": "SIGKILL", "timedOut": False}, None, "failed"),
        ({"exitCode": 0, "signal": None, "timedOut": True}, None, "failed"),
        ({"lines": 3}, None, "ok"),
        (None, None, "ok"),
        (None, "TOOL_DENIED", "denied"),
        (None, "FS_PERMISSION_DENIED", "failed"),
        (None, "ABORTED", "cancelled"),
    ],
)
def test_a_command_that_failed_looks_failed_and_only_a_refusal_looks_denied(
    meta: dict[str, object] | None, error: str | None, state: str
) -> None:
    data = {"content": (), "isError": error is not None, "meta": meta, "error": {"name": "x", "code": error}}
    assert finished(called(1, 0, "c1", "bash", "{}"), data, 5).state == state
