"""Arguments: the raw text of a model's call, read once and checked once.

Models get JSON wrong in ordinary ways. Whatever is wrong comes back as one message that says
what and where, so that the next call can be right. Empty text means no arguments.
Source: core spec §6 (table).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from dsh_tui.engine.base.frozen import FrozenDict, LosslessError, freeze
from dsh_tui.engine.base.lossless import loads
from dsh_tui.engine.tools.errors import INVALID_ARGS, ToolError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from dsh_tui.engine.tools.definition import ToolDefinition

A = TypeVar("A", bound="BaseModel")

_LISTED = 10  # problems named in one message


class InvalidArguments(ToolError):
    """The call's arguments can't be used; the message tells the model how to mend them."""

    code = INVALID_ARGS


def parse_arguments(raw: str) -> Any:  # Any: frozen JSON of any shape, or the raw text
    """The arguments as frozen JSON; text that is not JSON comes back as it is."""
    if not raw.strip():
        return FrozenDict()
    try:
        return freeze(loads(raw))
    except (ValueError, RecursionError, LosslessError):
        return raw


def validate_arguments(definition: ToolDefinition[A], raw: str, args: object) -> A:
    """The tool's own argument model, filled.

    Raises:
        InvalidArguments: not an object of JSON, or one that the model refuses.
    """
    if not isinstance(args, FrozenDict):
        raise InvalidArguments(f"The arguments of `{definition.name}` {_not_an_object(raw)}")
    from pydantic import ValidationError  # tools load before anything is validated

    try:
        return definition.parameters.model_validate(args)
    except ValidationError as error:
        known = ", ".join(_advertised(definition.parameters))
        problems = [
            f"- {_path(problem['loc'])}: {_words(problem['type'], problem['msg'], known)}"
            for problem in error.errors(include_url=False, include_input=False, include_context=False)
        ]
    more = [f"- … and {len(problems) - _LISTED} more"] if len(problems) > _LISTED else []
    lines = "\n".join((*problems[:_LISTED], *more))
    raise InvalidArguments(f"The arguments of `{definition.name}` are not valid, so it did not run:\n{lines}")


def _not_an_object(raw: str) -> str:
    remedy = "It did not run. Send one JSON object."
    try:
        freeze(loads(raw))
    except RecursionError:
        return f"are nested too deeply. {remedy}"
    except LosslessError as error:
        return f"can't be used ({error.message}). {remedy}"
    except ValueError as error:
        return f"are not valid JSON ({error}). {remedy}"
    return f"are JSON, but not an object. {remedy}"


def _advertised(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path or "(arguments)"


def _words(kind: str, message: str, known: str) -> str:
    if kind == "missing":
        return "is required"
    if kind == "extra_forbidden":
        return f"is not a parameter of this tool (its parameters: {known})"
    return message[:1].lower() + message[1:]
