from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("anyio", "httpx", "markdown_it", "pydantic", "pygments", "sqlite3", "watchfiles", "yaml")
"""Each costs 5 to 80 ms; none is needed for the first frame."""
SCREEN = ("textual", "rich", "markdown_it")


def _imported_by(code: str, names: tuple[str, ...]) -> list[str]:
    program = f"{code}\nimport sys\nprint(*[name for name in {names!r} if sys.modules.get(name)])"
    ran = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True, check=True)
    return ran.stdout.split()


def test_nothing_heavy_is_imported_before_the_first_frame() -> None:
    assert _imported_by("import dsh_tui.cli, dsh_tui.start", HEAVY) == []


@pytest.mark.parametrize(
    "code",
    [
        "import dsh_tui.engine.frontends.exec",
        "from dsh_tui.engine.llm.deepseek.http_client import new_client; new_client('http://localhost')",
    ],
)
def test_exec_never_imports_what_draws(code: str) -> None:
    assert _imported_by(code, SCREEN) == []
