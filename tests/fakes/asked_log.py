"""Sessions whose calls were decided: by a person, a rule, the mode, nobody."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dsh_tui.engine.base.clock import Clock
from dsh_tui.engine.session.session import Session
from tests.fakes.session_logs import answer, bare_session, close_turn, open_step, open_turn, result


def begin_call(session: Session, call_id: str, tool: str, **arguments: object) -> None:
    """The call as it is logged when its turn in the step comes."""
    data = {
        "turn": session.open_turn,
        "step": session.open_step,
        "callId": call_id,
        "name": tool,
        "arguments": json.dumps(arguments),
    }
    session.append("tool/call", data)


def ask_about(session: Session, call_id: str, *, by: str = "mode") -> None:
    asked = {"id": f"q-{call_id}", "callId": call_id, "toolName": "bash", "arguments": "{}", "by": by}
    session.append("approval/asked", {**asked, "reason": "The agent wants to run a command."})


def decide_on(session: Session, call_id: str, outcome: str, **more: object) -> None:
    by = {"cancelled": "cancel", "unavailable": "nobody"}.get(outcome, "user")
    data = {"id": f"q-{call_id}", "callId": call_id, "outcome": outcome, "by": by, **more}
    session.append("approval/decided", data)


def asked_log(session_id: str, commands: Sequence[tuple[str, str]], *, clock: Clock | None = None) -> Session:
    """A session in which each command was asked about and got this outcome."""
    session = bare_session(session_id, clock=clock)
    open_turn(session, "go")
    open_step(session)
    answer(session, "", *(f"c{at}" for at in range(len(commands))))
    for at, (command, outcome) in enumerate(commands):
        begin_call(session, f"c{at}", "bash", command=command)
        ask_about(session, f"c{at}")
        decide_on(session, f"c{at}", outcome)
        result(session, f"c{at}")
    close_turn(session)
    return session
