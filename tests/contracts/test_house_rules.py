"""The house rules that a reader can rely on, checked on the source itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "dsh_tui").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
LINE_LIMIT = 400
EXCEPTIONS: dict[str, str] = {}
"""Path below the root → why this file may be longer."""
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


@pytest.mark.parametrize("path", [*SOURCES, *TESTS], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_longer_than_400_lines(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINE_LIMIT or name in EXCEPTIONS


def test_every_module_says_what_it_is() -> None:
    silent = [str(path) for path in SOURCES if ast.get_docstring(ast.parse(path.read_text())) is None]
    assert silent == []


def test_no_module_has_a_vague_name() -> None:
    assert [path.name for path in SOURCES if path.stem in VAGUE_NAMES] == []


def _modules_after(statement: str) -> set[str]:
    script = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import dsh_tui.cli", {"textual", "rich", "pydantic", "httpx", "yaml", "asyncio"}),
        ("import dsh_tui.app", {"pydantic", "httpx", "yaml", "openai", "watchfiles"}),
        ("import dsh_tui.engine.boot", {"textual", "rich", "httpx"}),
        ("import dsh_tui.engine.frontends.exec", {"textual", "rich"}),
        ("import dsh_tui.engine.projection.session", {"textual", "rich", "pydantic", "httpx"}),
    ],
)
def test_heavy_parts_are_imported_only_when_they_are_needed(statement: str, forbidden: set[str]) -> None:
    assert _modules_after(statement) & forbidden == set()
