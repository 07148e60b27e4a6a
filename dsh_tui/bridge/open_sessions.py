"""The sessions that are open in the app: whose agents live, and which log is on the screen.

One log is shown at a time. It is an agent's, or it can't be written and something says why: a
recording, a session that another process holds, one that was lost. Agents that still work when
another session is opened go on working. Source: design §2, §3 rows 5 and 6.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dsh_tui.bridge.busy_session import LOOK_SECONDS, BusySession
from dsh_tui.bridge.feed import Feed
from dsh_tui.bridge.recording import Playback
from dsh_tui.engine.agent.agent import Agent, AgentHandle, AgentOptions
from dsh_tui.engine.agent.registry import AGENTS, CreateAgent, ResumeAgent
from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.base.errors import HarnessError, error_chain
from dsh_tui.engine.base.frozen import JsonObject
from dsh_tui.engine.base.work_folder import why_unusable
from dsh_tui.engine.modes.modes import MODES
from dsh_tui.engine.persistence.errors import (
    AlreadyOwnedError,
    CorruptLogError,
    PersistenceError,
    ReadOnlyLogError,
    SessionOwnershipLostError,
)
from dsh_tui.engine.persistence.seam import LEASES, PERSISTENCE, PERSISTENCE_STATE, LoadedSession
from dsh_tui.engine.product import Product
from dsh_tui.engine.projection.views import ChatView
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import END_SEED, Session
from dsh_tui.engine.session_move import move_stored


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """A log that can only be read."""

    reason: str
    copies: bool = False
    """Whether what is sent to it goes on in a copy."""

    def stop(self) -> None:
        """Nothing goes on in it."""


@dataclass(frozen=True, slots=True)
class LostDirectory:
    """A session that nobody can work in where it did, until it is given another directory."""

    session_id: str
    trouble: str
    """What is wrong with the directory, in a sentence without its full stop."""

    @property
    def reason(self) -> str:
        return f"{self.trouble} · /directory gives this session another"

    def stop(self) -> None:
        """Nothing goes on in it."""


Locked = ReadOnly | Playback | BusySession | LostDirectory
"""What is shown and can't be written."""


