"""Recordings: stored logs played through the screen at the pace they were made.

The bundled one teaches what the app does before there is a key; ``dsh-tui replay`` plays any log.
Nothing in a recording is live, and the screen says so all the time: it is read-only, and ``why``
begins with the word that marks it. Source: design §3.21, §4 (``replay``).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.persistence.errors import PersistenceError
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.stored import LoadedSession
from dsh_tui.engine.session.event import Event

PATH: Final = Path(__file__).parent / "recording.jsonl"
LONGEST_PAUSE_S: Final = 3.0
"""Nobody wants to watch somebody else think."""
SHORTEST_SLEEP_S: Final = 0.004
"""Below a frame, waiting costs more than it shows."""
BREATH: Final = 256
"""Events after which others may run, however fast the log is played."""


class RecordingError(HarnessError):
    """A file can't be played. The message is one line that names it and says why."""

    code = "RECORDING"


class Playback:
    """One log on its way to the screen: ``shown`` grows as it plays."""

    def __init__(self, loaded: LoadedSession, *, speed: float = 1.0, name: str = "") -> None:
        """``name`` is what a person called the log; empty for the bundled one."""
        self.header = loaded.header
        self.shown: list[Event] = []
        self.bundled = not name
        self.ended = False
        self._stopped = False
        self._events = loaded.events
        self._speed = speed
        damage = next((notice.line for notice in loaded.notices), None)
        self._name = f"{name} (damaged at line {damage})" if name and damage else name

    def why(self, *, keyless: bool) -> str:
        """Why nothing can be sent, and what to do instead; begins with the mark."""
        mark = "recording ended" if self.ended else "recording"
        if self._name:
            return f"{mark}: {self._name} is only shown; /new starts a session"
        leave = "/key takes a key, /server a local server" if keyless else "esc starts a session"
        return f"{mark}: nothing here is live; {leave}"

    def stop(self) -> None:
        """Show nothing more."""
        self._stopped = True

    async def run(self, note: Callable[[], None], clock: Clock = SYSTEM_CLOCK) -> None:
        """Show one event after the other, to the end or until `stop`; ``note`` is called for each."""
        async for event in paced(self._events, speed=self._speed, clock=clock):
            if self._stopped:
                return
            self.shown.append(event)
            note()
        self.ended = True
        note()


def bundled() -> Playback:
    """The recording that ships with the package."""
    return Playback(load_recording(PATH))


def load_recording(path: Path = PATH) -> LoadedSession:
    """A log to play; a damaged one as far as it can be read.

    Raises:
        RecordingError: there is no such file, it can't be read, or it is no log of ours.
    """
    if path.is_dir():
        raise RecordingError(f"{path} is a directory; name a session.jsonl file")
    try:
        loaded = read_log(path)
    except PersistenceError as error:
        raise RecordingError(str(error)) from error
    if not loaded.events:
        raise RecordingError(f"{path}: no session log, or an empty one; nothing to play")
    return loaded


async def paced(
    events: Iterable[Event], *, speed: float = 1.0, clock: Clock = SYSTEM_CLOCK
) -> AsyncIterator[Event]:
    """The events, each when its time stamp says, with pauses cut to `LONGEST_PAUSE_S`."""
    due = clock.monotonic()
    before: int | None = None
    for count, event in enumerate(events, 1):
        if before is not None:
            due += max(0.0, min((event.time - before) / 1000, LONGEST_PAUSE_S)) / speed
        before = event.time
        wait = due - clock.monotonic()
        if wait > SHORTEST_SLEEP_S:
            await clock.sleep(wait)
        elif count % BREATH == 0:
            await clock.sleep(0)
        yield event
