"""The model behind the measured programs: the scripted server of the tests, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.bench.program import REPOSITORY


@contextmanager
def model_server(script: Sequence[object] | None = None, folder: Path | None = None) -> Iterator[int]:
    """Serve while the context lasts; the port. ``script`` is kept in ``folder``."""
    command = [sys.executable, str(REPOSITORY / "tests/fakes/model_server.py"), "--port", "0"]
    if script is not None:
        assert folder is not None
        path = folder / "script.json"
        path.write_text(json.dumps(script), encoding="utf-8")
        command += ["--script", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline().rsplit(":", 1)[1])
        finally:
            server.terminate()
