"""Plugin: stops an agent whose session is no longer its own to write.

What it would do from then on could not be remembered, so its turn ends at once. The checkpoints
refuse every later request and tool body; this ends the one that runs. Source: core spec §4.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dsh_tui.engine.agent.registry import AGENTS
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.persistence.errors import PersistenceError, SessionOwnershipLostError
from dsh_tui.engine.persistence.seam import PERSISTENCE_STATE

name = "lost-session"
inject = (AGENTS,)

OWNERSHIP_LOST: Final[Mapping[str, Any]] = {"kind": "ownership-lost"}  # Any: JSON, open registry of causes


def apply(ctx: Context, _config: object) -> None:
    """Watch every session for as long as this plugin lives."""
    agents = ctx[AGENTS]

    def stop(session_id: str, error: PersistenceError | None) -> None:
        agent = agents.get(session_id)
        if agent is not None and isinstance(error, SessionOwnershipLostError):
            agent.cancel(error.message, OWNERSHIP_LOST)

    ctx.on(PERSISTENCE_STATE, stop)
