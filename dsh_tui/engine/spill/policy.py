"""Oversized results: the model gets both ends and a path, the file has the whole.

Plain text only; ``read`` is exempt, because it has limits of its own and would be read again.
What is shown is never larger than the cap, and if the file can't be written the result stays
as it was. Source: core spec §6 (spill); capabilities B3, B6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.kernel import Next
from dsh_tui.engine.llm.blocks import Block as ContentBlock
from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.spill.store import SpillStore
from dsh_tui.engine.tools.decisions import Accept, PostDecision
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput

INLINE_CAP: Final = 50_000
"""Bytes of UTF-8."""
_HEAD: Final = 0.6
"""Of the room for text, how much the beginning gets."""
_EXEMPT: Final = frozenset({"read"})


@dataclass(frozen=True, slots=True)
class SpillPolicy:
    """A listener of ``tools/post-execute``."""

    store: SpillStore
    cap: int = INLINE_CAP

    async def on_result(
        self, call: ToolCall, output: ToolOutput, following: Next[PostDecision]
    ) -> PostDecision:
        """Let the others decide, then shorten what they accepted."""
        decision = await following()
        if not isinstance(decision, Accept) or call.name in _EXEMPT:
            return decision
        text = _plain_text(output.content if decision.content is None else decision.content)
        if text is None or len(text.encode("utf-8", "replace")) <= self.cap:
            return decision
        path = await self.store.save(call.session.id, f"{call.call_id}-{call.name}", text)
        if path is None:
            return decision
        preview = shorten(text, self.cap, str(path))
        return Accept(content=preview, additional_context=decision.additional_context)


def shorten(text: str, cap: int, path: str) -> str:
    """Both ends of the text around a note that names the path; at most ``cap`` bytes."""
    raw = text.encode("utf-8", "replace")
    note = f"\n\n[{len(raw):,} bytes in all; the middle is left out here. Full output: {path}]\n\n"
    room = max(0, cap - len(note.encode()))
    head = raw[: int(room * _HEAD)].decode("utf-8", "ignore")
    tail_size = room - int(room * _HEAD)
    tail = raw[len(raw) - tail_size :].decode("utf-8", "ignore") if tail_size else ""
    return f"{head}{note}{tail}"


def _plain_text(content: str | tuple[ContentBlock, ...]) -> str | None:
    if isinstance(content, str):
        return content
    return text_of(content) if all(block["type"] == "text" for block in content) else None
