"""Agent and scope: statuses make sense, and an agent's events are sent in its own scope.

Source: core spec §9 (agent, scope), §2.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from dsh_tui.engine.agent.events import AGENT_STATUS
from dsh_tui.engine.invariants.errors import InvariantError
from dsh_tui.engine.kernel import Dispatch
from dsh_tui.engine.scope import scope_key

_OF_A_CALL = ("tools/pre-execute", "tools/ask", "tools/execute", "tools/post-execute", "tools/result")


class AgentCompanion:
    """No status is told twice in a row, and none after the end."""

    def __init__(self) -> None:
        self._last: WeakKeyDictionary[object, str] = WeakKeyDictionary()

    def __call__(self, dispatch: Dispatch) -> None:
        if dispatch.event != AGENT_STATUS.name:
            return
        agent, status = dispatch.args[0], str(dispatch.args[1])
        last = self._last.get(agent, "idle")
        if last == status:
            raise InvariantError("agent", f"status {status} is told a second time")
        if last == "disposed":
            raise InvariantError("agent", f"status {status} after the agent's end")
        self._last[agent] = status


def check_scope(dispatch: Dispatch) -> None:
    """Whose event it is and who hears it agree."""
    if dispatch.event.startswith("agent/") or dispatch.event == "system-prompt/assemble":
        agent = dispatch.args[0]
    elif dispatch.event in _OF_A_CALL:
        agent = getattr(dispatch.args[0], "agent", None)
    else:
        return
    if scope_key(dispatch.carrier) is not agent:
        raise InvariantError("scope", f"{dispatch.event} is not sent in the scope of its agent")
