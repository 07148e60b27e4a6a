from __future__ import annotations

import pytest

from dsh_tui.engine.persistence.errors import (
    WriteFailedError,
)
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.seam import PERSISTENCE_STATE
from tests.fakes.session_home import SessionHome
from tests.fakes.session_logs import (
    answer,
    open_step,
    open_turn,
    whole_turn,
)


async def test_a_full_disk_is_said_and_writing_resumes(home: SessionHome) -> None:
    states: list[str | None] = []
    home.tree.on(PERSISTENCE_STATE, lambda _id, error: states.append(None if error is None else error.code))
    session = home.sessions.create(id="s1")
    whole_turn(session, "hello", "hi")
    await home.sessions.flush(session)
    acknowledged = len(session.events)
    home.disk.room = 10
    whole_turn(session, "more", "fine")
    with pytest.raises(WriteFailedError, match="No space left on device"):
        await home.sessions.flush(session)
    assert len(read_log(home.file_of(session)).events) == acknowledged
    assert session.derive()[-1]["content"][0]["text"] == "fine"  # type: ignore[typeddict-item]  # a text block
    home.disk.room = None
    whole_turn(session, "again", "better")
    await home.sessions.flush(session)
    assert list(read_log(home.file_of(session)).events) == list(session.events)
    assert states == ["WRITE_FAILED", None]


@pytest.mark.parametrize("fault", ["sync", "short", "full"])
async def test_a_retry_after_any_fault_leaves_each_number_once(home: SessionHome, fault: str) -> None:
    session = home.sessions.create(id="s1")
    for number in range(6):
        whole_turn(session, f"prompt {number}", "reply", "a", "b", "c", "d")
        if number % 2:
            home.disk.failing_syncs = fault == "sync"
            home.disk.short_writes = fault == "short"
            home.disk.room = 700 if fault == "full" else None
        try:
            await home.sessions.flush(session)
        except WriteFailedError:
            home.disk.room = None
    await home.sessions.flush(session)
    loaded = read_log(home.file_of(session))
    assert (list(loaded.events), loaded.notices) == (list(session.events), ())


async def test_a_flush_costs_one_sync_and_an_idle_one_none(home: SessionHome) -> None:
    session = home.sessions.create(id="s1")
    open_turn(session, "hello")
    await home.sessions.flush(session)
    home.disk.syncs = 0
    open_step(session)
    answer(session, "", "c1")
    await home.sessions.flush(session)
    await home.sessions.flush(session)
    assert home.disk.syncs == 1
