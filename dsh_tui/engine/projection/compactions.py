"""A compaction as one row at its place: under way, done, or why it changed nothing. Pure.

Source: core spec §10; ux spec §1c (compaction as one collapsed row).
"""

from __future__ import annotations

from dataclasses import replace

from dsh_tui.engine.projection.compaction_views import CompactionView
from dsh_tui.engine.projection.content import plain_text
from dsh_tui.engine.projection.views import BlockView
from dsh_tui.engine.session.event import Event

PRODUCER = "compaction"


def told(before: BlockView | None, event: Event) -> CompactionView:
    """The view after ``event``; ``before`` is that of the same compaction, if it has begun."""
    data = event.data
    if event.type == "compact/start" or not isinstance(before, CompactionView):
        return CompactionView(seq=event.seq, auto=data.get("trigger") == "auto", keep=data.get("keep", ""))
    if event.type == "compact/summary":
        return replace(
            before,
            messages=data["messages"],
            tokens_before=data["tokensBefore"],
            tokens_after=data["tokensAfter"],
            summary=plain_text(data["summary"]),
        )
    return replace(before, state=data["outcome"], error=str(data.get("error") or ""))


def ended(view: BlockView) -> BlockView:
    """The view where its turn is over: a crash leaves no end."""
    if isinstance(view, CompactionView) and view.state == "running":
        return replace(view, state="done" if view.summary else "cut")
    return view


def words(view: CompactionView) -> str:
    """The row in words."""
    match view.state:
        case "running":
            return "Summarising the early history… esc stops"
        case "done":
            gain = f"~{amount(view.tokens_before)} → ~{amount(view.tokens_after)} tokens"
            if view.auto:
                return f"Window nearly full: {view.messages} messages summarised, {gain}"
            return f"History summarised, {view.messages} messages, {gain}"
        case "cancelled":
            return "Summarising was stopped; the history is as it was"
        case "cut":
            return "Summarising was cut by the end of the program; the history is as it was"
        case _:
            return f"History not summarised: {view.error.rstrip('.') or 'no reason given'}"


def amount(tokens: int) -> str:
    """``950``, ``12.4k``, ``182k``."""
    if tokens < 1_000:
        return str(tokens)
    return f"{tokens / 1_000:.1f}k" if tokens < 100_000 else f"{tokens / 1_000:,.0f}k"
