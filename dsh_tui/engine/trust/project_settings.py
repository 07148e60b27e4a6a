"""What a project's ``settings.yaml`` may say, and what of it never counts.

Only ``permissions`` does. A project sets no server, no key, no mode and no plugin's config: those are
named, so that nobody believes they did anything. The file is nobody's friend yet, so it is only looked
through, never built: its parser takes quadratic time for what is nested deeply.
Source: design §3.14, §3.15.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

RULES: Final = "permissions"
_DEEPEST: Final = 32
_REMEMBERED: Final = 16


@lru_cache(maxsize=_REMEMBERED)
def rules_note(content: bytes) -> tuple[bool, str]:
    """Whether the file holds rules, and what else in it has no effect."""
    import yaml

    try:
        keys = _top_level(content.decode("utf-8"))
    except UnicodeDecodeError:
        return False, "is not UTF-8 text; nothing in it has effect"
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark is not None else ""
        return False, f"is not YAML{where}; nothing in it has effect"
    except ValueError as error:
        return False, f"{error}; nothing in it has effect"
    others = [key for key in dict.fromkeys(keys) if key != RULES]
    note = f"{', '.join(others)}: never taken from a project" if others else ""
    return RULES in keys, note


def _top_level(text: str) -> list[str]:
    """The keys of the mapping that the text is.

    Raises:
        ValueError: it is none, or too deep.
    """
    import yaml

    keys: list[str] = []
    depth, is_key = 0, True
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            is_key = is_key != (depth == 1)
        elif isinstance(event, yaml.NodeEvent):
            if depth == 0 and not isinstance(event, yaml.MappingStartEvent):
                raise ValueError("is no mapping")
            if depth == 1 and is_key:
                keys.append(str(getattr(event, "value", "?")))
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > _DEEPEST:
                    raise ValueError("is nested too deeply")
            elif depth == 1:
                is_key = not is_key
    return keys
