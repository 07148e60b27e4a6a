"""The stored sessions as the browser needs them: listed and searched at once, changed with care.

Rows come from the derived index, which is brought up to date behind them; where there can be no
index they come from the logs, slowly. Source: design §3.7, §5 (Sessions).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from dsh_tui.engine.agent.registry import AGENTS
from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.base.clock import SYSTEM_CLOCK
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.real_folder import real_folder
from dsh_tui.engine.base.to_the_end import to_the_end
from dsh_tui.engine.persistence.errors import AlreadyOwnedError, NotStoredError, PersistenceError
from dsh_tui.engine.persistence.jsonl.paths import find_log, shown_id
from dsh_tui.engine.persistence.jsonl.trash import Trash
from dsh_tui.engine.persistence.jsonl.whole_log import write_whole_log
from dsh_tui.engine.persistence.seam import LEASES, PERSISTENCE, Lease
from dsh_tui.engine.product import Product
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import BlockView, SessionHits, SessionRow
from dsh_tui.engine.session_copies import copy_repaired
from dsh_tui.engine.session_export import exported, format_of
from dsh_tui.engine.session_index.database import IndexUnavailableError
from dsh_tui.engine.session_rows import session_row
from dsh_tui.engine.session_title.stored_title import rename_stored

PAINT_SECONDS: Final = 0.1
"""How long whoever listens is left alone, to draw what is known."""
LOOK_SECONDS: Final = 0.3
"""How often is looked whether there is news while the index is brought up to date."""
LEAVING_SECONDS, LEAVING_LOOKS = 0.05, 40
"""How often is looked, and how many times, whether a session that was left has been put away."""
REST_SECONDS: Final = 3.0
"""How long to wait before looking for changes of other processes again."""
REST: Final = 30
"""The same as a multiple of what the last look took."""

_log = logging.getLogger(__name__)


def _heard(refreshing: asyncio.Task[None]) -> None:
    """Whoever still waits is told what it failed of; where nobody does, there is nothing to tell."""
    if not refreshing.cancelled():
        refreshing.exception()


class LibraryError(HarnessError):
    """Something that was asked of a stored session could not be done; nothing was changed."""

    code = "LIBRARY"


class SessionLibrary:
    """Implements the screens' `LibraryPort`. Nothing runs unless somebody watches or asks."""

    def __init__(self, product: Product, waiting: Callable[[], Collection[str]]) -> None:
        """``waiting`` gives the ids of sessions with a question that nobody has answered."""
        self._product, self._root = product, product.engine.root
        self._waiting = waiting
        self._trash = Trash(product.home.trash)
        self._changed = asyncio.Event()
        self._state: object = None
        self._rows: Sequence[SessionRow] = ()

    async def watch(self) -> AsyncIterator[Sequence[SessionRow]]:
        """What is known, at once; then again whenever it has changed, for as long as somebody listens."""
        index = self._product.index
        stopped = threading.Event()
        try:
            yield await self._known()
            await asyncio.sleep(PAINT_SECONDS)
            while True:
                started = time.monotonic()
                refreshing = asyncio.get_running_loop().create_task(
                    asyncio.to_thread(index.refresh, stopped.is_set)
                )
                refreshing.add_done_callback(_heard)
                done = False
                while not done:
                    finished, _ = await asyncio.wait({refreshing}, timeout=LOOK_SECONDS)
                    done = bool(finished)
                    if await asyncio.to_thread(index.state) != self._state:
                        yield await self._known()
                refreshing.result()
                await self._rest(max(REST_SECONDS, REST * (time.monotonic() - started)))
        except IndexUnavailableError as error:
            _log.warning("%s", error.message)
            summaries = await asyncio.to_thread(self._root[PERSISTENCE].list)
            yield self._alive([session_row(summary) for summary in summaries])
        finally:
            stopped.set()

    async def _lease_of(self, session_id: str, log: Path) -> Lease:
        """The lease of a stored session; one that was just left here may still be on its way out."""
        for _ in range(LEAVING_LOOKS):
            try:
                return await self._root[LEASES].acquire(log)
            except AlreadyOwnedError as error:
                if error.pid is not None or self._product.sessions.get(session_id) is not None:
                    raise
                await asyncio.sleep(LEAVING_SECONDS)
        return await self._root[LEASES].acquire(log)

    async def _known(self) -> Sequence[SessionRow]:
        """The rows of the index; those that were read before, where nothing has changed since."""
        state, rows = await asyncio.to_thread(self._read)
        if state != self._state:
            self._state, self._rows = state, rows
        return self._alive(self._rows)

    def _read(self) -> tuple[object, Sequence[SessionRow]]:
        state, rows = self._product.index.snapshot(self._state)
        for cwd in {row.cwd for row in rows}:
            real_folder(cwd)  # looked at here, so that who lists by directory need not wait for disks
        return state, rows

    async def _rest(self, seconds: float) -> None:
        """Wait so long, or until something is changed here."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)
        self._changed.clear()

    async def search(self, words: str, cwd: str | None) -> SessionHits:
        """Sessions in which all words were said; see `SessionIndex.search`.

        Raises:
            IndexUnavailableError: it can't be searched.
        """
        return await asyncio.to_thread(self._product.index.search, words, cwd=cwd)

    async def preview(self, session_id: str) -> Sequence[BlockView]:
        loaded = await asyncio.to_thread(self._root[PERSISTENCE].inspect, session_id)
        fold = SessionFold(loaded.header, price_of=self._product.price_of)
        await asyncio.to_thread(fold.apply_all, loaded.events)
        return fold.view().blocks

    async def rename(self, session_id: str, title: str) -> None:
        await rename_stored(self._product.sessions, self._root[PERSISTENCE], session_id, title)
        self._changed.set()

    async def delete(self, session_id: str) -> None:
        """Move it to the trash.

        Raises:
            PersistenceError: it is in use or another program's; it is where it was.
        """
        log = self._own_log(session_id)
        lease = await self._lease_of(session_id, log)
        try:
            await lease.write(lambda: self._trash.put(log, session_id, SYSTEM_CLOCK.now_ms()))
        finally:
            await lease.release()
        self._changed.set()

    async def restore(self, session_id: str) -> None:
        await to_the_end(partial(self._trash.restore, session_id))
        self._changed.set()

    async def export(self, session_id: str, target: str) -> None:
        """Write it; the name's end says as what: ``.md``, ``.jsonl`` or ``.zip``."""
        path = Path(target).expanduser()
        path = path if path.is_absolute() else self._product.cwd / path
        form = format_of(path)
        if form is None:
            raise LibraryError(f"{path.name}: end the name in .md, .jsonl or .zip")
        if path.exists():
            raise LibraryError(f"{path} exists; choose another name")
        loaded = await asyncio.to_thread(self._root[PERSISTENCE].inspect, session_id)
        try:
            content = await asyncio.to_thread(exported, loaded, form)
            await to_the_end(partial(write_atomic, path, content))
        except OSError as error:
            raise LibraryError(f"cannot write {path}: {error.strerror or error}") from error

    async def repair(self, session_id: str) -> str:
        """Store a repaired copy; its id. The original is not touched."""
        damaged = await asyncio.to_thread(self._root[PERSISTENCE].inspect, session_id)
        copy = await asyncio.to_thread(copy_repaired, damaged)
        if not copy.session.events:
            raise LibraryError("the log holds no record that could be saved")
        await to_the_end(partial(write_whole_log, self._product.home.sessions, copy.session))
        return copy.session.id

    async def last_in(self, cwd: Path) -> str | None:
        """Our session of a directory that was written last; forks count, subagents don't."""
        index, root = self._product.index, self._product.home.sessions
        log = await asyncio.to_thread(index.last_in, str(cwd), index.sources[0])
        return None if log is None else shown_id(root, Path(log))

    def _own_log(self, session_id: str) -> Path:
        log = find_log(self._product.home.sessions, session_id)
        if log is not None:
            return log
        if self._root[PERSISTENCE].locate(session_id) is not None:
            raise PersistenceError("a session of DeepSeek Harness is never changed here")
        raise NotStoredError(f"no stored session {session_id}")

    def _alive(self, rows: Sequence[SessionRow]) -> Sequence[SessionRow]:
        """The same rows, with what agents of this process do."""
        busy = {agent.id for agent in self._root[AGENTS].list() if agent.status == "running"}
        waiting = set(self._waiting())
        if not busy and not waiting:
            return rows
        return [
            row._replace(activity="waiting" if row.id in waiting else "running")
            if row.id in busy or row.id in waiting
            else row
            for row in rows
        ]
