"""``sessions fork|rename|delete|repair``: what changes stored sessions, or makes new ones from them.

A fork and a repaired copy are new sessions; only renaming and deleting touch one that is there, under
its lease. Source: design §4, §3 rows 4 to 6.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from dsh_tui.engine.base.clock import SYSTEM_CLOCK
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.boot import boot
from dsh_tui.engine.bundles import storage
from dsh_tui.engine.frontends.speak import complain, say
from dsh_tui.engine.frontends.stored_session import StoredSessions
from dsh_tui.engine.persistence.errors import NotStoredError
from dsh_tui.engine.persistence.jsonl.trash import Trash
from dsh_tui.engine.persistence.jsonl.whole_log import write_whole_log
from dsh_tui.engine.persistence.lease.plugin import FileLeases, LeaseConfig
from dsh_tui.engine.persistence.seam import PERSISTENCE, PERSISTENCE_MENDED
from dsh_tui.engine.persistence.stored import told
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.session_copies import copy_repaired, forked_copy
from dsh_tui.engine.session_title.stored_title import rename_stored
from dsh_tui.engine.settings.home import Home
from dsh_tui.engine.settings.loader import SettingsError, load_settings

OK, FAILED, BROKEN_SETTINGS = 0, 1, 2

T = TypeVar("T")


def fork_session(session_id: str, seq: int | None, *, as_json: bool) -> int:
    """Store a copy up to the last turn boundary at or before ``seq``; print its id."""

    def fork(stored: StoredSessions) -> int:
        original = stored.read(session_id)
        copy = forked_copy(original, seq)
        stored.home.prepare()
        write_whole_log(stored.home.sessions, copy.session)
        if as_json:
            facts = {"id": copy.session.id, "parentSession": original.header["id"], "boundary": copy.boundary}
            say(dumps(facts))
        else:
            say(copy.session.id)
            snapped = seq is not None and copy.boundary != seq
            moved = f"; seq {seq} lies inside a turn or beyond the log" if snapped else ""
            complain(f"forked {session_id} after seq {copy.boundary}, where a turn ends{moved}", OK)
        return OK

    return _guarded(fork)


def rename_session(session_id: str, title: str, *, as_json: bool) -> int:
    """Give a session a title that no model replaces."""

    def rename(stored: StoredSessions) -> int:
        stored.own_log(session_id)
        named = asyncio.run(_rename(stored.home, session_id, title))
        say(dumps({"id": session_id, "title": named}) if as_json else f"{session_id}: {named}")
        return OK

    return _guarded(rename)


def delete_sessions(session_ids: Sequence[str], *, as_json: bool) -> int:
    """Move sessions to the trash; print how to have them back. One that can't be does not stop the rest."""

    def delete(stored: StoredSessions) -> int:
        trash, leases = Trash(stored.home.trash), _lease(stored.home)
        failed, gone = False, list[dict[str, str]]()
        for session_id in dict.fromkeys(session_ids):
            try:
                log = stored.own_log(session_id)
                deleted = asyncio.run(_under_lease(leases, log, partial(trash.put, log, session_id, _now())))
            except HarnessError as error:
                failed = bool(complain(error.message, FAILED)) or failed
            else:
                gone.append({"id": session_id, "trash": str(deleted.folder)})
        if as_json:
            say(dumps({"deleted": gone}))
        elif gone:
            say(f"deleted {' '.join(one['id'] for one in gone)}")
            ids = shlex.join(one["id"] for one in gone)
            complain(f"kept in {trash.folder}; `dsh-tui sessions delete --undo {ids}` brings them back", OK)
        return FAILED if failed else OK

    return _guarded(delete)


def restore_sessions(session_ids: Sequence[str], *, as_json: bool) -> int:
    """Put deleted sessions back: those named, or the one deleted last."""

    def restore(stored: StoredSessions) -> int:
        trash, failed, back = Trash(stored.home.trash), False, list[str]()
        for session_id in dict.fromkeys(session_ids) or (None,):
            try:
                back.append(trash.restore(session_id).session_id)
            except NotStoredError as error:
                known = ", ".join(one.session_id for one in trash.list())
                hint = f"; deleted are {known}" if known else ""
                failed = bool(complain(f"{error.message}{hint}", FAILED)) or failed
            except HarnessError as error:
                failed = bool(complain(error.message, FAILED)) or failed
        if as_json:
            say(dumps({"restored": back}))
        elif back:
            say(f"restored {' '.join(back)}")
        return FAILED if failed else OK

    return _guarded(restore)


def repair_session(session_id: str, *, as_json: bool) -> int:
    """Store a repaired copy; print its id. The original is not touched."""

    def repair(stored: StoredSessions) -> int:
        damaged = stored.read(session_id)
        copy = copy_repaired(damaged)
        if not copy.session.events:
            raise HarnessError(f"{damaged.path} holds no record that could be saved; nothing was made")
        stored.home.prepare()
        path = write_whole_log(stored.home.sessions, copy.session)
        events = len(copy.session.events)
        if as_json:
            say(dumps({"id": copy.session.id, "path": str(path), "events": events, "leftOut": copy.left_out}))
        else:
            say(copy.session.id)
            sound = "" if damaged.damaged else f"{session_id} is not damaged; copied all the same: "
            left = f", {copy.left_out} left out" if copy.left_out else ""
            complain(f"{sound}{events} records{left}; {damaged.path} is unchanged", OK)
        return OK

    return _guarded(repair)


def _guarded(work: Callable[[StoredSessions], int]) -> int:
    try:
        return work(StoredSessions(Home.from_environment(os.environ), os.environ))
    except SettingsError as error:
        return complain(error.message, BROKEN_SETTINGS)
    except (HarnessError, ValueError) as error:
        return complain(str(error), FAILED)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return complain(f"{where}{error.strerror or error}", FAILED)


async def _rename(home: Home, session_id: str, title: str) -> str:
    config = storage.Config(sessions=home.sessions, lease=_lease(home))
    engine = await boot(lambda root: root.plugin(storage, config))
    engine.root.on(PERSISTENCE_MENDED, lambda _id, notices: complain(told(notices), OK) and None)
    try:
        return await rename_stored(engine.root[SESSIONS], engine.root[PERSISTENCE], session_id, title)
    finally:
        await engine.dispose()


async def _under_lease(config: LeaseConfig, log: Path, work: Callable[[], T]) -> T:
    lease = await FileLeases(config).acquire(log)
    try:
        return await lease.write(work)
    finally:
        await lease.release()


def _lease(home: Home) -> LeaseConfig:
    lease = load_settings(home.settings).lease
    return LeaseConfig(ttl_ms=lease.ttl_ms, renew_interval_ms=lease.renew_interval_ms)


def _now() -> int:
    return SYSTEM_CLOCK.now_ms()
