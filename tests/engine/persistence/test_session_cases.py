"""Broken logs from public bug reports, rebuilt in our format: good lines are translated, bad ones kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dsh_tui.engine.base.clock import SYSTEM_CLOCK
from dsh_tui.engine.persistence.errors import CorruptLogError
from dsh_tui.engine.persistence.jsonl.store import JsonlPersistence
from dsh_tui.engine.persistence.stored import LoadedSession
from tests.fakes.session_logs import USER, bare_session, text, whole_turn

CASES = Path(__file__).resolve().parents[3] / "../shared/cases/sessions"
EXPECTED: list[dict[str, Any]] = (
    json.loads((CASES / "expected.json").read_text())["sessions"] if CASES.is_dir() else []
)

pytestmark = pytest.mark.skipif(not EXPECTED, reason="the case files are not here")


def translated(line: bytes) -> bytes:
    try:
        record = json.loads(line)
        kind, data = record["type"], record.get("data")
    except (ValueError, TypeError):
        return line
    if kind == "session":
        record = {"format": "dsh-tui", **record, "delegationDepth": 0}
        del record["type"]
    elif kind == "turn/start":
        data["trigger"] = {"kind": "message", "source": USER}
    elif kind.endswith("/message"):
        record["type"] = "user/message" if kind.startswith("user") else "context/message"
        record["data"] = {"id": f"m{record.get('seq')}", "content": text(data["text"]), "source": USER}
        record["surfaceOp"] = {"op": "append"}
    return json.dumps(record, separators=(",", ":")).encode()


@pytest.fixture
def home(tmp_path: Path) -> JsonlPersistence:
    return JsonlPersistence(tmp_path, lambda _id: None, clock=SYSTEM_CLOCK, window=0.2)


def place(home: JsonlPersistence, name: str) -> Path:
    raw = (CASES / name).read_bytes()
    path = home.root / "--work-app--" / "s1" / "session.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\n".join(map(translated, raw.split(b"\n"))))
    return path


def shown(loaded: LoadedSession) -> list[str]:
    return [event.data["content"][0]["text"] for event in loaded.events if event.type.endswith("/message")]


@pytest.mark.parametrize("case", EXPECTED, ids=[case["file"] for case in EXPECTED])
async def test_a_broken_log_is_read_as_the_case_demands(home: JsonlPersistence, case: dict[str, Any]) -> None:
    expect = case["expect"]
    path = place(home, case["file"])
    before = path.read_bytes()
    (row,) = home.list()
    loaded = home.inspect("s1")
    assert (row.id, path.read_bytes()) == ("s1", before)
    if "shown" in expect:
        assert shown(loaded) == expect["shown"]
    if "good_records_readable" in expect:
        assert shown(loaded) == expect["good_records_readable"]
    if expect.get("notice"):
        assert len(loaded.notices) == 1
    if "bad_line" in expect:
        assert loaded.status == "damaged"
        assert loaded.notices[0].line == expect["bad_line"]
        with pytest.raises(CorruptLogError, match=rf"line {expect['bad_line']}"):
            await home.prepare("s1")
        assert path.read_bytes() == before
    elif case["file"] == "s04-empty.jsonl":
        with pytest.raises(CorruptLogError):
            await home.prepare("s1")
        assert path.read_bytes() == b""
    else:
        again = bare_session(seed=(await home.prepare("s1")).events)
        whole_turn(again, "one more", "message")
        assert all(json.loads(line) for line in path.read_bytes().splitlines())
        assert [event.seq for event in again.events] == list(range(len(again.events)))
