"""Errors of agents.

AgentError
├── AgentBusyError          asked for what only an idle agent does
├── AgentDisposedError      talked to after its end
├── AgentExistsError        two live agents on one session
├── NoAgentFactoryError     no loop is loaded
└── ModelNotChosenError     neither options, log nor settings name a model
"""

from __future__ import annotations

from dsh_tui.engine.base.errors import HarnessError


class AgentError(HarnessError):
    """An agent could not be made or used."""

    code = "AGENT"


class AgentBusyError(AgentError):
    """It runs, or something waits for it."""

    code = "AGENT_BUSY"


class AgentDisposedError(AgentError):
    """The agent is gone; nothing sent to it would be seen."""

    code = "AGENT_DISPOSED"


class AgentExistsError(AgentError):
    """A live agent already owns this session."""

    code = "AGENT_ALREADY_EXISTS"


class NoAgentFactoryError(AgentError):
    """Agents can't be created: no plugin provides the loop."""

    code = "AGENT_NO_FACTORY"


class ModelNotChosenError(AgentError):
    """No model is chosen; the message says where to choose one."""

    code = "MODEL_NOT_CHOSEN"
