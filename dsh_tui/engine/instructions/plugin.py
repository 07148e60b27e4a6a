"""Plugin: opens every session with the standing instructions of the user and of trusted projects.

They are a part of the session prefix: composed once for each running agent, logged with the request
header, and never out of a folder that the user does not trust. Source: capabilities B5; design §3.14.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.events import AGENT_SESSION_PREFIX
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.instructions.files import (
    project_directories,
    read_instructions,
    render_instructions,
)
from dsh_tui.engine.kernel import Context, Next
from dsh_tui.engine.llm.messages import Message, as_content, plugin_source

name = "instructions"


def _nobody(_folder: Path) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class InstructionsConfig:
    """``home_file``: the user's own ``AGENTS.md``. ``trusted`` answers for a project's root folder."""

    home_file: Path | None = None
    trusted: Callable[[Path], bool] = _nobody


def apply(ctx: Context, config: InstructionsConfig | None = None) -> None:
    """Open sessions with the instructions for as long as this plugin lives."""
    settings = config or InstructionsConfig()

    async def add_instructions(
        agent: Agent,
        _prefix: tuple[Message, ...],
        _signal: CancelSignal,
        following: Next[tuple[Message, ...]],
    ) -> tuple[Message, ...]:
        prefix = await following()
        cwd = agent.session.cwd
        text = await asyncio.to_thread(_instructions, settings, None if cwd is None else Path(cwd))
        return prefix if text is None else (*prefix, _message(text))

    ctx.on(AGENT_SESSION_PREFIX, add_instructions)


def _instructions(settings: InstructionsConfig, cwd: Path | None) -> str | None:
    directories = () if cwd is None else project_directories(cwd)
    if directories and not settings.trusted(directories[0]):
        directories = ()
    return render_instructions(read_instructions(settings.home_file, directories))


def _message(text: str) -> Message:
    """Its id follows from its text, so that an unchanged prefix is equal in every run."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return Message(
        id=f"instructions-{digest}", role="user", content=as_content(text), source=plugin_source(name)
    )
