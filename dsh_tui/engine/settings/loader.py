"""settings.yaml → `Settings`: what is wrong is told with the file, the line and the cure.

Source: design §4 (a broken file is refused, never overwritten).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.regular_file import UnreadableError, read_regular
from dsh_tui.engine.base.visible import flattened
from dsh_tui.engine.settings.faults import Fault, faults_of, in_one_line, keys_given_twice, told

if TYPE_CHECKING:
    import yaml
    from pydantic import BaseModel

    from dsh_tui.engine.settings.schema import ProjectSettings, Settings

S = TypeVar("S", bound="BaseModel")
LARGEST: Final = 262_144
"""Bytes: thousands of rules, and still read within seconds."""


class SettingsError(HarnessError):
    """The settings file is broken. The message is its first fault, and how many more there are."""

    code = "SETTINGS_BROKEN"

    def __init__(self, path: Path, *faults: Fault) -> None:
        super().__init__(in_one_line(path, faults))
        self.line = faults[0].line
        """Of the first fault; None when the file can't be read at all."""
        self.all = tuple(told(path, fault) for fault in faults)
        """Each fault as a line of its own."""


def load_settings(path: Path) -> Settings:
    """The settings in ``path``; all defaults when there is no file.

    Raises:
        SettingsError: unreadable, not YAML, an unknown key or a bad value.
    """
    from dsh_tui.engine.settings.schema import Settings

    content = read_settings(path)
    return Settings() if content is None else parse_settings(path, content)


def read_settings(path: Path) -> bytes | None:
    """The bytes of a settings file, None when there is none.

    Raises:
        SettingsError: it can't be read.
    """
    try:
        return read_regular(path, LARGEST)
    except FileNotFoundError:
        return None
    except UnreadableError as error:
        raise SettingsError(path, Fault(None, error.message)) from error


def parse_settings(path: Path, text: bytes) -> Settings:
    """Check the bytes of a settings file; ``path`` is only for the messages."""
    from dsh_tui.engine.settings.schema import Settings

    return _parse(path, text, Settings)


def parse_project_settings(path: Path, text: bytes) -> ProjectSettings:
    """The same for a project's own file, which may say much less."""
    from dsh_tui.engine.settings.schema import ProjectSettings

    return _parse(path, text, ProjectSettings)


def _parse(path: Path, text: bytes, model: type[S]) -> S:
    from pydantic import ValidationError

    root, values, faults = _composed(path, text)
    if not isinstance(values, dict):
        raise SettingsError(path, Fault(1, "must be a mapping such as `model: deepseek/deepseek-flash`"))
    try:
        settings = model.model_validate(values)
        if not faults:
            return settings
    except ValidationError as error:
        faults += faults_of(model, root, error)
    faults.sort(key=lambda fault: fault.line or 0)
    raise SettingsError(path, *faults)


def _composed(path: Path, text: bytes) -> tuple[yaml.Node | None, object, list[Fault]]:
    """The nodes, what they say, and which keys stand there twice."""
    import yaml

    try:
        loader = yaml.SafeLoader(text.decode("utf-8"))
        root = loader.get_single_node()
        twice = list(keys_given_twice(root))  # now: values that are merged in would be keys given twice
        return root, {} if root is None else loader.construct_document(root), twice
    except UnicodeDecodeError as error:
        fault = Fault(text.count(b"\n", 0, error.start) + 1, "is not UTF-8 text; save it as UTF-8")
        raise SettingsError(path, fault) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        fault = Fault(mark.line + 1 if mark else None, f"is not YAML: {flattened(error.problem or '')}")
        raise SettingsError(path, fault) from error
    # PyYAML lets these out for values that are not what their tag says, such as `!!bool x`.
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        why = str(error).strip().partition("\n")[0]
        raise SettingsError(path, Fault(None, f"is not YAML: {flattened(why)}")) from error
