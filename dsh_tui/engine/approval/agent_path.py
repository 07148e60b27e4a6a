"""Which agent wants a call: the path from the main agent to it, for the person who is asked.

Source: core spec §2 (scope); ux spec §4 (approval dock contract).
"""

from __future__ import annotations

from typing import Final

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.scope import lineage

MAIN: Final = "main agent"
STEP: Final = " › "


def agent_path(agent: Agent) -> str:
    """``main agent › explore``; empty for the main agent itself."""
    names = list(filter(None, map(_name, lineage(agent))))
    if len(names) == 1 and agent.session.header.get("origin") != "subagent":
        return ""
    if len(names) == 1:
        names.append(MAIN)  # its parent lives elsewhere
    names[-1] = MAIN
    return STEP.join(reversed(names))


def _name(key: object) -> str:
    """What an agent is called; empty for the other keys that scopes have, such as a project's."""
    session = getattr(key, "session", None)  # what is no agent has no log
    return "" if session is None else str(session.header.get("agentPreset") or "subagent")
