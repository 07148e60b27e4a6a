"""No widget of ours takes a private name that Textual uses: it would break it without an error."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.message_pump import MessagePump

ROOT = Path(__file__).resolve().parents[2]
PATHS = [
    ROOT / "dsh_tui/app.py",
    *(ROOT / "dsh_tui/screens").glob("*.py"),
    *(ROOT / "dsh_tui/widgets").glob("*.py"),
]


def _classes() -> Iterator[type[MessagePump]]:
    for path in sorted(PATHS):
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for _, found in inspect.getmembers(module, inspect.isclass):
            if issubclass(found, MessagePump) and found.__module__ == module.__name__:
                yield found


def _assigned(cls: type) -> set[str]:
    """Attributes that the methods of a class assign on ``self``, and names in its body."""
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(cls)))
    names = {name for name in vars(cls) if name.startswith("_") and not name.startswith("__")}
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            for part in ast.walk(target) if target is not None else ():
                if (
                    isinstance(part, ast.Attribute)
                    and isinstance(part.value, ast.Name)
                    and part.value.id == "self"
                ):
                    names.add(part.attr)
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


@pytest.mark.parametrize("cls", list(_classes()), ids=lambda cls: cls.__qualname__)
def test_private_names_are_our_own(cls: type[MessagePump]) -> None:
    theirs: set[str] = set()
    for base in cls.__mro__[1:]:
        if base.__module__.startswith("textual."):
            theirs |= _assigned(base)
    generated = {
        name
        for name in theirs
        if name.startswith(("_computes", "_inherit", "_merged", "_css", "_decorated", "_reactive"))
    }
    overridden = {name for name in vars(cls) if callable(vars(cls)[name])}
    assert (_assigned(cls) & theirs) - generated - overridden == set()
