"""From a block's view to its rows: which renderer, folded or not, what copying it whole gives.

Pure but for answers: a streamed answer keeps its renderer, so that only its open end is done again.
Source: design §3 rows 18 and 19.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeGuard

from dsh_tui.engine.projection.compaction_views import CompactionView
from dsh_tui.engine.projection.views import (
    AnswerView,
    BlockView,
    DiffView,
    NoticeView,
    ThinkingView,
    ToolView,
    TurnEndView,
    UserView,
)
from dsh_tui.widgets import (
    compaction_block,
    notice_block,
    plan_block,
    thinking_block,
    tool_block,
    turn_end_block,
    user_block,
)
from dsh_tui.widgets.answer_block import Answer, has_links
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row
from dsh_tui.widgets.turn_receipt import receipt_text


@dataclass(slots=True)
class BlockRows:
    """A block as drawn at one width. ``answer`` is there for answers only and can grow."""

    rows: list[Row]
    answer: Answer | None = None


def draw(
    view: BlockView, width: int, palette: Palette, *, folded: bool, before: BlockRows | None
) -> BlockRows:
    """The rows of a view; ``before`` is what the same block looked like at the same width, if known."""
    if isinstance(view, AnswerView):
        answer = before.answer if before is not None else None
        if answer is None or not answer.continues(view):
            answer = Answer(width, palette)
        answer.show(view, folded=folded)
        return BlockRows(answer.rows, answer)
    if isinstance(view, UserView):
        return BlockRows(user_block.render(view, width, palette, folded=folded))
    if isinstance(view, ThinkingView):
        return BlockRows(thinking_block.render(view, width, palette, folded=folded))
    if _is_plan(view):
        return BlockRows(plan_block.render(view, width, palette, folded=folded))
    if isinstance(view, ToolView):
        return BlockRows(tool_block.render(view, width, palette, folded=folded))
    if isinstance(view, NoticeView):
        return BlockRows(notice_block.render(view, width, palette, folded=folded))
    if isinstance(view, CompactionView):
        return BlockRows(compaction_block.render(view, width, palette, folded=folded))
    return BlockRows(turn_end_block.render(view, width, palette, folded=folded))


def gap(before: BlockView | None, view: BlockView) -> int:
    """Blank rows between two blocks: one, but none inside a run of tool calls or of added context.

    A plan stands by itself.
    """
    if before is None:
        return 0
    calls = isinstance(view, ToolView) and isinstance(before, ToolView)
    calls = calls and not _is_plan(view) and not _is_plan(before)
    return 0 if calls or (_is_context(view) and _is_context(before)) else 1


def _is_plan(view: BlockView) -> TypeGuard[ToolView]:
    return isinstance(view, ToolView) and bool(view.plan)


def _is_context(view: BlockView) -> bool:
    return isinstance(view, UserView) and view.origin == "context"


def estimate(view: BlockView, width: int) -> int:
    """Rows that a block not drawn yet will take, near enough for a scroll bar."""
    if isinstance(view, AnswerView):
        if view.answered_again:
            return 1
        text = view.text
        return text.count("\n") + len(text) // max(8, width) + 1
    if isinstance(view, UserView):
        if view.origin == "context":
            return 1
        return min(user_block.FOLDED_LINES + 1, view.text.count("\n") + len(view.text) // max(8, width) + 1)
    if _is_plan(view):
        return 1 if view.state in ("waiting", "denied", "cancelled") else view.plan.count("\n") + 2
    if isinstance(view, ToolView) and view.state == "failed":
        return 1 + min(tool_block.FAILED_LINES + 1, view.output.count("\n") + 1)
    if isinstance(view, NoticeView):
        return view.text.count("\n") + 1 + (view.hint.count("\n") + 1 if view.hint else 0)
    return 1


def opens_itself(view: BlockView) -> bool:
    """Whether a block is open until somebody folds it."""
    return _is_plan(view) and plan_block.opens_itself(view)


def foldable(view: BlockView) -> bool:
    """Whether there is something to open."""
    if isinstance(view, UserView):
        return view.origin == "context" or view.text.count("\n") >= user_block.FOLDED_LINES
    if isinstance(view, AnswerView):
        return view.answered_again or has_links(view.text)
    if isinstance(view, CompactionView):
        return bool(view.summary)
    return isinstance(view, (ThinkingView, ToolView, TurnEndView))


def source(view: BlockView) -> str:
    """What copying the whole block gives: Markdown, prompt, command and output, or diff."""
    if isinstance(view, (AnswerView, UserView, ThinkingView, NoticeView)):
        return view.text
    if isinstance(view, CompactionView):
        return view.summary or view.error
    if isinstance(view, TurnEndView):
        return receipt_text(view)
    if view.plan:
        return view.plan
    if view.diff is not None:
        return unified(view.diff)
    head = _command(view) if view.name == "bash" else f"{view.verb} {view.subject}".strip()
    return f"{head}\n\n{view.output}" if view.output else head


def _command(view: ToolView) -> str:
    try:
        given = json.loads(view.arguments)
    except ValueError:
        return view.subject
    command = given.get("command") if isinstance(given, dict) else None
    return command if isinstance(command, str) else view.subject


def unified(diff: DiffView) -> str:
    """The change as ``patch`` reads it."""
    out = [f"--- {'/dev/null' if diff.created else diff.path}", f"+++ {diff.path}"]
    for hunk in diff.hunks:
        old = sum(1 for line in hunk.lines if line[:1] != "+")
        new = sum(1 for line in hunk.lines if line[:1] != "-")
        out.append(f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@")
        out.extend(line.rstrip("\n") for line in hunk.lines)
    return "\n".join(out)
