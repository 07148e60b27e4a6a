"""Schemas that go to the model, compared with the ones that are given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from dsh_tui.engine.tools.schema import parameters_schema

SPEC = Path(__file__).resolve().parents[3] / "../shared/spec/tool-schemas.json"


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Bash(Frozen):
    """A docstring for readers of the code."""

    command: str
    description: str
    timeout_ms: float | None = Field(default=None, alias="timeoutMs")
    workdir: str | None = None
    run_in_background: bool = False


class Todo(Frozen):
    """A docstring for readers of the code."""

    content: str
    status: Literal["pending", "in_progress", "completed"]


class TodoWrite(Frozen):
    todos: tuple[Todo, ...] = Field(min_length=0)


class Option(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")
    label: str
    description: str | None = None


class Question(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")
    id: str
    question: str
    header: str | None = None
    options: tuple[Option, ...] | None = None
    multi_select: bool = False


class AskUser(Frozen):
    questions: tuple[Question, ...]


class Editor(Frozen):
    command: Literal["view", "create", "str_replace", "insert"]
    path: str
    file_text: str | None = None
    insert_line: int | None = Field(default=None, ge=0)
    new_str: str | None = None
    old_str: str | None = None
    view_range: tuple[int, ...] | None = None


class Moment(Frozen):
    date: str
    time: str
    time_zone: str


class Schedule(Frozen):
    prompt: str
    after_seconds: float | None = None
    every_seconds: float | None = None
    at: str | Moment | None = None


class Nothing(Frozen):
    pass


MODELS: list[tuple[str, str, type[BaseModel]]] = [
    ("tool-bash", "bash", Bash),
    ("tool-todo", "todo_write", TodoWrite),
    ("tool-ask-user", "ask_user_question", AskUser),
    ("tool-str-replace-editor", "str_replace_editor", Editor),
    ("schedule", "schedule_create", Schedule),
    ("tool-jobs", "job_list", Nothing),
]


@pytest.mark.skipif(not SPEC.exists(), reason="the given schemas are not here")
@pytest.mark.parametrize(("package", "tool", "model"), MODELS, ids=[tool for _, tool, _ in MODELS])
def test_a_model_gives_the_very_schema_that_is_given(package: str, tool: str, model: type[BaseModel]) -> None:
    assert parameters_schema(model) == json.loads(SPEC.read_text())[package][tool]


def test_titles_defaults_bounds_docstrings_and_nulls_are_left_out() -> None:
    class Args(Frozen):
        """A docstring for readers of the code."""

        limit: int | None = Field(default=None, ge=1, description="Most lines.")
        todo: Todo | None = None

    assert parameters_schema(Args) == {
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "description": "Most lines."},
            "todo": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "content": {"type": "string"},
                    "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
                },
                "required": ["content", "status"],
            },
        },
    }


def test_properties_keep_the_order_of_the_fields() -> None:
    class Args(Frozen):
        zebra: str
        apple: str

    schema: dict[str, Any] = parameters_schema(Args)
    assert list(schema["properties"]) == ["zebra", "apple"]
    assert list(schema) == ["type", "properties", "required"]


def test_a_recursive_model_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="recursive: Tree"):
        parameters_schema(Tree)


class Tree(Frozen):
    children: tuple[Tree, ...] = ()
