"""Stored sessions by the ids that people type: ours, and the original's to read.

Source: design §4 (unknown sessions), §3.4.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.persistence.dialects.originals import OriginalSessions
from dsh_tui.engine.persistence.dialects.paths import original_sessions
from dsh_tui.engine.persistence.jsonl.paths import find_log, iter_logs, shown_ids
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.stored import LoadedSession
from dsh_tui.engine.settings.home import Home


class UnknownSessionError(HarnessError):
    """There is no such session; the message names the nearest."""

    code = "UNKNOWN_SESSION"


class StoredSessions:
    """The sessions of one home and of the original's, found without a boot."""

    def __init__(self, home: Home, environ: Mapping[str, str]) -> None:
        self.home = home
        self._originals = OriginalSessions(original_sessions(environ))

    def own_log(self, session_id: str) -> Path:
        """The log of a session that may be changed.

        Raises:
            UnknownSessionError: also for a session of the original.
            AmbiguousIdError: there are several.
        """
        path = find_log(self.home.sessions, session_id)
        if path is not None:
            return path
        original = self._originals.locate(session_id)
        if original is not None:
            raise UnknownSessionError(
                f"session {session_id} belongs to dsh ({original}), whose files are never changed; "
                f"`dsh-tui sessions fork {shlex.quote(session_id)}` makes a copy of it here"
            )
        raise self._unknown(session_id)

    def require(self, session_id: str) -> None:
        """See that there is one session of that id, ours or the original's.

        Raises:
            UnknownSessionError: there is none.
            AmbiguousIdError: there are several.
        """
        if find_log(self.home.sessions, session_id) is None and self._originals.locate(session_id) is None:
            raise self._unknown(session_id)

    def read(self, session_id: str) -> LoadedSession:
        """The session, whatever state it is in.

        Raises:
            UnknownSessionError: there is none.
            PersistenceError: it cannot be read.
        """
        path = find_log(self.home.sessions, session_id)
        if path is not None:
            return read_log(path, session_id)
        original = self._originals.read(session_id)
        if original is None:
            raise self._unknown(session_id)
        return original

    def own_ids(self) -> list[str]:
        """Ids of all sessions of ours, as lists show them."""
        return list(shown_ids(list(iter_logs(self.home.sessions))).values())

    def _unknown(self, session_id: str) -> UnknownSessionError:
        known = [*self.own_ids(), *(row.id for row in self._originals.list())]
        near = [one for one in known if session_id and one.startswith(session_id)]
        near = near or get_close_matches(session_id, known, n=1)
        hint = f"did you mean {near[0]}?" if near else "see `dsh-tui sessions list`"
        return UnknownSessionError(f"no session {session_id}; {hint}")
