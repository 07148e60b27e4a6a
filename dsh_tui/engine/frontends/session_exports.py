"""``sessions export``: sessions written to a file or to stdout. Source: design §4."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.frontends.speak import complain, say_bytes
from dsh_tui.engine.frontends.stored_session import StoredSessions
from dsh_tui.engine.persistence.stored import LoadedSession
from dsh_tui.engine.session_export import ExportFormat, UnknownSuffixError, as_zip, exported, format_of
from dsh_tui.engine.settings.home import Home

OK, FAILED = 0, 1


def export_sessions(session_ids: Sequence[str], *, form: ExportFormat | None, target: Path | None) -> int:
    """Write them; several make a ZIP. An existing file is never written over."""
    try:
        chosen = form or (format_of(target) if target is not None else None)
    except UnknownSuffixError as error:
        return complain(f"{error.message}, or say with --format what it is to be", FAILED)
    chosen = chosen or ("markdown" if len(session_ids) == 1 else "zip")
    if len(session_ids) > 1 and chosen != "zip":
        return complain(f"several sessions go into a ZIP; as {chosen} export one at a time", FAILED)
    if chosen == "zip" and target is None and sys.stdout.isatty():
        return complain("a ZIP is not for a terminal; name a file with -o FILE", FAILED)
    if target is not None and target.exists():
        return complain(f"{target} exists; name another file", FAILED)
    try:
        stored = StoredSessions(Home.from_environment(os.environ), os.environ)
        loaded = [stored.read(session_id) for session_id in dict.fromkeys(session_ids)]
        content = as_zip(loaded) if chosen == "zip" else exported(loaded[0], chosen)
        if target is not None:
            write_atomic(target.absolute(), content)
    except HarnessError as error:
        return complain(error.message, FAILED)
    except OSError as error:
        return complain(f"cannot write {target}: {error.strerror or error}", FAILED)
    if target is None:
        say_bytes(content)
    _tell_notices(loaded)
    return OK


def _tell_notices(sessions: Sequence[LoadedSession]) -> None:
    for loaded in sessions:
        for notice in loaded.notices:
            complain(f"{loaded.path}: {notice.text}", OK)
