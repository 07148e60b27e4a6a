"""The inbox: order is kept and nothing is stranded."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.agent.agent import QueuedMessage
from dsh_tui.engine.agent.inbox import Inbox
from dsh_tui.engine.llm.messages import USER_SOURCE


def message(name: str, *, steering: bool = False) -> QueuedMessage:
    return QueuedMessage(name, (), USER_SOURCE, steering)


async def test_a_prompt_rings_the_bell_and_steering_does_not() -> None:
    inbox = Inbox()
    waiting = asyncio.ensure_future(inbox.wait())
    inbox.put(message("s", steering=True))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not waiting.done()
    inbox.put(message("p"))
    await waiting


async def test_promoted_steering_stands_behind_the_prompts_that_wait() -> None:
    inbox = Inbox()
    inbox.put(message("s", steering=True))
    inbox.put(message("p"))
    inbox.promote_steering()
    assert inbox.take_prompts() == (message("p"), message("s"))
    assert not inbox.has_steering


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["put", "promote", "prompts", "steering"]))))
async def test_every_message_comes_out_exactly_once(steps: list[tuple[bool, str]]) -> None:
    inbox = Inbox()
    taken: list[QueuedMessage] = []
    put = 0
    for steering, step in steps:
        if step == "put":
            inbox.put(message(str(put), steering=steering))
            put += 1
        elif step == "promote":
            inbox.promote_steering()
        else:
            taken += inbox.take_prompts() if step == "prompts" else inbox.take_steering()
    taken += inbox.clear()
    assert sorted(int(one.id) for one in taken) == list(range(put))
    assert inbox.queued == ()
