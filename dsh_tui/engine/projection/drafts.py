"""Drafts: blocks that the model is still writing, kept in parts and joined when a view is taken.

One draft per streamed block; a delta costs one list append. Draft and view agree at every take,
so a screen that looks at any moment sees what a reload of the same log would show.
Source: core spec §3 (chunks), §8.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dsh_tui.engine.projection.cards import present_call
from dsh_tui.engine.projection.views import AnswerView, ThinkingView, ToolView

SUBJECT_WITHIN = 4096
"""Characters of streamed arguments in which the subject of a call is looked for."""


@dataclass(slots=True)
class TextDraft:
    """An answer or a thought. ``place`` is its index among the blocks, once it has visible text."""

    kind: str
    seq: int
    started: int
    heard: int
    """When it last grew or was closed."""
    place: int = -1
    text: str = ""
    parts: list[str] = field(default_factory=list)

    def joined(self) -> str:
        """All text so far."""
        if self.parts:
            self.text += "".join(self.parts)
            self.parts.clear()
        return self.text

    def view(self, *, done: bool, interrupted: bool = False) -> AnswerView | ThinkingView:
        """What it looks like now."""
        if self.kind == "reasoning":
            return ThinkingView(
                seq=self.seq,
                text=self.joined(),
                done=done,
                duration_ms=max(0, self.heard - self.started),
                started=self.started,
            )
        return AnswerView(seq=self.seq, text=self.joined(), done=done, interrupted=interrupted)


@dataclass(slots=True)
class CallDraft:
    """A tool call whose arguments are still arriving."""

    seq: int
    started: int
    call_id: str
    name: str
    place: int
    arguments: str = ""
    parts: list[str] = field(default_factory=list)
    verb: str = ""
    subject: str = ""
    presented: int = -1
    """Length of the arguments when verb and subject were last looked for."""

    def joined(self) -> str:
        """All argument text so far."""
        if self.parts:
            self.arguments += "".join(self.parts)
            self.parts.clear()
        return self.arguments

    def view(self) -> ToolView:
        """What it looks like now; long arguments are looked through only at their start."""
        arguments = self.joined()
        seen = min(len(arguments), SUBJECT_WITHIN)
        if seen != self.presented:
            self.presented = seen
            card = present_call(self.name, arguments[:seen])
            self.verb, self.subject = card.verb, card.subject
        return ToolView(
            seq=self.seq,
            call_id=self.call_id,
            name=self.name,
            verb=self.verb,
            subject=self.subject,
            state="streaming",
            arguments=arguments,
            started=self.started,
        )


def span(spans: Sequence[Mapping[str, Any]], at: int, time: int) -> tuple[int, int]:  # Any: JSON
    """When a block began and ended, where the log says it beside the answer."""
    if at >= len(spans):
        return time, time
    return int(spans[at].get("start", time)), int(spans[at].get("end", time))
