"""Who said a message: the user, in a prompt or while a turn runs, or a plugin beside them. Pure.

Source: core spec §8 (surface events).
"""

from __future__ import annotations

from dataclasses import replace

from dsh_tui.engine.projection.compaction_views import CompactionView
from dsh_tui.engine.projection.content import plain_text
from dsh_tui.engine.projection.views import BlockView, NoticeView, UserView
from dsh_tui.engine.session.event import Event


def said(event: Event) -> UserView:
    """The view of a prompt, a steering or context message, or a prompt that was blocked."""
    data = event.data
    source = data.get("source") or {}
    view = UserView(seq=event.seq, text=plain_text(data["content"]), time=event.time)
    if event.type == "steering/message":
        return replace(view, origin="steering")
    if event.type == "prompt/blocked":
        return replace(view, origin="blocked", producer=str(data.get("reason") or ""))
    if event.type == "context/message" or source.get("kind", "user") != "user":
        return replace(view, origin="context", producer=str(source.get("plugin") or source.get("kind", "")))
    return view


def beside_turns(view: BlockView) -> bool:
    """Whether only plugins speak here: a turn of nothing else has nothing to close."""
    if isinstance(view, UserView):
        return view.origin == "context"
    return isinstance(view, NoticeView | CompactionView)
