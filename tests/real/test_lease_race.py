"""Many processes that find the same crashed writer: whoever believes to have won, one can write."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

_TAKERS = """
import asyncio, json, logging, os, sys, time
from pathlib import Path
from dsh_tui.engine.persistence.errors import AlreadyOwnedError, SessionOwnershipLostError
from dsh_tui.engine.persistence.lease.lock_file import LockFile
from dsh_tui.engine.persistence.lease.plugin import FileLeases, LeaseConfig
from dsh_tui.engine.persistence.lease.record import LOCK_NAME, LeaseRecord

async def take(log, start, wait):
    while time.time() < start:
        pass
    try:
        lease = await FileLeases(LeaseConfig()).acquire(log)
    except AlreadyOwnedError:
        return "refused"
    os.write(wait, b"held")
    await asyncio.sleep(max(0, start + 0.15 - time.time()))
    try:
        await lease.write(lambda: None)
    except SessionOwnershipLostError:
        return "lost"
    return "writes"

def main(folder, rounds, takers):
    outcomes = []
    for number in range(rounds):
        log = Path(folder) / str(number) / "session.jsonl"
        dead = LeaseRecord(token="d" * 32, pid=1, renewed_at=1, expires_at=2)
        LockFile(log.with_name(LOCK_NAME)).create(dead)
        start, ends = time.time() + 0.02, []
        for _ in range(takers):
            read, write = os.pipe()
            if not os.fork():
                said = asyncio.run(take(log, start, write))
                os.write(write, said.encode())
                os._exit(0)
            os.close(write)
            ends.append(read)
        outcomes.append([os.fdopen(end).read().removeprefix("held") for end in ends])
        for _ in range(takers):
            os.wait()
    print(json.dumps(outcomes))

logging.disable()
main(sys.argv[1], 10, 6)
"""


def test_of_many_takers_one_is_left(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _TAKERS, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    for outcomes in json.loads(done.stdout):
        assert outcomes.count("writes") == 1, outcomes
        assert set(outcomes) <= {"writes", "lost", "refused"}
