"""Small validators for event data, composed by hand: cheap, and each says what is wrong.

Extra keys are allowed: a newer writer may add fields that an older reader does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dsh_tui.engine.base.clock import is_time
from dsh_tui.engine.session.registry import Validate


@dataclass(frozen=True, slots=True)
class Field:
    """A test for one value, and the words for what it should have been."""

    test: Callable[[Any], bool]  # Any: JSON value under test
    words: str


def _is_tagged(value: Any) -> bool:  # Any: JSON value under test
    return isinstance(value, Mapping) and type(value.get("type")) is str


_BLOCK_TEXTS = {"text": ("text",), "reasoning": ("text",), "tool-call": ("id", "name", "arguments")}


def _is_block(value: Any) -> bool:  # Any: JSON value under test
    """One that nobody knows may hold what it likes."""
    return _is_tagged(value) and all(
        type(value.get(name)) is str for name in _BLOCK_TEXTS.get(value["type"], ())
    )


def _is_kind(value: Any) -> bool:  # Any: JSON value under test
    return isinstance(value, Mapping) and type(value.get("kind")) is str


TEXT = Field(lambda value: type(value) is str, "text")
NAME = Field(lambda value: type(value) is str and value != "", "text that is not empty")
COUNT = Field(lambda value: type(value) is int and value >= 0, "a whole number, 0 or more")
ORDINAL = Field(lambda value: type(value) is int and value >= 1, "a whole number, 1 or more")
TIME = Field(lambda value: type(value) is int and is_time(value), "a time in milliseconds since 1970")
FLAG = Field(lambda value: type(value) is bool, "true or false")
OBJECT = Field(lambda value: isinstance(value, Mapping), "an object")
BLOCKS = Field(
    lambda value: type(value) is tuple and all(map(_is_block, value)), "a list of blocks, each with a type"
)
TAGGED = Field(_is_tagged, "an object with a type")
BLOCK = Field(_is_block, "a block, with what its type needs")
KINDED = Field(_is_kind, "an object with a kind")
NAMES = Field(
    lambda value: type(value) is tuple and all(type(item) is str for item in value), "a list of texts"
)
OBJECTS = Field(
    lambda value: type(value) is tuple and all(isinstance(item, Mapping) for item in value),
    "a list of objects",
)
EMPTY_ALLOWED: Mapping[str, Field] = {}


def one_of(*choices: str) -> Field:
    """One of a closed set of words."""
    return Field(lambda value: value in choices, "one of " + ", ".join(choices))


def object_of(validate: Validate, words: str) -> Field:
    """An object that passes ``validate``."""
    return Field(lambda value: isinstance(value, Mapping) and validate(value) is None, words)


def items_of(validate: Validate, words: str) -> Field:
    """A list whose every item is an object that passes ``validate``."""
    return Field(
        lambda value: (
            type(value) is tuple
            and all(isinstance(item, Mapping) and validate(item) is None for item in value)
        ),
        words,
    )


@dataclass(frozen=True, slots=True)
class Shape:
    """A validator for an object with these fields. Readable, so that docs can be made from it."""

    required: tuple[tuple[str, Field], ...]
    optional: tuple[tuple[str, Field], ...]

    def __call__(self, data: Mapping[str, Any]) -> str | None:  # Any: JSON object under test
        for name, field in self.required:
            if name not in data:
                return f"{name} is missing"
            if not field.test(data[name]):
                return f"{name} must be {field.words}"
        for name, field in self.optional:
            if name in data and not field.test(data[name]):
                return f"{name} must be {field.words}"
        return None


def shape(required: Mapping[str, Field], optional: Mapping[str, Field] = EMPTY_ALLOWED) -> Shape:
    """The validator of an object that must have ``required`` and may have ``optional``."""
    return Shape(tuple(required.items()), tuple(optional.items()))
