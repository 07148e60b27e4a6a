"""Overrides: what a log can't express, such as a failure that was never recorded.

A sidecar file holds either the whole list of entries, or patches: ``{"patches": [{"at": 2, "entry":
{"throw": {"code": "SERVER", "message": "busy"}}}]}``. An entry has ``chunks`` and at most one of
``throw`` and ``hang``; ``at`` counts from 0. Source: capabilities A7.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.base.regular_file import UnreadableError, read_regular
from dsh_tui.engine.llm.chunks import Chunk, Failure
from dsh_tui.engine.replay.entries import Entry
from dsh_tui.engine.replay.errors import FixtureError

_LARGEST = 67_108_864
_KEYS = {"chunks", "throw", "hang", "marker"}
Json = Any  # Any: parsed JSON, checked here


def apply_overrides(recorded: Sequence[Entry], overrides: Json) -> tuple[Entry, ...]:
    """The entries with the overrides in their places. A patch keeps the recorded request beside it.

    Raises:
        FixtureError: the overrides have another shape, or patch an entry that isn't there.
    """
    if isinstance(overrides, list | tuple):
        return tuple(_read(entry, f"entry {at}") for at, entry in enumerate(overrides))
    patches = overrides.get("patches") if isinstance(overrides, Mapping) else None
    if not isinstance(patches, list | tuple):
        raise FixtureError('overrides are a list of entries, or {"patches": [{"at", "entry"}]}')
    entries = list(recorded)
    for patch in patches:
        at = patch.get("at") if isinstance(patch, Mapping) else None
        if type(at) is not int or not 0 <= at < len(entries):
            raise FixtureError(f"a patch at {at!r}; the recording has entries 0 to {len(entries) - 1}")
        before = entries[at]
        entries[at] = replace(
            _read(patch.get("entry"), f"patch at {at}"), request=before.request, place=before.place
        )
    return tuple(entries)


def read_sidecar(log: Path) -> Json:
    """The overrides beside a log, ``<name>.overrides.json``; none if there is no such file.

    Raises:
        FixtureError: the file can't be read as JSON.
    """
    path = log.with_suffix(".overrides.json")
    try:
        return json.loads(read_regular(path, _LARGEST))
    except FileNotFoundError:
        return {"patches": []}
    except (UnreadableError, ValueError, RecursionError) as error:
        raise FixtureError(f"{path}: {error}") from error


def _read(entry: Json, where: str) -> Entry:
    if not isinstance(entry, Mapping) or set(entry) - _KEYS:
        raise FixtureError(f"{where}: an entry is an object with {', '.join(sorted(_KEYS))}")
    chunks, throw, hang = entry.get("chunks", ()), entry.get("throw"), entry.get("hang", False)
    if not all(isinstance(chunk, Mapping) and isinstance(chunk.get("type"), str) for chunk in chunks):
        raise FixtureError(f"{where}: a chunk is an object with a type")
    if throw is not None and not (
        isinstance(throw, Mapping)
        and isinstance(throw.get("code"), str)
        and isinstance(throw.get("message"), str)
    ):
        raise FixtureError(f"{where}: throw needs a code and a message")
    finished = bool(chunks) and chunks[-1]["type"] == "finish"
    if (throw is not None) + bool(hang) + finished != 1:
        raise FixtureError(f"{where}: exactly one ending is needed: a finish chunk, throw or hang")
    return Entry(
        chunks=cast("tuple[Chunk, ...]", freeze(tuple(chunks))),
        throw=cast("Failure | None", freeze(throw) if throw is not None else None),
        hang=bool(hang),
        marker=str(entry.get("marker", "")),
        place=where,
    )
