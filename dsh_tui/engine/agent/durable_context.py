"""Durable context: a fact that the model knows from the history, told again only when it changed.

The system prompt never holds such facts: one changed byte there, and the provider's cache of the
whole conversation is lost. What counts is what the model still sees, so a compaction that swallowed
the fact, a resume and a fork need no memory of ours. Source: core spec §5 (stability).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dsh_tui.engine.agent.decisions import AllowPrompt, HookContext, PromptDecision
from dsh_tui.engine.base.visible import visible
from dsh_tui.engine.llm.blocks import text_block, text_of
from dsh_tui.engine.llm.messages import plugin_source

if TYPE_CHECKING:
    from dsh_tui.engine.session.session import Session


def with_durable_context(
    decision: PromptDecision, session: Session, plugin: str, text: str
) -> PromptDecision:
    """The decision on a prompt, with ``text`` beside it unless the model has it from ``plugin`` already."""
    if not isinstance(decision, AllowPrompt) or is_known(session, plugin, text):
        return decision
    context = HookContext((text_block(text),), plugin_source(plugin))
    return replace(decision, additional_context=(context, *decision.additional_context))


def framed(tag: str, text: str) -> str:
    """The text between tags that it can't close itself; control characters but line breaks are shown."""
    safe = visible(text).replace(f"</{tag}", f"<\\/{tag}")
    return f"<{tag}>\n{safe}\n</{tag}>"


def is_known(session: Session, plugin: str, text: str) -> bool:
    """Whether this is what ``plugin`` said last of all that the model still sees."""
    return last_told(session, plugin) == text


def last_told(session: Session, plugin: str) -> str | None:
    """What the model heard last from ``plugin``, of all that it still sees."""
    for message in reversed(session.derive()):
        if message["source"].get("plugin") == plugin:
            return text_of(message["content"])
    return None
