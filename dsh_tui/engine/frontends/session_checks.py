"""``sessions verify|reindex``: are the logs sound, and is the derived index what they say.

Source: design §4, §3.7; core spec §9.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.bundles.storage import index_of
from dsh_tui.engine.frontends.speak import complain, say
from dsh_tui.engine.frontends.stored_session import StoredSessions
from dsh_tui.engine.session.verify import verify_log
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
            say(_sentence(verdict))
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
    violation = verify_log(loaded.events, foreign=bool(loaded.dialect))
    damage = loaded.notices[0] if loaded.status == "damaged" and loaded.notices else None
    verdict: dict[str, Any] = {
        "id": session_id,
        "ok": violation is None and loaded.status == "ok",
    }  # Any: JSON
    verdict["path"] = str(loaded.path)
    if violation is not None:
        expected = next((at for at, event in enumerate(loaded.events) if event.seq != at), violation.seq)
        verdict |= {"seq": min(violation.seq, expected), "rule": violation.rule}
    if damage is not None:
        verdict["line"] = damage.line
        verdict.setdefault("seq", len(loaded.events))
        verdict["rule"] = damage.text
    verdict["notices"] = [notice.text for notice in loaded.notices]
    return verdict


def _sentence(verdict: dict[str, Any]) -> str:  # Any: JSON
    if verdict["ok"]:
        torn = f" ({'; '.join(verdict['notices'])})" if verdict["notices"] else ""
        return f"{verdict['id']}: sound{torn}"
    line = f", line {verdict['line']}" if verdict.get("line") else ""
    return f"{verdict['id']}: seq {verdict.get('seq', 0)}{line}: {verdict['rule']}"
