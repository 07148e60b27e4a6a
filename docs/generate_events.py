"""Makes docs/events.md from the source: the event types of the log, and the typed keys of the engine.

python docs/generate_events.py           writes the page
python docs/generate_events.py --check   1 if the page is not what the source says
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if not __package__:  # run as a script
    sys.path.insert(0, str(ROOT))

from dsh_tui.engine.session.core_types import CORE_TAGS  # noqa: E402  # the path is set first
from dsh_tui.engine.session.registry import EVENT_TYPES, EventType, accept_any  # noqa: E402  # as above
from dsh_tui.engine.session.shapes import BLOCKS, COUNT, FLAG, KINDED, NAME, ORDINAL, TAGGED, Field, Shape  # noqa: E402  # as above

PAGE = ROOT / "docs" / "events.md"
ENGINE = ROOT / "dsh_tui" / "engine"
HOW = {
    "Emit": "told in order; a listener's failure is logged and the next one is told",
    "Parallel": "told at the same time; all are waited for",
    "Serial": "asked in order until one answers",
    "Waterfall": "each listener answers, or awaits `next()` and may change the answer",
}
SHORT = {
    NAME.words: "text",
    COUNT.words: "number",
    ORDINAL.words: "number",
    FLAG.words: "boolean",
    BLOCKS.words: "blocks",
    TAGGED.words: "object with `type`",
    "a chunk, with what its type needs": "object with `type`",
    KINDED.words: "object with `kind`",
    "an object": "object",
}

HEAD = """\
# Events

<!-- Made by docs/generate_events.py. Change the source, not this page. -->

Two kinds of things are called events here. **Log events** are facts in a session's log: durable, \
ordered, JSON. **Engine events** are how plugins hear and decide while the program runs; nothing of them \
is stored.

"""

LOG = """\
## Log events

A log is one JSON object a line. The first is the header; each other one is an event with `type`, `seq` \
(its place, from 0), `time` (epoch milliseconds) and `data`. `surfaceOp` and `sourceEventSeqs` say how the \
event stands among what the model sees, and which events it was made from. In a file, runs of \
`assistant/chunk` are packed into one row; `dsh-tui sessions show ID --json` prints them one by one. `sum`, \
the last field of a row in a file, is the CRC-32 of the row without it: `dsh-tui sessions verify` names a \
row whose bytes were changed. Rows without a sum are as good.

A **surface** event is part of what the model sees. Fields with `?` may be absent. Fields that are not \
listed are allowed: a newer writer may add some. A plugin adds types of its own with \
`register_event_type`; unless it says otherwise, readers that don't know them skip them.

"""

ENGINE_EVENTS = """\
## Engine events

Listen with `ctx.on(KEY, listener)`; the listener goes with the plugin. The kind says how listeners are \
called:

"""


@dataclass(frozen=True, slots=True)
class Key:
    """A typed key as it stands in the source."""

    kind: str
    name: str
    constant: str
    module: str
    types: str
    about: str


def page() -> str:
    """The whole page."""
    keys = sorted(_keys(), key=lambda key: key.name)
    parts = [HEAD, LOG, *_log_table(), "\n", ENGINE_EVENTS]
    parts += [f"* **{kind}**: {words}.\n" for kind, words in HOW.items()]
    parts += ["\n| event | kind | listener gets | import |\n| --- | --- | --- | --- |\n"]
    parts += [_event_row(key) for key in keys if key.kind != "ServiceKey"]
    parts += ["\n## Services\n\n"]
    parts += ["Name the key in `inject`, then read `ctx[KEY]`; for what a plugin can do without, "]
    parts += ["`ctx.get(KEY)`.\n\n| service | type | import |\n| --- | --- | --- |\n"]
    parts += [
        f"| `{key.name}` | `{_cell(key.types)}` | `from {key.module} import {key.constant}` |\n"
        for key in keys
        if key.kind == "ServiceKey"
    ]
    return "".join(parts)


def _log_table() -> Iterator[str]:
    yield "| type | data | says |\n| --- | --- | --- |\n"
    for tag in sorted(CORE_TAGS):
        kind = EVENT_TYPES.get(tag)
        assert kind is not None
        mark = " (surface)" if kind.surface else ""
        yield f"| `{tag}`{mark} | {_fields(kind)} | {_cell(kind.about)} |\n"


def _fields(kind: EventType) -> str:
    validate = kind.validate
    if not isinstance(validate, Shape):
        return "anything" if validate is accept_any else _cell(_inline(validate.__doc__ or ""))
    fields = [f"`{name}` {_words(field)}" for name, field in validate.required]
    fields += [f"`{name}`? {_words(field)}" for name, field in validate.optional]
    return _cell(", ".join(fields))


def _words(field: Field) -> str:
    return SHORT.get(field.words, field.words)


def _event_row(key: Key) -> str:
    about = f"<br>{_cell(_inline(key.about))}" if key.about else ""
    imported = f"`{key.module}`<br>`{key.constant}`"
    return f"| `{key.name}`{about} | {key.kind} | `{_cell(key.types)}` | {imported} |\n"


def _keys() -> Iterator[Key]:
    for path in sorted(ENGINE.rglob("*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for node, following in zip(body, [*body[1:], None], strict=True):
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.annotation, ast.Subscript):
                continue
            kind = ast.unparse(node.annotation.value)
            if kind not in {*HOW, "ServiceKey"} or not isinstance(node.target, ast.Name):
                continue
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            value = getattr(importlib.import_module(module), node.target.id)
            yield Key(
                kind, value.name, node.target.id, module, _types(node.annotation), _docstring(following)
            )


def _types(annotation: ast.Subscript) -> str:
    """``[Agent, X], R`` → ``(Agent, X) → R``; a service's type as it is."""
    inner = annotation.slice
    if isinstance(inner, ast.Tuple):
        arguments, result = inner.elts
        return f"({_arguments(arguments)}) → {ast.unparse(result)}"
    return f"({_arguments(inner)})" if isinstance(inner, ast.List) else ast.unparse(inner)


def _arguments(node: ast.expr) -> str:
    assert isinstance(node, ast.List)
    return ", ".join(ast.unparse(part) for part in node.elts)


def _docstring(node: ast.stmt | None) -> str:
    if (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ):
        return node.value.value
    return ""


def _inline(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Write the page, or with ``--check`` say whether it is up to date."""
    made = page()
    if "--check" in arguments:
        return 0 if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == made else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
