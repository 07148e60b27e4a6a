"""Sessions as files to give away: Markdown to read, JSON lines to work with, a ZIP with both.

Source: design §4 (sessions export).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Iterable
from itertools import chain, count
from pathlib import Path
from typing import Final, Literal, TypeAlias

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.persistence.stored import LoadedSession, with_closers
from dsh_tui.engine.projection.plain_text import render_markdown
from dsh_tui.engine.projection.session import SessionFold

ExportFormat: TypeAlias = Literal["markdown", "jsonl", "zip"]
SUFFIXES: Final[dict[ExportFormat, str]] = {"markdown": ".md", "jsonl": ".jsonl", "zip": ".zip"}


class UnknownSuffixError(HarnessError):
    """A file name ends in something that is none of the formats; the message names those that are."""

    code = "UNKNOWN_SUFFIX"


def format_of(path: Path) -> ExportFormat | None:
    """The format that a file name asks for; None for a name without a suffix.

    Raises:
        UnknownSuffixError: it asks for one that there is not.
    """
    if not path.suffix:
        return None
    form = next((one for one, suffix in SUFFIXES.items() if path.suffix.lower() == suffix), None)
    if form is None:
        raise UnknownSuffixError(f"{path.name}: end the name in .md, .jsonl or .zip")
    return form


def as_markdown(loaded: LoadedSession) -> str:
    """The transcript."""
    fold = SessionFold(loaded.header)
    fold.apply_all(with_closers(loaded).events)
    view = fold.view()
    return render_markdown(view.title, view.blocks)


def as_json_lines(loaded: LoadedSession) -> str:
    """The log, one event a line, nothing packed."""
    rows = [dumps(loaded.header), *(dumps(event.to_json()) for event in loaded.events)]
    return "\n".join(rows) + "\n"


def exported(loaded: LoadedSession, form: ExportFormat) -> bytes:
    """One session in one format."""
    if form == "zip":
        return as_zip([loaded])
    text = as_markdown(loaded) if form == "markdown" else as_json_lines(loaded)
    return text.encode("utf-8", "backslashreplace")


def as_zip(sessions: Iterable[LoadedSession]) -> bytes:
    """A folder for each session: its log byte for byte as it lies on disk, and the transcript.

    Raises:
        OSError: a log can't be read any more.
    """
    data, folders = io.BytesIO(), set[str]()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for loaded in sessions:
            folder = _free_name(_safe_name(loaded.header["id"]), folders)
            folders.add(folder.casefold())
            if loaded.path is None:
                archive.writestr(f"{folder}/session.jsonl", as_json_lines(loaded))
            else:
                archive.writestr(f"{folder}/{loaded.path.name}", loaded.path.read_bytes())
            archive.writestr(f"{folder}/transcript.md", exported(loaded, "markdown"))
    return data.getvalue()


def _free_name(name: str, taken: Collection[str]) -> str:
    """A folder of its own for each session, also where case does not count."""
    numbered = (f"{name}-{number}" for number in count(2))
    return next(one for one in chain((name,), numbered) if one.casefold() not in taken)


def _safe_name(session_id: str) -> str:
    safe = "".join(one if one.isalnum() or one in "-_." else "-" for one in session_id)[:100]
    return safe.lstrip(".") or "session"
