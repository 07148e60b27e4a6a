"""Sessions and their files in one tree that can be ended and made anew over the same folder."""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.kernel import Context, create_root
from dsh_tui.engine.persistence.jsonl import plugin as jsonl
from dsh_tui.engine.persistence.lease import plugin as leases
from dsh_tui.engine.persistence.seam import PERSISTENCE, Persistence
from dsh_tui.engine.session import plugin as sessions
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSIONS, SessionStore
from tests.fakes.fake_clock import FakeClock
from tests.fakes.flaky_disk import FlakyDisk


class SessionHome:
    """A tree with sessions and persistence over one folder; `reboot` makes a new one over the same files."""

    def __init__(self, root: Path, clock: FakeClock, *, leased: bool = False) -> None:
        """``leased`` as the product is; two such homes over one folder are like two processes."""
        self.leased = leased
        self.root, self.clock, self.disk = root, clock, FlakyDisk()
        self.tree: Context = create_root()

    async def boot(self) -> None:
        await self.tree.plugin(sessions, self.clock)
        if self.leased:
            await self.tree.plugin(leases, leases.LeaseConfig(clock=self.clock))
        self.fiber = self.tree.plugin(jsonl, self.config())
        await self.fiber

    def config(self) -> dict[str, object]:
        return {"root": self.root, "clock": self.clock, "disk": self.disk}

    async def reboot(self) -> None:
        await self.tree.fiber.dispose()
        self.tree = create_root()
        await self.boot()

    @property
    def sessions(self) -> SessionStore:
        return self.tree[SESSIONS]

    @property
    def persistence(self) -> Persistence:
        return self.tree[PERSISTENCE]

    def file_of(self, session: Session) -> Path:
        path = self.persistence.locate(session.id)
        assert path is not None
        return path

    async def resume(self, session_id: str) -> Session:
        loaded = await self.persistence.prepare(session_id)
        return self.sessions.create(id=session_id, meta=loaded.header, seed=loaded.events)
