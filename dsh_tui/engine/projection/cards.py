"""Cards: what a tool call and its result look like in a few words. Pure; safe on replay.

Arguments may be half streamed or not JSON at all, results may come from other programs'
logs: nothing here raises, and an unknown tool gets a card made of what it has.
Source: capabilities B1 (presentation), B2 (markers); screens spec (tool cards).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsh_tui.engine.modes.mode import EXIT_PLAN_MODE
from dsh_tui.engine.projection.partial_json import members
from dsh_tui.engine.projection.views import CardView, DiffHunk, DiffView

MAX_SUBJECT = 400
"""Characters; a screen cuts further, and the whole is in the arguments."""
MAX_ERROR = 80

Meta = Mapping[str, Any]  # Any: presentation JSON out of a log; every read is checked


@dataclass(frozen=True, slots=True)
class CallCard:
    """A call in one line: what is done, and to what."""

    verb: str
    subject: str


@dataclass(frozen=True, slots=True)
class ResultCard:
    """A result: a few words for the right column, the text to open, the change it made."""

    summary: str
    output: str
    diff: DiffView | None = None


_CALLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "read": ("Read", ("file_path", "path")),
    "read_image": ("Read", ("file_path", "path")),
    "write": ("Write", ("file_path", "path")),
    "edit": ("Edit", ("file_path", "path")),
    "str_replace_editor": ("Edit", ("path",)),
    "glob": ("Find", ("pattern",)),
    "grep": ("Search", ("pattern",)),
    "web_search": ("Search", ("queries",)),
    "web_fetch": ("Fetch", ("url",)),
    "bash": ("Run", ("command",)),
    "bash_output": ("Output", ("task_id",)),
    "bash_kill": ("Stop", ("task_id",)),
    "job_output": ("Output", ("job_id",)),
    "job_kill": ("Stop", ("job_id",)),
    "todo_write": ("Plan", ()),
    EXIT_PLAN_MODE: ("Plan", ()),
    "ask_user_question": ("Ask", ()),
    "skill": ("Skill", ("name",)),
    "subagent": ("Agent", ("description", "prompt")),
    "subagent_fork": ("Agent", ("description", "prompt")),
}
_TELLING = ("file_path", "path", "command", "pattern", "query", "url", "name", "description", "prompt")


def present_call(name: str, arguments_raw: str) -> CallCard:
    """The call's card, at any moment of its stream."""
    verb, wanted = _CALLS.get(name, (name or "Call", _TELLING))
    if name == "todo_write":
        return CallCard(verb, _todo_subject(arguments_raw))
    if name == EXIT_PLAN_MODE:
        return CallCard(verb, _plan_subject(arguments_raw))
    if name == "ask_user_question":
        return CallCard(verb, _question_subject(arguments_raw))
    fallback = ""
    best: tuple[int, str] | None = None
    for key, value in members(arguments_raw):
        text = _as_text(value)
        if key in wanted and text:
            rank = wanted.index(key)
            if best is None or rank < best[0]:
                best = (rank, text)
            if rank == 0:
                break
        elif not fallback:
            fallback = text
    subject = best[1] if best is not None else (fallback if name not in _CALLS else "")
    return CallCard(verb, one_line(subject))


def plan_of(name: str, arguments_raw: str) -> str:
    """The plan that a call hands over; empty for every other call."""
    if name != EXIT_PLAN_MODE:
        return ""
    return next((text for key, text in members(arguments_raw) if key == "plan" and isinstance(text, str)), "")


def one_line(text: str, limit: int = MAX_SUBJECT) -> str:
    """Text without line ends; what is cut shows as ``…``."""
    head = text[: limit * 4].strip()
    line = " ⏎ ".join(part.strip() for part in re.split(r"[\r\n]+", head) if part.strip())
    cut = len(line) > limit or len(text) > limit * 4
    return f"{line[:limit]}…" if cut else line


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return ""


def _todo_subject(arguments_raw: str) -> str:
    todos = next((value for key, value in members(arguments_raw) if key == "todos"), None)
    if not isinstance(todos, list):
        return ""
    items = [item for item in todos if isinstance(item, dict)]
    current = next((item.get("content") for item in items if item.get("status") == "in_progress"), None)
    return one_line(current) if isinstance(current, str) else counted(len(items), "item")


def _plan_subject(arguments_raw: str) -> str:
    """The plan's first line, which is its heading as a rule."""
    lines = (line.strip() for line in plan_of(EXIT_PLAN_MODE, arguments_raw)[:MAX_SUBJECT].splitlines())
    return next((line.lstrip("#").lstrip() for line in lines if line), "")


def _question_subject(arguments_raw: str) -> str:
    questions = next((value for key, value in members(arguments_raw) if key == "questions"), None)
    if not isinstance(questions, list) or not questions or not isinstance(questions[0], dict):
        return ""
    first = questions[0].get("question")
    return one_line(first) if isinstance(first, str) else ""


def present_result(name: str, meta: Meta | None, content_text: str, is_error: bool) -> ResultCard:  # noqa: FBT001  # the fold passes what the log has
    """The result's card. ``meta`` decides; without one the text the model got is read."""
    known = meta if isinstance(meta, Mapping) else {}
    diff = diff_from_json(known)
    if is_error:
        return ResultCard(_error_summary(name, known, content_text), content_text, diff)
    summarise = _SUMMARIES.get(name)
    summary = "" if summarise is None else summarise(known, content_text)
    return ResultCard(summary, content_text, diff)


