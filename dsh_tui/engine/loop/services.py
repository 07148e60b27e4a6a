"""What the loop works with: the services it injects, bound once for each agent."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_tui.engine.agent.dispatch import AgentDispatch
from dsh_tui.engine.llm.service import LlmService
from dsh_tui.engine.session.store import SessionStore
from dsh_tui.engine.system_prompt.assembly import SystemPrompt
from dsh_tui.engine.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopServices:
    """Everything a turn reaches beside its agent."""

    sessions: SessionStore
    llm: LlmService
    system_prompt: SystemPrompt
    tools: ToolRegistry
    events: AgentDispatch
