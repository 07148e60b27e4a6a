"""settings.yaml → `Settings`: every fault is one line that names the file, the line and the cure.

Source: design §4 (a broken file is refused, never overwritten).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dsh_tui.engine.base.errors import HarnessError

if TYPE_CHECKING:
    import yaml
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

    from dsh_tui.engine.settings.schema import ProjectSettings, Settings

S = TypeVar("S", bound="BaseModel")


class SettingsError(HarnessError):
    """The settings file is broken. ``line`` is 1-based, or None when it can't be read at all."""

    code = "SETTINGS_BROKEN"

    def __init__(self, path: Path, line: int | None, what: str) -> None:
        where = f"{path}:{line}" if line else str(path)
        super().__init__(f"{where}: {what}")
        self.line = line


def load_settings(path: Path) -> Settings:
    """The settings in ``path``; all defaults when there is no file.

    Raises:
        SettingsError: unreadable, not YAML, an unknown key or a bad value.
    """
    from dsh_tui.engine.settings.schema import Settings

    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise SettingsError(path, None, f"cannot be read: {error.strerror or error}") from error
    return parse_settings(path, text)


def parse_settings(path: Path, text: bytes) -> Settings:
    """Check the bytes of a settings file; ``path`` is only for the messages."""
    from dsh_tui.engine.settings.schema import Settings

    return _parse(path, text, Settings)


def parse_project_settings(path: Path, text: bytes) -> ProjectSettings:
    """The same for a project's own file, which may say much less."""
    from dsh_tui.engine.settings.schema import ProjectSettings

    return _parse(path, text, ProjectSettings)


def _parse(path: Path, text: bytes, model: type[S]) -> S:
    import yaml
    from pydantic import ValidationError

    try:
        root = yaml.compose(text.decode("utf-8"), Loader=yaml.SafeLoader)
        values: object = yaml.safe_load(text) if root is not None else {}
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise SettingsError(path, line, "is not UTF-8 text; save it as UTF-8") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise SettingsError(path, mark.line + 1 if mark else None, f"is not YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SettingsError(path, None, f"is not YAML: {str(error).splitlines()[0]}") from error
    if twice := _key_given_twice(root):
        line, key = twice
        raise SettingsError(path, line, f"`{key}` stands there twice, and only one could count; keep one")
    if not isinstance(values, dict):
        raise SettingsError(path, 1, "must be a mapping such as `model: deepseek/deepseek-flash`")
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise SettingsError(path, _line_of(root, first["loc"]), _cure(model, first)) from error


def _cure(model: type[BaseModel], fault: ErrorDetails) -> str:
    dotted = ".".join(str(part) for part in fault["loc"])
    if fault["type"] != "extra_forbidden":
        return f"{dotted or 'settings'}: {fault['msg'][:1].lower()}{fault['msg'][1:]}"
    known = _names_at(model, fault["loc"][:-1])
    near = difflib.get_close_matches(str(fault["loc"][-1]), known, n=2, cutoff=0.5)
    names = " or ".join(f"`{name}`" for name in near)
    advice = f"did you mean {names}?" if near else f"known here: {', '.join(sorted(known))}"
    return f"unknown key `{dotted}`; {advice}"


def _names_at(model: type[BaseModel], path: Iterable[int | str]) -> list[str]:
    current: Any = model  # Any: walks annotations, which are types or generic aliases
    for part in path:
        if hasattr(current, "model_fields") and part in current.model_fields:
            current = current.model_fields[part].annotation
        else:  # a key of a mapping: go on with its value type
            current = getattr(current, "__args__", (None, None))[-1]
    return list(getattr(current, "model_fields", {}))


def _key_given_twice(root: yaml.Node | None) -> tuple[int, str] | None:
    """The line and name of a key that its mapping has before: YAML would take the last, and say nothing."""
    import yaml

    waiting, seen = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen or not isinstance(node, yaml.CollectionNode):
            continue
        seen.add(id(node))
        keys: set[str] = set()
        for item in node.value:
            key, value = item if isinstance(node, yaml.MappingNode) else (None, item)
            waiting.append(value)
            if isinstance(key, yaml.ScalarNode):
                if key.value in keys:
                    return key.start_mark.line + 1, key.value
                keys.add(key.value)
    return None


def _line_of(node: yaml.Node | None, path: Sequence[int | str]) -> int | None:
    import yaml

    line = node.start_mark.line + 1 if node is not None else None
    for part in path:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if getattr(key, "value", None) == str(part):
                    line, node = key.start_mark.line + 1, value
                    break
            else:
                return line
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line
