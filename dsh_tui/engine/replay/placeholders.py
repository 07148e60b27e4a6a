"""Placeholders: ``{{fromRequest:<regex>}}`` in an entry stands for text of the live request.

For what differs from run to run, such as the id of a background task. The last match counts, and
its first group, if there is one. Source: capabilities A7.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.chunks import Chunk
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.replay.errors import DriftError

MARK = "{{fromRequest:"
_PLACEHOLDER = re.compile(r"\{\{fromRequest:(.+?)\}\}")


def filled(chunk: Chunk, request: ModelRequest) -> Chunk:
    """The chunk with every placeholder replaced.

    Raises:
        DriftError: nothing in the request matches.
    """
    if MARK not in json.dumps(chunk):
        return chunk
    text = "\n".join(_strings([message["content"] for message in request.messages]))
    return cast("Chunk", freeze(_filled(chunk, text)))


def _filled(value: Any, text: str) -> Any:  # Any: JSON
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda found: _last_match(found[1], text), value)
    if isinstance(value, dict):
        return {key: _filled(item, text) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(item, text) for item in value]
    return value


def _last_match(pattern: str, text: str) -> str:
    found = None
    for found in re.finditer(pattern, text):  # noqa: B007  # the last one is wanted
        pass
    if found is None:
        raise DriftError(f"nothing in the request matches {pattern!r}, which an entry takes from it")
    return str(found[1] if found.re.groups else found[0])


def _strings(value: Any) -> list[str]:  # Any: JSON
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in _strings(item)]
    return []
