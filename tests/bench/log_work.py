"""The log in this process: folding 100,000 events, and making a batch of chunks durable."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.jsonl.writer import LogFile
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.header import new_header
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import pack
from dsh_tui.engine.session.session import Session
from tests.bench.figures import Sample
from tests.bench.long_session import write_log
from tests.bench.scene import Take
from tests.fakes.model_script import markdown

BATCH = 1_000


def fold(take: Take) -> Sample:
    """Parsing is not counted; the measure is `json.loads` of the same log unpacked, line by line."""
    write_log(take.folder / "sessions", "fold", take.folder)
    (path,) = (take.folder / "sessions").glob("*/*/session.jsonl")
    loaded = read_log(path)
    lines = [json.dumps(event.to_json()) for event in loaded.events]

    def go_on() -> None:
        session = Session(loaded.header, seed=loaded.events)
        view = SessionFold(loaded.header)
        view.apply_all(session.events)
        view.view()

    parsing = _seconds(lambda: [json.loads(line) for line in lines])
    return {"fold_ratio": _seconds(go_on) / parsing}


def batch(take: Take) -> Sample:
    """Against the plainest way: each event dumped by itself, one write, one fsync."""
    events = [_chunk(seq, text) for seq, text in enumerate(markdown(BATCH, "0"))]
    header = new_header("batch", 0, {"cwd": str(take.folder)})
    log = EventLog.of(pack(events))
    ours, plain = [], []
    for number in range(20):
        file = LogFile(take.folder / f"ours-{number}" / "session.jsonl")
        file.append(b"", header=encode_header(header))
        ours.append(_seconds(lambda file=file: file.append(encode_rows(log.rows(0, BATCH)))))  # type: ignore[misc]  # the default binds it
        file.close()
        path = take.folder / f"plain-{number}"
        plain.append(_seconds(lambda path=path: _write_plainly(path, events)))  # type: ignore[misc]  # the default binds it
    return {"batch_ratio": sorted(ours)[10] / sorted(plain)[10]}


def _write_plainly(path: Path, events: list[Event]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("".join(f"{json.dumps(event.to_json())}\n" for event in events))
        file.flush()
        os.fsync(file.fileno())


def _chunk(seq: int, text: str) -> Event:
    delta = {"type": "text-delta", "index": 0, "text": text}
    return Event("assistant/chunk", seq, seq // 10, freeze({"turn": 1, "step": 1, "chunk": delta}))


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
