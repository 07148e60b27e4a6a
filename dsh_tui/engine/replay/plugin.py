"""Plugin: answers the loop's requests from a recorded log for as long as it lives.

One-shot requests (titles, summaries) are no part of the conversation and pass on.
Source: capabilities A2 (short-circuit), A7 (``llm-replay``).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.llm.request import AnyRequest, ModelRequest
from dsh_tui.engine.llm.service import LLM_STREAM
from dsh_tui.engine.replay.differences import Rewrite
from dsh_tui.engine.replay.entries import read_entries
from dsh_tui.engine.replay.overrides import apply_overrides
from dsh_tui.engine.replay.replay import REPLAY, Replay
from dsh_tui.engine.session.event import Event

name = "llm-replay"


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayConfig:
    """The recording, and how this run may differ from it."""

    events: Sequence[Event]
    overrides: Any = field(default_factory=lambda: {"patches": []})  # Any: JSON of the sidecar file
    rewrite: Rewrite = _as_it_is
    """Applied to the run's text before it is compared."""


def apply(ctx: Context, config: ReplayConfig) -> None:
    """Mount ``REPLAY`` and listen.

    Raises:
        FixtureError: the recording or its overrides can't be used.
    """
    entries = apply_overrides(read_entries(config.events), config.overrides)
    replay = Replay(entries, config.rewrite)
    ctx.provide(REPLAY, replay)

    async def answer(request: AnyRequest, following: Next[AsyncIterator[Chunk]]) -> AsyncIterator[Chunk]:
        if not isinstance(request, ModelRequest):
            return await following()
        return replay.answer(request)

    ctx.on(LLM_STREAM, answer)