class OpenSessions:
    """Opens, leaves and ends sessions. ``agent`` is the one that is shown, if it can be written."""

    def __init__(
        self,
        product: Product,
        feed: Feed,
        *,
        notify: Callable[[str, str], None],
        spawn: Callable[[Awaitable[None]], object],
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.agent: Agent | None = None
        self.locked: Locked | None = None
        self._product, self._root = product, product.engine.root
        self._feed, self._notify, self._spawn, self._clock = feed, notify, spawn, clock
        self._handles: dict[str, AgentHandle] = {}
        self._session: Session | None = None
        self._named = self._named_mode = ""
        """The session that the command line names, and its mode, until one can write there."""
        self._going = asyncio.Lock()
        """One change of session at a time: two at once would leave an agent that nobody shows or ends."""
        self._root.on(PERSISTENCE_STATE, self._on_state, everywhere=True)

    # What is shown

    @property
    def session_id(self) -> str:
        """Of the session that is shown; empty for a recording."""
        if self._session is not None:
            return self._session.id
        return self.locked.session_id if isinstance(self.locked, BusySession | LostDirectory) else ""

    @property
    def lost_directory(self) -> str:
        """What is wrong with the directory of the session that is shown, if it waits for another."""
        return self.locked.trouble if isinstance(self.locked, LostDirectory) else ""

    @property
    def playback(self) -> Playback | None:
        return self.locked if isinstance(self.locked, Playback) else None

    def shows(self, session: Session) -> bool:
        """Whether this live log is on the screen."""
        return session is self._session

    def marked(self, view: ChatView) -> ChatView:
        """The view of a log that is only read, with what may become of it."""
        return replace(view, copies=self.copies, lost_directory=self.lost_directory)

    def why_read_only(self, *, keyless: bool) -> str:
        if self.locked is None:
            return ""
        return self.locked.why(keyless=keyless) if isinstance(self.locked, Playback) else self.locked.reason

    # Going places

    async def begin(self, meta: Mapping[str, Any], seed: Sequence[Event] | None = None) -> None:  # Any: JSON
        """Show a new session."""
        async with self._going:
            await self._begin(meta, seed)

    async def _begin(self, meta: Mapping[str, Any], seed: Sequence[Event] | None) -> None:  # Any: JSON
        wanted = CreateAgent(options=self._product.agent_options, meta=meta, seed=seed)
        await self._enter(self._root[AGENTS].create(wanted))

    async def fork(self, session_id: str, boundary: int | None) -> None:
        """Show a new session that starts as a copy of another, cut where a turn ends by ``boundary``."""
        async with self._going:
            session = self._session
            if session is not None and self.agent is None and session.id == session_id:
                # It was lost: only the screen still has all of it.
                loaded = LoadedSession(header=session.header, events=session.events)
            else:
                loaded = await asyncio.to_thread(self._root[PERSISTENCE].inspect, session_id)
            meta, seed = self._product.fork(loaded, boundary)
            await self._begin(meta, seed)
        ended = next((event for event in reversed(seed) if event.type == "turn/end"), None)
        if ended is not None:
            self._notify(f"A copy up to the end of turn {ended.data['turn']}; the original stays", "ok")

    @property
    def copies(self) -> bool:
        """Whether what is sent goes on in a copy of the session that is shown."""
        return isinstance(self.locked, ReadOnly) and self.locked.copies

    async def go_on_in_copy(self, session_id: str) -> None:
        """`fork` the read-only session that is shown. A second call meanwhile finds nothing to copy."""
        shown, self.locked = self.locked, ReadOnly("A copy of this session is being made.")
        try:
            await self.fork(session_id, None)
        except BaseException:  # raised again; what was begun is undone first
            self.locked = shown
            raise

    async def go_to(self, session_id: str, *, named: bool = False) -> None:
        """The live agent's if there is one, else resumed, else only to read.

        ``named``: by the command line, so that its model, effort and mode outrank what the log says.

        Raises:
            PersistenceError: it can't even be read; the session that is shown stays.
        """
        async with self._going:
            if named:
                self._named = session_id
            await self._go_to(session_id)

    def start_in(self, mode: str) -> None:
        """The mode holds for the session that is shown, or that is named, once one can write there."""
        if self.agent is not None:
            self._root[MODES].start_in(self.agent.session, mode)
        elif self._named:
            self._named_mode = mode

    async def _go_to(self, session_id: str) -> None:
        if self.agent is not None and self.agent.id == session_id:
            return
        handle = self._handles.get(session_id)
        if handle is not None:
            await self._go_over(handle)
            return
        try:
            handle = await self._resume(session_id)
        except AlreadyOwnedError:
            await self._watch(session_id)
        except PersistenceError as error:
            loaded = await asyncio.to_thread(self._root[PERSISTENCE].inspect, session_id)
            await self._leave()
            read_only = ReadOnly(_why_read_only(error), copies=isinstance(error, ReadOnlyLogError))
            self._show(loaded.header, loaded.events, read_only)
            if loaded.dialect and loaded.status == "damaged":
                self._notify(f"{loaded.path}: {loaded.notices[0].text}", "warning")
        else:
            await self._enter(handle)

    async def move_to(self, directory: str) -> None:
        """Go on in another directory with the session that is shown and lost its own; its log says so.

        Raises:
            HarnessError: it has not lost it, or one can't work in this one either.
            PersistenceError: the move can't be logged.
        """
        async with self._going:
            lost = self.locked
            if not isinstance(lost, LostDirectory):
                raise HarnessError("this session has a directory that one can work in")
            place = os.path.abspath(self._product.cwd / Path(directory).expanduser())  # noqa: PTH100  # no links followed
            trouble = await asyncio.to_thread(why_unusable, place)
            if trouble:
                raise HarnessError(trouble if os.path.lexists(place) else f"there is no directory {place}")
            await move_stored(self._product.sessions, self._root[PERSISTENCE], lost.session_id, place)
            await self._go_to(lost.session_id)

    async def play(self, playback: Playback) -> None:
        """Show a recording; it ends when another session is opened."""
        async with self._going:
            await self._leave()
            self._show(playback.header, playback.shown, playback)
        self._spawn(playback.run(self._feed.schedule))

    def forget_recording(self) -> None:
        """Its time is over; what comes next is shown when it is there."""
        if self.playback is not None:
            self.playback.stop()
            self.locked = None

    async def end_all(self) -> None:
        """End every agent."""
        self._unlock()
        handles, self._handles = self._handles, {}
        await asyncio.gather(*(handle.dispose() for handle in handles.values()))

    # Parts

    async def _resume(self, session_id: str) -> AgentHandle:
        options = self._product.agent_options if session_id == self._named else AgentOptions()
        return await self._root[AGENTS].resume(ResumeAgent(session_id=session_id, options=options))

    async def _enter(self, handle: AgentHandle) -> None:
        """Go over to an agent that has just begun, unless its directory is lost: then nothing may run."""
        session = handle.agent.session
        trouble = await asyncio.to_thread(why_unusable, session.cwd) if _own_events(session) else ""
        if not trouble:
            await self._go_over(handle)
            return
        await handle.dispose()  # who only reads needs no lease
        await self._leave()
        self._show(session.header, session.events, LostDirectory(session.id, trouble))

    async def _go_over(self, handle: AgentHandle) -> None:
        """Leave what is shown for a live agent; from the first moment on, it is ended with the others."""
        session = handle.agent.session
        self._handles[session.id] = handle
        if session.id == self._named:
            if self._named_mode:
                self._root[MODES].start_in(session, self._named_mode)
            self._named = self._named_mode = ""  # what is chosen here from now on counts
        await self._leave()
        self._show(session.header, session.events, handle.agent)

    def _show(self, header: JsonObject, events: Sequence[Event], by: Agent | Locked) -> None:
        """Show another log: a live agent's, or one that can't be written."""
        self._unlock()
        if isinstance(by, Locked):
            self.agent, self._session, self.locked = None, None, by
        else:
            self.agent, self._session, self.locked = by, by.session, None
        self._feed.follow(header, events)

    def _unlock(self) -> None:
        if self.locked is not None:
            self.locked.stop()

    async def _leave(self) -> None:
        agent, self.agent, self._session = self.agent, None, None
        self._unlock()
        if agent is None or agent.status == "running":
            return  # it goes on working; its handle is kept
        handle = self._handles.pop(agent.id, None)
        if handle is not None:
            await handle.dispose()

    # Held by others

    async def _watch(self, session_id: str) -> None:
        """Show a session that another process writes, and take it when it is free."""
        busy = BusySession(session_id, self._root[PERSISTENCE], self._root[LEASES], self._clock)
        await busy.read()
        await self._leave()
        self._show(busy.header, busy.events, busy)
        self._notify("In use elsewhere: you read along, and write once it is free", "info")
        self._spawn(self._take_when_free(busy))

    async def _take_when_free(self, busy: BusySession) -> None:
        while not busy.stopped:
            await busy.until_free(self._feed.schedule)
            if busy.stopped:
                return
            try:
                handle = await self._resume(busy.session_id)
            except AlreadyOwnedError:  # somebody was quicker
                await self._clock.sleep(LOOK_SECONDS)
                continue
            except PersistenceError as error:
                busy.give_up(error_chain(error))
                self._feed.schedule()
                return
            async with self._going:
                if busy.stopped:
                    await handle.dispose()
                    return
                await self._enter(handle)
            self._notify("The session is free: you can go on here", "ok")

    # Lost to others

    def _on_state(self, session_id: str, error: PersistenceError | None) -> None:
        handle = self._handles.get(session_id)
        if handle is None or not isinstance(error, SessionOwnershipLostError):
            return
        del self._handles[session_id]
        if self.agent is handle.agent:
            self.agent, self.locked = (
                None,
                ReadOnly("can no longer be written here · /fork goes on in a copy"),
            )
            self._feed.schedule()
            self._notify(error.message, "error")
        else:
            self._notify(f"{session_id}: {error.message}", "error")
        self._spawn(self._end_lost(handle))

    async def _end_lost(self, handle: AgentHandle) -> None:
        """End its agent; if nothing of it is unsaved, it may be had again like any other session."""
        session = handle.agent.session
        await handle.agent.when_idle()
        await handle.dispose()
        if not self.shows(session):
            return
        if not _own_events(session):
            await self.begin({"cwd": session.cwd})
        elif await asyncio.to_thread(self._is_stored, session) and self.shows(session):
            async with self._going:
                await self._watch(session.id)

    def _is_stored(self, session: Session) -> bool:
        last = _own_events(session) - 1
        try:
            stored = self._root[PERSISTENCE].read_from(session.id, last)
        except (PersistenceError, OSError):
            return False
        return bool(stored) and stored[0] == session.events[last]


def _why_read_only(error: PersistenceError) -> str:
    if isinstance(error, CorruptLogError) and error.damage:
        return f"{error.damage} · /fork goes on in a copy"
    return error_chain(error)


def _own_events(session: Session) -> int:
    """How many of its events a log would hold: the end of the seed alone is not written."""
    events = session.events
    return len(events) - bool(events and events[-1].type == END_SEED)
