"""Files are read in one place, which waits for nothing and has a bound; who reads otherwise says why here."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "dsh_tui"
OTHERWISE = {
    "external_editor.py": "a draft that it has just made",
    "engine/fs/walk.py": "the agent's search: regular files of a bounded size",
    "engine/sandbox/landlock.py": "the program's own source",
    "engine/sandbox/local_sockets.py": "the kernel's table of sockets",
    "engine/session_export.py": "a log that was just read",
    "engine/shell/processes.py": "what the kernel says of processes",
}


def _reads(path: Path) -> bool:
    """Whether it has a call that reads a file by its name."""
    text = path.read_text(encoding="utf-8")
    if not any(word in text for word in ("read_bytes(", "read_text(", '.open("r')):
        return False
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            first = ast.literal_eval(node.args[0]) if node.args and _is_text(node.args[0]) else None
            if node.func.attr == "open" and first in ("r", "rb"):
                return True
            if node.func.attr in ("read_bytes", "read_text") and (first or not node.args):
                return True
    return False


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_whoever_reads_a_file_by_its_name_uses_the_one_reader_or_says_why_not() -> None:
    assert {str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py") if _reads(path)} == set(OTHERWISE)
