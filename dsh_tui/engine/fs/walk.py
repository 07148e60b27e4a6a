"""Searching without ripgrep: slower, same results for ordinary patterns.

Walks in a thread that looks at the signal between files. Patterns are Python's regular
expressions here. Source: capabilities B3 (pure-Python fallback).
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.fs.globs import Glob
from dsh_tui.engine.fs.search import RAW_LIMIT, TIME_LIMIT, VCS_FOLDERS, Found, Match, SearchError

_MAX_FILE = 16 * 1024 * 1024
"""Bytes of the largest file whose lines are searched."""


class WalkingSearcher:
    """The searcher that needs nothing but Python."""

    def __init__(self, *, time_limit: float = TIME_LIMIT) -> None:
        self._time_limit = time_limit

    async def files(self, root: Path, pattern: str, signal: CancelSignal) -> Found[str]:
        return await asyncio.to_thread(self._files, root, Glob(pattern).matches, signal)

    async def lines(
        self, root: Path, only: str | None, pattern: str, include: str | None, signal: CancelSignal
    ) -> Found[Match]:
        try:
            regex = re.compile(pattern.encode())
        except (re.error, UnicodeEncodeError) as error:
            raise SearchError(f"The search failed: the pattern is not valid: {error}.") from error
        wanted = None if include is None else Glob(include)
        return await asyncio.to_thread(
            self._lines,
            root,
            only,
            regex,
            lambda name: wanted is None or wanted.matches(name),
            signal,
        )

    def _files(self, root: Path, wanted: Callable[[str], bool], signal: CancelSignal) -> Found[str]:
        deadline = time.monotonic() + self._time_limit
        names: list[str] = []
        for name in _walk(root):
            signal.check()
            if wanted(name):
                names.append(name)
            if time.monotonic() > deadline:
                return Found(tuple(names), _stopped(self._time_limit))
        return Found(tuple(names))

    def _lines(
        self,
        root: Path,
        only: str | None,
        regex: re.Pattern[bytes],
        wanted: Callable[[str], bool],
        signal: CancelSignal,
    ) -> Found[Match]:
        deadline = time.monotonic() + self._time_limit
        matches: list[Match] = []
        size = 0
        for name in [only] if only is not None else _walk(root):
            signal.check()
            if time.monotonic() > deadline:
                return Found(tuple(matches), _stopped(self._time_limit))
            if not wanted(name):
                continue
            for match in _search(root / name, name, regex):
                matches.append(match)
                size += len(match.text) + len(name)
            if size > RAW_LIMIT:
                return Found(tuple(matches), "the results were too many to take them all in")
        return Found(tuple(matches))


def _stopped(limit: float) -> str:
    return f"the search was stopped after {limit:g} s"


def _walk(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in VCS_FOLDERS)
        relative = os.path.relpath(folder, root)
        for name in sorted(names):
            path = name if relative == "." else f"{relative}/{name}"
            if (root / path).is_file() and not (root / path).is_symlink():
                yield path


def _search(path: Path, name: str, regex: re.Pattern[bytes]) -> Iterator[Match]:
    try:
        if path.stat().st_size > _MAX_FILE:
            return
        raw = path.read_bytes()
    except OSError:
        return
    if b"\0" in raw:
        return
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if (line or number == 1) and regex.search(line):
            yield Match(name, number, line.decode("utf-8", "replace").removesuffix("\r"))
