"""Checkpoints: what the log says has happened is durable before the next thing happens.

Before a request is sent and before a tool's body runs, the session is flushed; calls that run
side by side share one flush. If that fails, the request is not sent and the body does not run:
the turn ends, or the call fails, with the reason. Source: core spec §4.2 (checkpoint policy).
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.llm.request import AnyRequest, ModelRequest
from dsh_tui.engine.llm.service import LLM_STREAM
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.tools.definition import AnyTool, ToolCall, ToolOutput
from dsh_tui.engine.tools.events import EXECUTE

name = "checkpoints"
inject = (SESSIONS,)


def apply(ctx: Context, _config: object) -> None:
    """Flush before each request of the loop and before each tool body."""
    sessions = ctx[SESSIONS]

    async def before_request(
        request: AnyRequest, proceed: Next[AsyncIterator[Chunk]]
    ) -> AsyncIterator[Chunk]:
        session = sessions.get(request.session_id) if isinstance(request, ModelRequest) else None
        if session is not None:
            await sessions.flush(session)
        return await proceed()

    async def before_body(call: ToolCall, _tool: AnyTool, proceed: Next[ToolOutput]) -> ToolOutput:
        await sessions.flush(call.session)
        return await proceed()

    ctx.on(LLM_STREAM, before_request)
    ctx.on(EXECUTE, before_body)
