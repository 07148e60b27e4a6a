"""A process that saves turn after turn to the folder it is given, and says what it was told is durable.

Run as a program and killed at any moment: ``python -m tests.fakes.saving_process FOLDER``.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from dsh_tui.engine.kernel import create_root
from dsh_tui.engine.persistence.jsonl import plugin as jsonl
from dsh_tui.engine.persistence.seam import PERSISTENCE
from dsh_tui.engine.session import plugin as sessions
from dsh_tui.engine.session.store import SESSIONS
from tests.fakes.session_logs import whole_turn


async def save_for_ever(folder: Path) -> None:
    root = create_root()
    await root.plugin(sessions)
    await root.plugin(jsonl, {"root": folder, "window_ms": 1})
    store, persistence = root[SESSIONS], root[PERSISTENCE]
    if persistence.locate("s1") is None:
        session = store.create(id="s1", meta={"cwd": "/work"})
    else:
        loaded = await persistence.prepare("s1")
        session = store.create(id="s1", meta=loaded.header, seed=loaded.events)
    while True:
        whole_turn(session, "prompt", "reply " * 100, *(["token "] * 40))
        await store.flush(session)
        print(len(session.events), flush=True)


if __name__ == "__main__":
    asyncio.run(save_for_ever(Path(sys.argv[1])))
