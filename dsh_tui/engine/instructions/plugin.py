"""Plugin: gives the model the standing instructions of the user, and those of a trusted project.

The user's own file opens the session: a part of the prefix, composed once for each running agent. A
project's are durable context beside a prompt, so that trust given or taken in the middle of a session
counts from the next prompt on. A file that changed since it was trusted is not sent; what the model was
told of it before stands until it is trusted again. Source: capabilities B5; design §3.14.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsh_tui.engine.agent.agent import Agent, QueuedMessage
from dsh_tui.engine.agent.decisions import PromptDecision
from dsh_tui.engine.agent.durable_context import last_told, with_durable_context
from dsh_tui.engine.agent.events import AGENT_PROMPT_SUBMIT, AGENT_SESSION_PREFIX
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.regular_file import UnreadableError
from dsh_tui.engine.instructions.files import (
    OWN,
    PROJECT,
    InstructionFile,
    instruction_file,
    read_own,
    render_instructions,
)
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.messages import Message, as_content, plugin_source
from dsh_tui.engine.trust.manifest import Entry
from dsh_tui.engine.trust.service import TRUST, Trust

name = "instructions"
inject = (TRUST,)

_log = logging.getLogger(__name__)

PROJECT_SOURCE: Final = "project-instructions"
"""Who says a project's, in the log."""
WITHDRAWN: Final = "The instructions of this project that you were given no longer hold. Disregard them."


@dataclass(frozen=True, slots=True)
class InstructionsConfig:
    """``home_file``: the user's own ``AGENTS.md``."""

    home_file: Path | None = None


@dataclass(frozen=True, slots=True)
class _ProjectWords:
    """What a project says now. ``has_changed``: a part of it may not be said as it is now."""

    text: str | None
    has_changed: bool


def apply(ctx: Context, config: InstructionsConfig | None = None) -> None:
    """Give the instructions for as long as this plugin lives."""
    home_file = (config or InstructionsConfig()).home_file
    trust = ctx[TRUST]

    async def add_own(
        _agent: Agent,
        _prefix: tuple[Message, ...],
        _signal: CancelSignal,
        following: Next[tuple[Message, ...]],
    ) -> tuple[Message, ...]:
        prefix = await following()
        own = await asyncio.to_thread(_own_words, home_file) if home_file is not None else None
        text = render_instructions(OWN, (own,)) if own is not None else None
        return prefix if text is None else (*prefix, _message(text))

    async def add_projects(
        agent: Agent, _prompt: QueuedMessage, _signal: CancelSignal, following: Next[PromptDecision]
    ) -> PromptDecision:
        decision = await following()
        session = agent.session
        if session.cwd is None:
            return decision
        words = await asyncio.to_thread(_project_words, trust, Path(session.cwd))
        told = last_told(session, PROJECT_SOURCE)
        if words.has_changed and told is not None and told != WITHDRAWN:
            return decision
        text = words.text or (WITHDRAWN if told is not None else None)
        return decision if text is None else with_durable_context(decision, session, PROJECT_SOURCE, text)

    ctx.on(AGENT_SESSION_PREFIX, add_own)
    ctx.on(AGENT_PROMPT_SUBMIT, add_projects)


def _project_words(trust: Trust, cwd: Path) -> _ProjectWords:
    manifest = trust.manifest(cwd)
    standing = trust.standing(manifest)
    files = [_file(manifest.project, entry) for entry in standing.trusted if entry.kind == "instructions"]
    text = render_instructions(PROJECT, [file for file in files if file is not None])
    return _ProjectWords(text, any(entry.kind == "instructions" for entry in standing.changed))


def _own_words(path: Path) -> InstructionFile | None:
    try:
        return read_own(path)
    except UnreadableError as error:
        _log.warning("%s: %s", path, error.message)
        return None


def _file(project: Path, entry: Entry) -> InstructionFile | None:
    (only,) = entry.files
    return instruction_file(Path(os.path.normpath(project / entry.path)), only.content)


def _message(text: str) -> Message:
    """Its id follows from its text, so that an unchanged prefix is equal in every run."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return Message(
        id=f"instructions-{digest}", role="user", content=as_content(text), source=plugin_source(name)
    )
