"""Conversations whose tools say much, and what compaction makes of them."""

from __future__ import annotations

from typing import Any

from dsh_tui.engine.compaction import plugin as compaction_plugin
from dsh_tui.engine.compaction.service import COMPACTION, Compaction, Limits
from dsh_tui.engine.invariants.log.all_checks import check_log
from dsh_tui.engine.llm.blocks import text_of
from dsh_tui.engine.llm.retry.policy import RetryPolicy
from dsh_tui.engine.loop import one_shots
from dsh_tui.engine.loop.rebuild import rebuild_requests
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from tests.fakes.loop_app import LoopApp, outline
from tests.fakes.scripted_provider import ScriptedReply, broken, calls, chunk, finish, usage

WHOLE = "".join(f"{number}\n" for number in range(2_500))
"""About 3,500 tokens; shortened, half of that."""
TOO_LONG = [broken("CONTEXT_WINDOW_EXCEEDED", "the conversation is longer than the model takes")]


async def with_compaction(app: LoopApp, *, window: int, **limits: Any) -> Compaction:
    """An app with a tool ``dump`` that says `WHOLE`, and a model of so many tokens."""

    async def dump(_call: ToolCall) -> ToolOutput:
        return ToolOutput(WHOLE)

    app.provider.window = window
    app.add_tool("dump", dump)
    await app.root.plugin(one_shots)
    policy = RetryPolicy(retries=2, jitter=0)
    config = compaction_plugin.Config(limits=Limits(**limits), policy=policy, clock=app.clock)
    await app.root.plugin(compaction_plugin, config)
    return app.root[COMPACTION]


def dumps(call_id: str) -> ScriptedReply:
    """An answer that calls it; what it took is not counted, so all is estimated."""
    return [*calls((call_id, "dump"))[:-2], finish("tool-calls")]


def says(words: str, tokens: int | None = None) -> ScriptedReply:
    """An answer; ``tokens`` are what prompt and answer took together, by the provider's count."""
    block = chunk(type="block-end", index=0, block={"type": "text", "text": words})
    return [block, *([usage(tokens // 2)] if tokens is not None else []), finish()]


def course(session: Session) -> list[str]:
    """Compactions, and the turns and steps around them."""
    names = ("compact/", "turn/", "step/", "request/one")
    return [line for line in outline(session.events) if line.startswith(names)]


def results(session: Session) -> list[str]:
    """What the model sees of results, in its order."""
    return [text_of(node.data["content"]) for node in session.surface if node.type == "tool/result"]


def first(session: Session, tag: str) -> Event:
    return next(event for event in session.events if event.type == tag)


def assert_sound(app: LoopApp, session: Session) -> None:
    """Every request, those for summaries too, follows from the log alone, and the log breaks no rule."""
    rebuilt = rebuild_requests(session.events, one_shots=True)
    assert [(one.system, one.tools, one.config, one.messages) for one in rebuilt] == [
        (one.system, one.tools, one.config, one.messages) for one in app.provider.requests
    ]
    assert check_log(list(session.events)) is None
