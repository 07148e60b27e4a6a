"""A stage for real processes: a home, a project and a model server, and the program run on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from dsh_tui.engine.invariants.log.all_checks import check_log
from dsh_tui.engine.persistence.jsonl.paths import iter_logs
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.lease.record import holder_of
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.repair import closers
from tests.fakes.until import until_then
from tests.real.served_model import ServedModel
from tests.real.terminal import Terminal

DSH_TUI: Final = Path(sys.executable).with_name("dsh-tui")
ROOT: Final = Path(__file__).resolve().parents[2]
KEY: Final = "sk-test-0123456789abcdef"


@dataclass
class Stage:
    """Everything one test needs to run the program for real."""

    root: Path
    model: ServedModel
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home.mkdir()
        self.project.mkdir()
        self.settings("")
        self.env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.root),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(ROOT),  # the tree that this test belongs to
            "DSH_TUI_HOME": str(self.home),
            "DEEPSEEK_BASE_URL": self.model.url,
            "DEEPSEEK_API_KEY": KEY,
            **self.env,
        }

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    def settings(self, text: str, *, titles: str = "words") -> None:
        """The user's settings. By default all requests are the loop's, so that a script can count them."""
        (self.home / "settings.yaml").write_text(f"titles: {titles}\n{text}")

    def lease(self, ttl_ms: int = 2_000, renew_interval_ms: int = 500) -> None:
        """Wait this short for writers that were killed; whoever starts from now on does."""
        self.settings(f"lease: {{ttl_ms: {ttl_ms}, renew_interval_ms: {renew_interval_ms}}}\n")

    def wait_until_free(self) -> None:
        """Until nobody holds the one session any more."""
        log = self.log()
        until_then(lambda: holder_of(log, time.time_ns() // 1_000_000) is None, "a free lease")

    # The program

    def app(
        self,
        *arguments: str,
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
        before: Callable[[], None] | None = None,
        ready: str = "ready",
    ) -> Terminal:
        """The app in a terminal, with its engine up."""
        terminal = Terminal(
            [str(DSH_TUI), *arguments],
            env={**self.env, **(env or {})},
            cwd=self.project,
            columns=columns,
            rows=rows,
            before=before,
        )
        if ready:
            try:
                terminal.wait_for(ready)
            except BaseException:
                terminal.__exit__(None, None, None)
                raise
        return terminal

    def start_exec(self, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """``dsh-tui exec`` in the background."""
        return subprocess.Popen(
            [str(DSH_TUI), "exec", "--invariants", *arguments],
            env={**self.env, **(env or {})},
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(
        self, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """``dsh-tui …`` to its end."""
        return subprocess.run(
            [str(DSH_TUI), *arguments],
            input=stdin,
            env={**self.env, **(env or {})},
            cwd=self.project,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def exec(
        self, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """``dsh-tui exec …`` to its end."""
        return self.run("exec", "--invariants", *arguments, stdin=stdin, env=env)

    # What it stored

    def logs(self) -> list[Path]:
        """The session logs, oldest first."""
        return sorted(iter_logs(self.home / "sessions"), key=lambda path: path.stat().st_mtime_ns)

    def log(self) -> Path:
        """The one session log."""
        logs = self.logs()
        assert len(logs) == 1, logs
        return logs[0]

    def events(self, log: Path | None = None) -> Sequence[Event]:
        """The events of a log that is whole: readable to its last byte, no gap, no rule broken."""
        stored = read_log(log or self.log())
        assert stored.status == "ok", stored.notices
        assert [event.seq for event in stored.events] == list(range(len(stored.events)))
        assert _made_up(stored.events) or check_log(stored.events) is None
        return stored.events

    def facts(self, kind: str, log: Path | None = None) -> list[Mapping[str, Any]]:  # Any: JSON of the type
        """The data of all events of a type."""
        return [event.data for event in self.events(log) if event.type == kind]

    def ends(self, log: Path | None = None) -> list[str]:
        """How each turn ended; no turn may be left open."""
        assert not closers(self.events(log)), "a turn is open in the log"
        return [data["reason"]["kind"] for data in self.facts("turn/end", log)]

    def decisions(self, log: Path | None = None) -> list[str]:
        """The outcome of each approval."""
        return [data["outcome"] for data in self.facts("approval/decided", log)]


def _made_up(events: Sequence[Event]) -> bool:
    """Whether a test wrote the log, as streams that nobody asked for."""
    first = next((e for e in events if e.type in ("request/header", "assistant/chunk")), None)
    return first is not None and first.type == "assistant/chunk"


def rows(text: str) -> list[dict[str, Any]]:  # Any: JSON of each line
    """The JSON lines of an output."""
    return [json.loads(line) for line in text.splitlines()]
