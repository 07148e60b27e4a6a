"""Makes the bundled recording: the real product, a scripted model, a small project.

Writes a new `dsh_tui/bridge/recording.jsonl`; look at it in the app before it is committed::

    python -m tests.fakes.record_demo && dsh-tui --demo
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from dsh_tui.engine.agent.registry import AGENTS, CreateAgent
from dsh_tui.engine.approval.requests import Answer, ApprovalRequest
from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.persistence.jsonl.format import encode_header, encode_rows
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.seam import PERSISTENCE
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.session.pack import pack
from tests.fakes.demo_project import FILES, PROMPT, REPLIES
from tests.fakes.model_script import hold
from tests.fakes.model_server import ModelServer

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "dsh_tui" / "bridge" / "recording.jsonl"
SESSION = "recording"
SHOWN_HOME = "/home/you"
SHOWN_PROJECT = f"{SHOWN_HOME}/payments-api"
FIRST_TOKEN_S = 0.9
READING_S: Mapping[str, float] = {"edit": 3.2, "bash": 2.6}
"""How long a person looks at what waits before allowing it."""


async def record(folder: Path) -> bytes:
    """Run the session in ``folder`` and return its log, with every trace of this machine taken out."""
    project = folder / "payments-api"
    write_project(project)
    events = [asyncio.Event() for _ in REPLIES]
    answers = [hold(event, answer) for event, answer in zip(events, REPLIES, strict=True)]
    async with ModelServer(answers) as server:
        environ = environment(folder, server.url)
        product = await Product.start(StartOptions(cwd=project, environ=environ))
        root = product.engine.root
        product.approval.answer_with(root, _look_then_allow)
        pace = asyncio.get_running_loop().create_task(_pace(server, events))
        try:
            meta = {"cwd": str(project)}
            created = CreateAgent(session_id=SESSION, options=product.agent_options, meta=meta)
            agent = root[AGENTS].create(created).agent
            agent.send(PROMPT)
            await agent.when_idle()
            await product.sessions.flush(agent.session)
            path = root[PERSISTENCE].locate(SESSION)
            assert path is not None
            await pace
        finally:
            pace.cancel()
            await product.dispose()
        assert [request.refused for request in server.requests] == [None] * len(REPLIES)
    loaded = read_log(path)
    log = encode_header(loaded.header) + encode_rows(pack(loaded.events))
    return scrubbed(log.decode(), folder).encode()


def scrubbed(log: str, folder: Path) -> str:
    """The log as if it came from somebody's home.

    Raises:
        AssertionError: something of this machine is left.
    """
    system = os.uname()
    replaced = {
        str(folder.resolve() / "payments-api"): SHOWN_PROJECT,
        str(folder / "payments-api"): SHOWN_PROJECT,
        str(folder.resolve()): SHOWN_HOME,
        str(folder): SHOWN_HOME,
        f"{system.sysname} {system.release} ({system.machine})": "Linux (x86_64)",
    }
    for found, shown in replaced.items():
        log = log.replace(found, shown)
    for trace in (tempfile.gettempdir(), str(ROOT), str(Path.home()), system.nodename, system.release):
        assert trace not in log, f"the log still names {trace}"
    return log


def environment(folder: Path, server: str) -> dict[str, str]:
    """A home in ``folder``, and a pytest that leaves nothing behind."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "DSH_TUI_HOME": str(folder / "home"),
        "DEEPSEEK_BASE_URL": server,
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def write_project(project: Path) -> None:
    """The files of the demo, in a repository."""
    for name, text in FILES.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", project], check=True)


async def _look_then_allow(request: ApprovalRequest, _signal: CancelSignal) -> Answer:
    await asyncio.sleep(READING_S.get(request.tool_name, 1.0))
    return Answer("allowed-once")


async def _pace(server: ModelServer, events: list[asyncio.Event]) -> None:
    """The first token of each answer takes its time."""
    for number, event in enumerate(events, 1):
        async with asyncio.timeout(60):
            while len(server.requests) < number:
                await asyncio.sleep(0.02)
        await asyncio.sleep(FIRST_TOKEN_S)
        event.set()


def main() -> None:
    """Record, and say what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        log = asyncio.run(record(Path(folder)))
    TARGET.write_bytes(log)
    events = read_log(TARGET).events
    seconds = (events[-1].time - events[0].time) / 1000
    print(f"{TARGET}: {len(log):,} bytes, {len(events):,} events, {seconds:.1f} s")  # what to look at


if __name__ == "__main__":
    main()
