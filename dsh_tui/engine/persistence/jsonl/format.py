"""The file format: what one line of a log is.

Line 1 is the header; then one event or one packed run a line, plain JSON, so that jq and
grep work. The last field of each line, ``sum``, is the CRC-32 of the line without it (see `sums`); lines
without one are read as well. Source: core spec §4.3; design §3.3.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from dsh_tui.engine.base.clock import is_time
from dsh_tui.engine.base.frozen import FrozenDict
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.persistence.errors import FormatUnsupportedError
from dsh_tui.engine.persistence.jsonl.sums import is_changed, marked, summed, without_sums
from dsh_tui.engine.session.core_types import core_problem
from dsh_tui.engine.session.event import Event, SurfaceOp
from dsh_tui.engine.session.header import FORMAT, VERSION, SessionHeader, check_header
from dsh_tui.engine.session.pack import MIN_RUN, RUN, ChunkRun, Row, run_from_json
from dsh_tui.engine.session.surface import APPEND


def encode_header(header: SessionHeader) -> bytes:
    """The first line, with its end."""
    return marked(dumps(header).encode()) + b"\n"


def encode_rows(rows: Iterable[Row]) -> bytes:
    """Lines of the log, each with its end. Runs shorter than three become plain events."""
    lines = [summed(line.encode()) for line in _texts(rows)]
    lines.append(b"")
    return b"\n".join(lines)


def _texts(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        if isinstance(row, ChunkRun) and len(row) < MIN_RUN:
            for event in row.events():
                yield dumps(event.to_json())
        else:
            yield dumps(row.to_json())


def _seal(fields: dict[str, Any]) -> FrozenDict:  # Any: parsed JSON
    for name, value in fields.items():
        if type(value) is list:
            fields[name] = _sealed_list(value)
    return FrozenDict(fields)


def _sealed_list(items: list[Any]) -> tuple[Any, ...]:  # Any: parsed JSON
    return tuple([_sealed_list(item) if type(item) is list else item for item in items])


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


# Freezing inside the parser: dicts come out frozen, at half the price of a second pass.
_scan = json.JSONDecoder(object_hook=_seal, parse_constant=_refuse).scan_once  # type: ignore[attr-defined]  # documented nowhere, there since 2.6


def parse_object(text: str, at: int = 0) -> tuple[FrozenDict, int]:
    """The frozen JSON object that begins at ``at``, and where it ends.

    Raises:
        ValueError: there is none.
    """
    try:
        value, end = _scan(text, at)
    except (StopIteration, RecursionError) as error:
        raise ValueError("not JSON") from error
    if type(value) is not FrozenDict:
        raise ValueError("not a JSON object")
    return value, end


def decode_line(line: str) -> Row:
    """The event or run on one line.

    Raises:
        ValueError: not exactly one row.
    """
    fields, end = parse_object(line)
    if end != len(line) and line[end:].strip():
        raise ValueError("more than one record on the line")
    return decode_row(fields)


def decode_row(fields: FrozenDict) -> Row:
    """A row from its parsed form.

    Raises:
        ValueError: the envelope is not one, or the data not what its type promises to every reader.
    """
    get = fields.get
    tag, seq, time, data = get("type"), get("seq"), get("time"), get("data")
    if type(tag) is not str or type(seq) is not int or type(time) is not int or type(data) is not FrozenDict:
        raise ValueError("a record needs type, seq, time and data")
    if seq < 0:
        raise ValueError("a record's seq is 0 or more")
    if not is_time(time):
        raise ValueError("a record's time is in milliseconds since 1970")
    if tag == RUN:
        return run_from_json(seq, time, data)
    problem = core_problem(tag, data)
    if problem is not None:
        raise ValueError(f"{tag}: {problem}")
    if len(fields) == 4 or (len(fields) == 5 and "sum" in fields):
        return Event(tag, seq, time, data)
    return Event(tag, seq, time, data, *_marker(fields), get("ignorable") is True)


def _marker(fields: FrozenDict) -> tuple[SurfaceOp | None, tuple[int, ...] | None]:
    op, sources = fields.get("surfaceOp"), fields.get("sourceEventSeqs")
    if op is not None:
        if type(op) is not FrozenDict:
            raise ValueError("surfaceOp must be an object")
        if op == APPEND:
            op = APPEND
        elif op.get("op") != "replace" or type(op.get("start")) is not int or type(op.get("end")) is not int:
            raise ValueError("surfaceOp is append, or replace with start and end")
    if sources is not None and (type(sources) is not tuple or set(map(type, sources)) - {int}):
        raise ValueError("sourceEventSeqs must be a list of seqs")
    return cast("SurfaceOp | None", op), sources


def decode_header(line: str) -> SessionHeader:
    """The header on the first line.

    Raises:
        FormatUnsupportedError: another format or version; looked at before the shape.
        ValueError: not JSON, or ours before its bytes were changed.
        InvalidHeaderError: ours, but a field is wrong.
    """
    fields, end = parse_object(line)
    if line[end:].strip():
        raise ValueError("more than one record on the line")
    version = fields.get("version")
    if fields.get("format") != FORMAT or version != VERSION:
        newer = fields.get("format") == FORMAT and type(version) is int
        if is_changed(line.encode("utf-8", "surrogateescape")) and not newer:
            raise ValueError("the header was one of ours")
        raise FormatUnsupportedError(
            f"written in format version {version!r}; this program reads version {VERSION}"
            if fields.get("format") == FORMAT
            else "not a dsh-tui session log"
        )
    return check_header(without_sums(fields))
