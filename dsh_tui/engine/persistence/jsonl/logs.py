"""The logs below one root, as the derived index sees them: found quickly, read one at a time.

Source: design §3.7; core spec §4.1 (list).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from stat import S_ISREG
from typing import Final

from dsh_tui.engine.base.clock import SYSTEM_CLOCK, Clock
from dsh_tui.engine.persistence.errors import FormatUnsupportedError
from dsh_tui.engine.persistence.jsonl.excerpt import read_excerpt
from dsh_tui.engine.persistence.jsonl.paths import LOG_NAME, full_id, id_of
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.jsonl.summary import read_summary, summary_of, unreadable_summary
from dsh_tui.engine.persistence.lease.record import LOCK_NAME, holder_of
from dsh_tui.engine.persistence.log_source import Excerpt, FoundLog, WholeLog
from dsh_tui.engine.persistence.stored import SessionSummary

_CLOSED: Final = "closed"
"""The token of a log in a folder that nobody may look into."""


class JsonlLogs:
    """A `LogSource` over ``<root>/<project>/<session>/session.jsonl``."""

    name: Final = "dsh-tui"

    def __init__(self, root: Path, clock: Clock = SYSTEM_CLOCK) -> None:
        self.root = root
        self._clock = clock

    def scan(self) -> Iterator[FoundLog]:
        for project in _subdirs(self.root):
            for session in _subdirs(project):
                path = f"{session}{os.sep}{LOG_NAME}"
                try:
                    stat = os.stat(path)  # noqa: PTH116  # ten thousand times
                except PermissionError:
                    yield FoundLog(path, _CLOSED, 0)
                    continue
                except OSError:
                    continue
                if not S_ISREG(stat.st_mode):
                    continue
                # Without the device: its number may be another one after each start of the machine.
                token = f"{stat.st_ino}:{stat.st_size}:{stat.st_mtime_ns}:{stat.st_ctime_ns}"
                locked = os.path.exists(f"{session}{os.sep}{LOCK_NAME}")  # noqa: PTH110  # ten thousand times
                yield FoundLog(path, token, stat.st_mtime_ns, locked)

    def summary(self, path: str) -> SessionSummary:
        return read_summary(Path(path))

    def whole(self, path: str) -> WholeLog:
        try:
            loaded = read_log(Path(path), id_of(Path(path)))
        except FormatUnsupportedError:
            return WholeLog(self.summary(path), None)
        return WholeLog(summary_of(loaded), loaded)

    def excerpt(self, path: str, types: Collection[str]) -> Excerpt:
        return read_excerpt(Path(path), types)

    def holder(self, path: str) -> str | None:
        with contextlib.suppress(OSError):  # a lock file that can't be read says nothing here
            holder = holder_of(Path(path), self._clock.now_ms())
            if holder is not None and holder.pid != os.getpid():
                return str(holder)
        return None

    def shown_id(self, session_id: str, path: str, *, taken: bool, twice: bool) -> str:
        del taken  # an original of that id is the one that is called otherwise
        return full_id(Path(path)) if twice else session_id

    def unreadable(self, path: str, why: str) -> SessionSummary:
        return unreadable_summary(Path(path), why)


def _subdirs(path: Path | str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [entry.path for entry in entries if entry.is_dir()]
    except OSError:
        return []
