"""The theorem, over the real wire: each body that was sent is rebuilt, byte for byte, by a fresh process.

Whole histories run through the real product against a server as strict as the provider; then one
process that has never seen them reads the stored files. Many histories share a product and a process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dsh_tui.engine.invariants.log.all_checks import check_log
from dsh_tui.engine.persistence.jsonl.paths import find_log
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.session.event import Event
from tests.fakes.histories import ACTIONS, ANSWERS, Life, Lived, Move, unexplained
from tests.fakes.model_server import ModelServer

ROOT = Path(__file__).resolve().parents[3]
READ_ALL = """
import contextlib, io, sys
from pathlib import Path
from dsh_tui.cli import main
for name in sys.argv[2:]:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out):
        assert main(["sessions", "requests", name, "--raw"]) == 0, name
    Path(sys.argv[1], name).write_bytes(out.buffer.getvalue())
"""

_MOVES = st.builds(
    Move,
    st.sampled_from(ACTIONS),
    st.lists(st.sampled_from(ANSWERS), max_size=5).map(tuple),
    st.lists(st.sampled_from(["again", "again", "step", "give-up"]), max_size=3).map(tuple),
)
_HISTORIES = st.lists(st.lists(_MOVES, min_size=1, max_size=7), min_size=6, max_size=10)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
@given(histories=_HISTORIES)
async def test_a_fresh_process_rebuilds_every_body_that_was_sent(histories: list[list[Move]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lived = await live_all(folder, histories)
        rebuilt = read_in_a_fresh_process(folder, [one.session_id for one in lived])
        for one in lived:
            assert rebuilt[one.session_id] == one.bodies, one.session_id
            check_stored(folder, one)


async def live_all(folder: Path, histories: Sequence[Sequence[Move]]) -> list[Lived]:
    project = folder / "project"
    project.mkdir()
    async with ModelServer() as server:
        environ = {
            "PATH": "/usr/bin:/bin",
            "DSH_TUI_HOME": str(folder / "home"),
            "DSH_HOME": str(folder / "none"),
            "DEEPSEEK_BASE_URL": server.url,
            "DEEPSEEK_API_KEY": "sk-test-0123456789abcdef",
        }
        product = await Product.start(StartOptions(cwd=project, environ=environ, invariants=True))
        try:
            life = Life(product, server, project)
            lived = [one for history in histories for one in await life.live(history)]
        finally:
            await product.dispose()
        assert [request.refused for request in server.requests if request.refused] == []
    return lived


def read_in_a_fresh_process(folder: Path, session_ids: Sequence[str]) -> dict[str, list[bytes]]:
    """What ``sessions requests ID --raw`` prints, for all sessions."""
    out = folder / "out"
    out.mkdir()
    stored = [one for one in session_ids if find_log(folder / "home" / "sessions", one) is not None]
    environ = {"DSH_TUI_HOME": str(folder / "home"), "DSH_HOME": str(folder / "none")}
    command = [sys.executable, "-c", READ_ALL, str(out), *stored]
    subprocess.run(command, env=environ, cwd=ROOT, check=True)
    empty: dict[str, list[bytes]] = {one: [] for one in session_ids}
    return empty | {one: (out / one).read_bytes().split(b"\n")[:-1] for one in stored}


def check_stored(folder: Path, lived: Lived) -> None:
    """The log keeps all rules, and says why whenever a request does not extend the one before."""
    path = find_log(folder / "home" / "sessions", lived.session_id)
    if path is None:
        assert lived.bodies == []
        return
    events = read_log(path).events
    assert check_log(events) is None
    broken = list(unexplained([json.loads(body) for body in lived.bodies]))
    assert len(broken) <= len(list(reasons(events)))


def reasons(events: Sequence[Event]) -> list[Event]:
    """Events that change what stands before: another header, or a replacement in the history."""
    headers = [event for event in events if event.type in ("request/header", "request/header-delta")]
    replacements = [event for event in events if event.surface_op and event.surface_op["op"] == "replace"]
    return headers[1:] + replacements
