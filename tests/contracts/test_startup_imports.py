"""What a start may cost in imports: each is looked at in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("anyio", "httpx", "markdown_it", "pydantic", "pygments", "sqlite3", "watchfiles", "yaml")
"""Each costs 5 to 80 ms; none is needed for the first frame."""
SCREEN = ("textual", "rich", "markdown_it")
ENGINE = "dsh_tui.engine"
RARE = (
    *("httpx", "sqlite3", "tree_sitter", "watchfiles", "yaml"),
    *(
        f"{ENGINE}.permissions.{name}"
        for name in ("command_line", "danger", "ledger", "path_rules", "proposal")
    ),
    *(
        f"{ENGINE}.{name}"
        for name in ("invariants", "persistence.log_source", "projection.views", "session_index")
    ),
)
"""What `exec` needs for some tasks only: rules, questions, earlier sessions, settings, views."""
EXEC = "import dsh_tui.cli; dsh_tui.cli.start_lightly(); import dsh_tui.engine.frontends.exec"


def _printed(program: str) -> list[str]:
    ran = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True, check=True)
    return ran.stdout.split()


def _imported_by(code: str, names: tuple[str, ...]) -> list[str]:
    return _printed(f"{code}\nimport sys\nprint(*[name for name in {names!r} if sys.modules.get(name)])")


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


def test_exec_begins_without_what_only_some_tasks_need() -> None:
    assert _imported_by(EXEC, RARE) == []


def test_no_package_is_asked_for_plugins_of_pydantic() -> None:
    """To look through the metadata of all that is installed takes longer than to build the models."""
    watch = (
        "import sys\nsys.addaudithook(lambda event, given: event == 'open' and opened.append(str(given[0])))"
    )
    found = _printed(f"opened = []\n{watch}\n{EXEC}\nprint(*[p for p in opened if 'entry_points' in p])")
    assert found == []
