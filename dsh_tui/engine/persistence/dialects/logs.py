"""The original's logs as the derived index sees them. Source: design §3.4, §3.7."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from dsh_tui.engine.persistence.dialects.originals import shown_id
from dsh_tui.engine.persistence.dialects.paths import iter_logs, unescape_id
from dsh_tui.engine.persistence.dialects.reader import read_original, under_id
from dsh_tui.engine.persistence.dialects.summary import read_summary, unreadable_summary, with_damage
from dsh_tui.engine.persistence.errors import FormatUnsupportedError
from dsh_tui.engine.persistence.log_source import Excerpt, FoundLog, WholeLog
from dsh_tui.engine.persistence.stored import SessionSummary


class OriginalLogs:
    """A `LogSource` over ``$DSH_HOME/sessions``. Who writes a log there cannot be told from outside."""

    name: Final = "dsh"

    def __init__(self, root: Path) -> None:
        self.root = root

    def scan(self) -> Iterator[FoundLog]:
        for path in iter_logs(self.root):
            try:
                stat = path.stat()
            except OSError:
                continue
            token = f"{stat.st_ino}:{stat.st_size}:{stat.st_mtime_ns}:{stat.st_ctime_ns}"
            yield FoundLog(str(path), token, stat.st_mtime_ns)

    def summary(self, path: str) -> SessionSummary:
        return read_summary(Path(path))

    def whole(self, path: str) -> WholeLog:
        summary = read_summary(Path(path))
        try:
            loaded = read_original(Path(path))
        except FormatUnsupportedError:
            return WholeLog(summary, None)
        return WholeLog(with_damage(summary, loaded), loaded)

    def excerpt(self, path: str, types: Collection[str]) -> Excerpt:
        loaded = under_id(read_original(Path(path)), unescape_id(Path(path).parent.name))
        return Excerpt(loaded.header, [event for event in loaded.events if event.type in types])

    def holder(self, path: str) -> str | None:
        return None

    def shown_id(self, session_id: str, path: str, *, taken: bool, twice: bool) -> str:
        return shown_id(session_id, Path(path), taken=taken, twice=twice)

    def unreadable(self, path: str, why: str) -> SessionSummary:
        return unreadable_summary(Path(path), why)
