"""The notice of a turn that a crash cut: which, and what became of the calls it left open. Pure.

Nobody knows whether a call that had begun took effect, so nothing here says that it did or did not.
Source: ux spec §3.12 (crash honesty); core spec §4.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dsh_tui.engine.projection.views import BlockView, NoticeView, ToolView

MOST = 8
"""Calls that are named; of more the number is given."""


def cut_notice(seq: int, turn: int, blocks: Sequence[BlockView]) -> NoticeView:
    """``blocks`` are those of the turn."""
    tools = [block for block in blocks if isinstance(block, ToolView)]
    unknown = [tool for tool in tools if tool.cut == "may have run"]
    unstarted = [tool for tool in tools if tool.cut == "not started"]
    text = [f"Turn {turn} was cut. The program ended before this turn did."]
    if unknown:
        it = "it" if len(unknown) == 1 else "them"
        text += [f"May have run; check before you repeat {it}:", *_named(unknown)]
    hint = ["Not started, nothing was done:", *_named(unstarted)] if unstarted else []
    if not tools or not (unknown or unstarted):
        hint.append("No call was left open. What the model had said is kept.")
    return NoticeView(seq=seq, tone="warning", text="\n".join(text), hint="\n".join(hint))


def _named(tools: Sequence[ToolView]) -> Iterator[str]:
    for tool in tools[:MOST]:
        yield f"  {tool.verb}  {tool.subject}".rstrip()
    if len(tools) > MOST:
        yield f"  and {len(tools) - MOST} more"
