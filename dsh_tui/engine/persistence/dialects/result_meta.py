"""How a tool result looks, from the original's form into ours: diffs as hunks, counts instead of lists.

Nothing that the model read is in it; the text of the result stays as it is.
Source: upstream format §4 (``tool/result``, meta).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Meta = Mapping[str, Any]  # Any: presentation JSON of another program; every read is checked

_EXIT = re.compile(r"\[exit code: (-?\d+)\]\s*\Z")
_FILE_TOOLS = ("edit", "write", "str_replace_editor")


def result_meta(
    name: str, arguments: str, meta: object, text: str, *, failed: bool
) -> dict[str, Any] | None:  # Any: JSON
    """Our ``meta`` for a result, or None where there is nothing to show beside its text."""
    known: Meta = meta if isinstance(meta, Mapping) else {}
    if name == "bash":
        return _command(known, text, failed=failed)
    if failed:
        return None
    if name in _FILE_TOOLS or _list(known.get("diffs")):
        return _change(known, arguments, text)
    if name == "read" and _list(known.get("lines")) is not None:
        return _without_none(
            path=known.get("path"), lines=len(known["lines"]), total=_number(known.get("totalLines"))
        )
    total = _number(known.get("total"))
    if total is None:
        return None
    files = _list(known.get("files"))
    return {"matches": total, "files": len(files or ())} if name == "grep" else {"files": total}


def _command(meta: Meta, text: str, *, failed: bool) -> dict[str, Any] | None:  # Any: JSON
    marker = _EXIT.search(text[-40:])
    code = int(marker[1]) if marker else None if failed else 0
    return _without_none(exitCode=code, cwd=meta.get("cwd")) or None


def _change(meta: Meta, arguments: str, text: str) -> dict[str, Any] | None:  # Any: JSON
    changes = [change for change in _list(meta.get("diffs")) or () if isinstance(change, Mapping)]
    asked = _arguments(arguments)
    path = next((str(change["path"]) for change in changes if "path" in change), None)
    path = path or _text(meta.get("path")) or _text(asked.get("file_path")) or _text(asked.get("path"))
    if path is None:
        return None
    if changes:
        pairs = [
            (_text(change.get("oldText")) or "", _text(change.get("newText")) or "") for change in changes
        ]
        return _hunks(path, pairs, created=all(change.get("oldText") is None for change in changes))
    created = meta.get("operation") == "create" or "Created file" in text
    content = _text(asked.get("content"))
    if created and content is not None:  # a new file has no diff of its own in these logs
        return _hunks(path, [("", content)], created=True)
    return None


def _hunks(path: str, pairs: Sequence[tuple[str, str]], *, created: bool) -> dict[str, Any]:  # Any: JSON
    from dsh_tui.engine.fs.diff import diff_texts

    made = [diff_texts(old, new).to_json(path) for old, new in pairs]
    meta: dict[str, Any] = {  # Any: JSON
        "path": path,
        "added": sum(one["added"] for one in made),
        "removed": sum(one["removed"] for one in made),
        "hunks": [hunk for one in made for hunk in one["hunks"]],
    }
    return {**meta, "created": True} if created else meta


def _arguments(raw: str) -> Mapping[str, Any]:  # Any: JSON
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _without_none(**fields: Any) -> dict[str, Any]:  # Any: JSON
    return {name: value for name, value in fields.items() if value is not None}


def _list(value: Any) -> Sequence[Any] | None:  # Any: JSON
    return value if isinstance(value, (list, tuple)) else None


def _number(value: Any) -> int | None:  # Any: JSON
    return value if type(value) is int and value >= 0 else None


def _text(value: Any) -> str | None:  # Any: JSON
    return value if type(value) is str and value else None
