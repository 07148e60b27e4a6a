"""A transcript as Markdown text, for exports and for terminals without a screen.

Control characters are shown as symbols: text of models and tools never drives a terminal.
Source: design §4 (sessions show, export).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from dsh_tui.engine.base.visible import visible
from dsh_tui.engine.projection.compaction_views import CompactionView
from dsh_tui.engine.projection.compactions import words
from dsh_tui.engine.projection.views import (
    AnswerView,
    BlockView,
    NoticeView,
    ThinkingView,
    ToolView,
    TurnEndView,
    UserView,
)

OUTPUT_LINES = 40


def render_markdown(title: str, blocks: Iterable[BlockView]) -> str:
    """The whole transcript as one Markdown document, ending in a line feed."""
    parts = [
        f"# {visible(title) or 'Untitled session'}",
        *(text for block in blocks for text in _block(block)),
    ]
    return "\n\n".join(parts) + "\n"


def _block(block: BlockView) -> Iterator[str]:
    match block:
        case UserView(origin="context"):
            yield f"> [context: {visible(block.producer)}]"
        case UserView():
            when = datetime.fromtimestamp(block.time / 1000, UTC).strftime("%Y-%m-%d %H:%M")
            who = "Steering" if block.origin == "steering" else "You"
            yield f"## {who} · {when}\n\n{visible(block.text)}"
        case ThinkingView():
            yield "\n".join(f"> {line}" for line in visible(block.text).splitlines())
        case AnswerView():
            yield visible(block.text) + (" […interrupted]" if block.interrupted else "")
        case ToolView():
            yield _tool(block)
        case NoticeView():
            yield f"> **{block.tone}** {visible(block.text)} {visible(block.hint)}".rstrip()
        case CompactionView():
            yield f"> **history** {visible(words(block))}"
            if block.summary:
                yield "\n".join(f"> {line}" for line in visible(block.summary).splitlines())
        case TurnEndView():
            return


def _tool(view: ToolView) -> str:
    head = (
        f"**{visible(view.verb)}** `{visible(view.subject)}` — {view.state} {visible(view.summary)}".rstrip()
    )
    if view.plan:
        said = f"\n\n> You said: {visible(view.feedback)}" if view.feedback else ""
        return f"**Plan** — {view.state} {visible(view.summary)}".rstrip() + f"{said}\n\n{visible(view.plan)}"
    lines = visible(view.output).splitlines()
    if view.diff is not None:
        lines = [visible(line) for hunk in view.diff.hunks for line in hunk.lines]
    if not lines:
        return head
    shown = lines[:OUTPUT_LINES]
    if len(lines) > OUTPUT_LINES:
        shown.append(f"… {len(lines) - OUTPUT_LINES} more lines")
    fence = "`" * max(3, *(_run_of_backticks(line) + 1 for line in shown))
    return "\n".join([head, "", fence, *shown, fence])


def _run_of_backticks(line: str) -> int:
    longest = run = 0
    for character in line:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest
