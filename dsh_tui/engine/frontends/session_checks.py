"""``sessions verify|reindex``: are the logs sound, and is the derived index what they say.

Source: design §4, §3.7; core spec §9.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.base.visible import visible
from dsh_tui.engine.bundles.storage import index_of
from dsh_tui.engine.frontends.speak import complain, say
from dsh_tui.engine.frontends.stored_session import StoredSessions
from dsh_tui.engine.invariants.log.all_checks import check_log
from dsh_tui.engine.persistence.jsonl.reader import read_bytes
from dsh_tui.engine.persistence.jsonl.sums import changed_lines
from dsh_tui.engine.persistence.stored import LoadedSession
from dsh_tui.engine.settings.home import Home

OK, FAILED = 0, 1


def verify_sessions(session_ids: Sequence[str], *, as_json: bool) -> int:
    """Check the sessions named, or all of ours; 1 if one breaks a rule, and the first seq that does."""
    stored = StoredSessions(Home.from_environment(os.environ), os.environ)
    verdicts: list[dict[str, Any]] = []  # Any: JSON
    unread = False
    for session_id in session_ids or stored.own_ids():
        try:
            verdict = _verdict(stored, session_id)
        except HarnessError as error:
            unread = bool(complain(error.message, FAILED)) or unread
            continue
        verdicts.append(verdict)
        if not as_json:
            say(visible(_sentence(verdict)))
    if as_json:
        say(dumps(verdicts))
    return FAILED if unread or not all(verdict["ok"] for verdict in verdicts) else OK


def reindex(*, as_json: bool) -> int:
    """Make the index anew from the logs."""
    home = Home.from_environment(os.environ)
    started = time.monotonic()
    try:
        home.prepare()
        count = index_of(home.index, home.sessions, os.environ).rebuild()
    except HarnessError as error:
        return complain(error.message, FAILED)
    except OSError as error:
        return complain(f"cannot make {home.index} anew: {error.strerror or error}", FAILED)
    seconds, size = time.monotonic() - started, home.index.stat().st_size
    if as_json:
        say(dumps({"sessions": count, "seconds": round(seconds, 3), "bytes": size, "path": str(home.index)}))
    else:
        say(f"{count:,} sessions in {seconds:.1f} s, {size / 1e6:.1f} MB: {home.index}")
    return OK


def _verdict(stored: StoredSessions, session_id: str) -> dict[str, Any]:  # Any: JSON
    """``seq`` is that of the first record that breaks a rule, or that is not there; ``line`` the file's."""
    loaded = stored.read(session_id)
    faults = list(_faults(loaded))
    verdict: dict[str, Any] = {  # Any: JSON
        "id": session_id,
        "ok": not faults,
        "path": str(loaded.path),
    }
    if faults:
        first = min(faults, key=lambda fault: fault["seq"])
        verdict |= {name: value for name, value in first.items() if value is not None}
    verdict["notices"] = [notice.text for notice in loaded.notices]
    return verdict


def _faults(loaded: LoadedSession) -> Iterator[dict[str, Any]]:  # Any: JSON
    """What is wrong, as far as each way of looking finds it: damage, changed bytes, broken rules."""
    gap = next((at for at, event in enumerate(loaded.events) if event.seq != at), len(loaded.events))
    if loaded.damaged:
        damage = loaded.notices[0] if loaded.notices else None
        text, line = (damage.text, damage.line) if damage else ("the log is damaged", None)
        yield {"seq": gap, "line": line, "rule": text}
    elif broken := check_log(loaded.events, foreign=bool(loaded.dialect)):
        yield {"seq": broken.seq, "owner": broken.owner, "rule": f"{broken.owner}: {broken.rule}"}
    if not loaded.dialect and loaded.path is not None:
        yield from islice(_changed(loaded.path, gap), 1)


def _changed(path: Path, gap: int) -> Iterator[dict[str, Any]]:  # Any: JSON
    """Lines that are not what was written. The header is no record: before the first of them."""
    data = read_bytes(path)[0]
    for changed in changed_lines(data[: data.rfind(b"\n") + 1].split(b"\n")):
        what = "header" if changed.line == 1 else "record"
        rule = (
            f"the {what} has lost its sum, or something else wrote it"
            if changed.unsummed
            else f"the {what} is not as it was written: its bytes were changed since"
        )
        seq = 0 if changed.line == 1 else gap if changed.seq is None else changed.seq
        yield {"seq": seq, "line": changed.line, "rule": rule}


def _sentence(verdict: dict[str, Any]) -> str:  # Any: JSON
    if verdict["ok"]:
        torn = f" ({'; '.join(verdict['notices'])})" if verdict["notices"] else ""
        return f"{verdict['id']}: sound{torn}"
    line = f", line {verdict['line']}" if verdict.get("line") else ""
    return f"{verdict['id']}: seq {verdict.get('seq', 0)}{line}: {verdict['rule']}"
