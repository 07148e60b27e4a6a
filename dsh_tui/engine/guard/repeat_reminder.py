"""Plugin: reminds the model when it makes the same call again and again. Never blocks.

The same call is the same tool with the same arguments, whatever their order; denied ones count too.
What the user says resets the count. Source: capabilities B5.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Final

from dsh_tui.engine.agent.decisions import HookContext
from dsh_tui.engine.base.frozen import thaw
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.messages import plugin_source
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_DISPOSED, SESSION_EVENT
from dsh_tui.engine.tools.decisions import PostDecision
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from dsh_tui.engine.tools.events import POST_EXECUTE

name = "repeat-reminder"

NUDGE_AT: Final = 3
REMIND_AT: Final = frozenset({5, 8})
_SHOWN = 500  # characters of the arguments
_USER_SPOKE = frozenset({"user/message", "steering/message"})


def apply(ctx: Context, _config: object = None) -> None:
    """Count the calls of every session for as long as this plugin lives."""
    counts: dict[str, Counter[tuple[str, str]]] = {}

    async def remind(call: ToolCall, _output: ToolOutput, following: Next[PostDecision]) -> PostDecision:
        decision = await following()
        arguments = _canonical(call)
        counter = counts.setdefault(call.session.id, Counter())
        counter[call.name, arguments] += 1
        text = _reminder(call.name, arguments, counter[call.name, arguments])
        if text is None:
            return decision
        context = HookContext((text_block(text),), plugin_source(name))
        return replace(decision, additional_context=(*decision.additional_context, context))

    def reset(session: Session, event: Event) -> None:
        if event.type in _USER_SPOKE and event.data["source"].get("kind") == "user":
            counts.pop(session.id, None)

    ctx.on(POST_EXECUTE, remind)
    ctx.on(SESSION_EVENT, reset)
    ctx.on(SESSION_DISPOSED, lambda session: counts.pop(session.id, None))


def _canonical(call: ToolCall) -> str:
    """Equal for equal arguments; text that is not JSON stands for itself."""
    if isinstance(call.args, str):
        return call.args
    return json.dumps(thaw(call.args), sort_keys=True, ensure_ascii=False)


def _reminder(tool: str, arguments: str, times: int) -> str | None:
    if times == NUDGE_AT:
        return (
            f"[`{tool}` has been called {times} times with the same arguments. "
            "If the result did not help, try another way.]"
        )
    if times in REMIND_AT:
        shown = arguments if len(arguments) <= _SHOWN else f"{arguments[:_SHOWN]}…"
        return (
            f"[`{tool}` has now been called {times} times with the same arguments "
            f"since the user last spoke:\n{shown}\nIt will not come out differently by itself. "
            "Say what you expected and what you saw, then choose another approach, "
            "or tell the user what blocks you.]"
        )
    return None