def _error_summary(name: str, meta: Meta, text: str) -> str:
    if name == "bash" and (summary := _bash_summary(meta, text)):
        return summary
    first = next((line.strip() for line in text.splitlines() if line.strip()), "failed")
    return one_line(first.removeprefix("Error: "), MAX_ERROR)


_MARKER = re.compile(r"\[(exit code: -?\d+|killed by signal: \w+|timed out after \d+ms)\]\s*\Z")


def _bash_summary(meta: Meta, text: str) -> str:
    if job := _string(meta, "jobId"):
        return f"in the background as {job}"
    if "exitCode" not in meta and "signal" not in meta:
        marker = _MARKER.search(text[-200:])
        if marker is None:
            return ""
        return marker[1].replace("exit code:", "exit").replace("killed by signal:", "killed by")
    if meta.get("timedOut") is True:
        return "timed out"
    signal, code = meta.get("signal"), meta.get("exitCode")
    if isinstance(signal, str):
        return f"killed by {signal}"
    if not isinstance(code, int) or code == 0:
        return ""
    sandbox = meta.get("sandbox")
    denied = isinstance(sandbox, Mapping) and sandbox.get("denied") is True
    return f"exit {code}, sandbox" if denied else f"exit {code}"


def ended_badly(meta: Meta | None) -> bool:
    """True for a command that ran and failed: to the model that is data, on screen it is a failure."""
    known = meta if isinstance(meta, Mapping) else {}
    code = _number(known, "exitCode")
    return code not in (None, 0) or isinstance(known.get("signal"), str) or known.get("timedOut") is True


def _status_summary(_meta: Meta, text: str) -> str:
    marker = re.search(r"\[status: ([^\]]+)\]\s*\Z", text[-200:])
    return "" if marker is None else marker[1]


def _read_summary(meta: Meta, _text: str) -> str:
    lines, total = _number(meta, "lines"), _number(meta, "total")
    if lines is None:
        return ""
    return (
        counted(lines, "line") if total is None or total == lines else f"{lines} of {counted(total, 'line')}"
    )


def _change_summary(meta: Meta, _text: str) -> str:
    added, removed = _number(meta, "added"), _number(meta, "removed")
    if added is None or removed is None:
        return ""
    return f"new, {counted(added, 'line')}" if meta.get("created") is True else f"+{added} −{removed}"


def _grep_summary(meta: Meta, _text: str) -> str:
    matches, files = _number(meta, "matches"), _number(meta, "files")
    if matches is None:
        return ""
    if matches == 0:
        return "no matches"
    return f"{matches} in {counted(files or 0, 'file')}"


def _glob_summary(meta: Meta, _text: str) -> str:
    files = _number(meta, "files")
    return "" if files is None else counted(files, "file")


def _todo_summary(meta: Meta, _text: str) -> str:
    completed, total = _number(meta, "completed"), _number(meta, "total")
    return "" if completed is None or total is None else f"{completed} of {total} done"


def _plan_summary(meta: Meta, _text: str) -> str:
    """Logs of other programs have results that say neither yes nor no."""
    return "approved" if "mode" in meta else ""


_SUMMARIES: dict[str, Callable[[Meta, str], str]] = {
    "bash": _bash_summary,
    "bash_output": _status_summary,
    "bash_kill": _status_summary,
    "read": _read_summary,
    "write": _change_summary,
    "edit": _change_summary,
    "grep": _grep_summary,
    "glob": _glob_summary,
    "todo_write": _todo_summary,
    EXIT_PLAN_MODE: _plan_summary,
}


def card_from_json(preview: Meta | None, arguments_raw: str = "") -> CardView:
    """What a person is asked to approve, whole. Falls back to the raw arguments, never to less."""
    known = preview if isinstance(preview, Mapping) else {}
    kind = known.get("card")
    if kind == "command" and isinstance(known.get("command"), str):
        return CardView(
            kind="command",
            text=known["command"],
            cwd=_string(known, "cwd"),
            description=_string(known, "description"),
        )
    if kind == "diff" and (diff := diff_from_json(known)) is not None:
        return CardView(kind="diff", text=diff.path, diff=diff)
    if kind == "plan" and isinstance(known.get("text"), str):
        return CardView(kind="plan", text=known["text"])
    if kind == "generic" and isinstance(known.get("text"), str):
        return CardView(kind="generic", text=known["text"], description=_string(known, "description"))
    return CardView(kind="generic", text=_pretty(arguments_raw))


def diff_from_json(value: Meta) -> DiffView | None:
    """The change in a meta or preview; None where there is none or its shape is foreign."""
    path, hunks = value.get("path"), value.get("hunks")
    if not isinstance(path, str) or not _is_list(hunks):
        return None
    views = [view for hunk in hunks or () if (view := _hunk(hunk)) is not None]
    return DiffView(
        path=path,
        added=_number(value, "added") or 0,
        removed=_number(value, "removed") or 0,
        hunks=tuple(views),
        created=value.get("created") is True,
    )


def _hunk(value: object) -> DiffHunk | None:
    if not isinstance(value, Mapping):
        return None
    lines = value.get("lines")
    if not _is_list(lines):
        return None
    texts = tuple(line for line in lines or () if isinstance(line, str))
    return DiffHunk(_number(value, "oldStart") or 1, _number(value, "newStart") or 1, texts)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _number(value: Meta, key: str) -> int | None:
    number = value.get(key)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _string(value: Meta, key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""


def counted(number: int, noun: str) -> str:
    """``1 line``, ``2 lines``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _pretty(arguments_raw: str) -> str:
    try:
        return json.dumps(json.loads(arguments_raw), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return arguments_raw
