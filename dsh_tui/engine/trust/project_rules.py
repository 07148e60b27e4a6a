"""What a project's ``settings.yaml`` may say, and what of it never counts.

Only ``permissions`` does. A project sets no server, no key, no mode and no plugin's config: those are
named, so that nobody believes they did anything. Source: design §3.14, §3.15.
"""

from __future__ import annotations

from typing import Final

RULES: Final = "permissions"


def rules_note(content: bytes) -> tuple[bool, str]:
    """Whether the file holds rules, and what else in it has no effect."""
    import yaml

    try:
        root = yaml.compose(content.decode("utf-8"), Loader=yaml.SafeLoader)
    except UnicodeDecodeError:
        return False, "is not UTF-8 text; nothing in it has effect"
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark is not None else ""
        return False, f"is not YAML{where}; nothing in it has effect"
    if root is None:
        return False, ""
    if not isinstance(root, yaml.MappingNode):
        return False, "is no mapping; nothing in it has effect"
    keys = [str(getattr(key, "value", "?")) for key, _value in root.value]
    others = [key for key in dict.fromkeys(keys) if key != RULES]
    note = f"{', '.join(others)}: never taken from a project" if others else ""
    return RULES in keys, note
