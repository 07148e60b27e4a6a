"""The driver: waits for prompts and runs one turn at a time, until the agent is disposed.

A turn's failure never ends it. A cancel may arrive in two windows before a turn begins, before
and while ``running`` is told; whatever is queued after it still runs. An errand, work beside the
turns, runs before what is queued.

Source: core spec §8.1.
"""

from __future__ import annotations

import logging

from dsh_tui.engine.loop.react_agent import ReactAgent
from dsh_tui.engine.loop.request_log import RequestLog
from dsh_tui.engine.loop.services import LoopServices
from dsh_tui.engine.loop.turn import Turn

_log = logging.getLogger(__name__)


async def drive(agent: ReactAgent, services: LoopServices, requests: RequestLog) -> None:
    """The whole life of one agent; returns (or is cancelled) with the log closed."""
    try:
        while True:
            await agent.inbox.wait()
            if agent.disposed:
                return
            agent.renew_signal()
            if agent.has_errand or agent.inbox.has_prompts:
                agent.set_status("running")
                agent.renew_signal()
                await _run_errand(agent)
                await _run_turns(agent, services, requests)
                agent.set_status("idle")
            agent.settle()
    finally:
        agent.exit()


async def _run_errand(agent: ReactAgent) -> None:
    errand = agent.take_errand()
    if errand is None:
        return
    try:
        await errand(agent.signal)
    except Exception as error:  # noqa: BLE001  # as in turns
        _log.exception("%s: what it was asked to do beside its turns failed", agent.id)
        agent.report(agent.session.last_turn, 0, error)
    agent.renew_signal()
    agent.inbox.promote_steering()


async def _run_turns(agent: ReactAgent, services: LoopServices, requests: RequestLog) -> None:
    while agent.inbox.has_prompts and not agent.disposed:
        try:
            await Turn(agent, services, requests).run()
        except Exception as error:  # noqa: BLE001  # a turn must not take the agent with it
            _log.exception("%s: turn %s failed to open or close", agent.id, agent.session.last_turn)
            agent.report(agent.session.last_turn, 0, error)
        agent.renew_signal()
        agent.inbox.promote_steering()
