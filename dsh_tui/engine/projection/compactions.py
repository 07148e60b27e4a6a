"""A compaction as one row at its place: under way, done, or why it changed nothing. Pure.

Source: core spec §10; ux spec §1c (compaction as one collapsed row).
"""

from __future__ import annotations

from dataclasses import replace

from dsh_tui.engine.projection.compaction_views import CompactionView
from dsh_tui.engine.projection.content import plain_text
from dsh_tui.engine.projection.notices import retry_notice
from dsh_tui.engine.projection.views import BlockView
from dsh_tui.engine.session.event import Event

PRODUCER = "compaction"
TAGS = ("compact/start", "compact/prune", "compact/retry", "compact/summary", "compact/end")
_WHY = {"auto": "Window nearly full: ", "overflow": "The request was too long: "}


def told(before: BlockView | None, event: Event) -> CompactionView:
    """The view after ``event``; ``before`` is that of the same compaction, if it has begun."""
    data = event.data
    if event.type == "compact/start" or not isinstance(before, CompactionView):
        return CompactionView(seq=event.seq, trigger=data.get("trigger", "manual"), keep=data.get("keep", ""))
    if event.type == "compact/prune":
        return replace(
            before,
            shortened=data["results"],
            shortened_before=data["tokensBefore"],
            shortened_after=data["tokensAfter"],
        )
    if event.type == "compact/retry":
        notice = retry_notice(event.seq, data)
        return replace(before, retry=f"{notice.text.rstrip('.')} · {notice.hint}")
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
    saved = _gain(view.shortened_before, view.shortened_after)
    now = "; the history is as it was"
    if view.shortened:
        now = f"; {_results(view)} {_were(view)} shortened, {saved}"
    match view.state:
        case "running" if view.retry:
            return f"No summary yet: {view.retry} · esc stops"
        case "running":
            return "Summarising the early history… esc stops"
        case "done" if not view.summary:
            return f"{_WHY.get(view.trigger, '')}{_results(view)} shortened, {saved}"
        case "done":
            before = view.tokens_before + view.shortened_before - view.shortened_after
            gain = _gain(before, view.tokens_after)
            first = f", after {_results(view)} {_were(view)} shortened" if view.shortened else ""
            if view.trigger in _WHY:
                return f"{_WHY[view.trigger]}{view.messages} messages summarised, {gain}{first}"
            return f"History summarised, {view.messages} messages, {gain}{first}"
        case "cancelled":
            return f"Summarising was stopped{now}"
        case "cut":
            return f"Summarising was cut by the end of the program{now}"
        case _:
            why = view.error.rstrip(".") or "no reason given"
            return f"History not summarised: {why}" + (now if view.shortened else "")


def amount(tokens: int) -> str:
    """``950``, ``12.4k``, ``182k``."""
    if tokens < 1_000:
        return str(tokens)
    return f"{tokens / 1_000:.1f}k" if tokens < 100_000 else f"{tokens / 1_000:,.0f}k"


def _results(view: CompactionView) -> str:
    return f"{view.shortened} long tool result{'' if view.shortened == 1 else 's'}"


def _were(view: CompactionView) -> str:
    return "was" if view.shortened == 1 else "were"


def _gain(before: int, after: int) -> str:
    return f"~{amount(before)} → ~{amount(after)} tokens"
