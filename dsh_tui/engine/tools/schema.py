"""Schemas: a pydantic argument model as the small JSON schema that a model provider gets.

Only words that every provider understands remain, in a fixed order, so that the bytes depend on
the model's fields and on nothing else (providers cache by bytes). Bounds and patterns are checked
when a call comes in and belong into descriptions. Optional means "may be left out": ``null`` is
accepted, and never advertised. The outermost object says nothing of extra properties (they are
refused anyway); inner objects say what their models say.
Source: core spec §6; capabilities B1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.config import ToolSchema

if TYPE_CHECKING:
    from pydantic import BaseModel

    from dsh_tui.engine.tools.definition import AnyTool

Node = Mapping[str, Any]  # Any: one JSON schema node

_KEPT = ("type", "description", "const", "enum", "additionalProperties")
_NULL = {"type": "null"}


def tool_schema(definition: AnyTool) -> ToolSchema:
    """What the model is told of a tool, frozen."""
    return freeze(
        ToolSchema(
            name=definition.name,
            description=definition.description,
            parameters=parameters_schema(definition.parameters),
        )
    )


def parameters_schema(model: type[BaseModel]) -> dict[str, object]:
    """The JSON schema of an argument model: an object with its properties in field order."""
    raw = model.model_json_schema()
    clean = _clean(raw, raw.get("$defs", {}))
    clean.pop("description", None)  # the model's docstring is for readers of the code
    clean.pop("additionalProperties", None)
    clean.setdefault("properties", {})
    return clean


def _clean(node: Node, defs: Node) -> dict[str, Any]:
    node, defs = _flat(node, defs)
    clean = {key: node[key] for key in _KEPT if key in node}
    if isinstance(clean.get("additionalProperties"), dict):
        clean["additionalProperties"] = _clean(clean["additionalProperties"], defs)
    if "items" in node:
        clean["items"] = _clean(node["items"], defs)
    if "properties" in node:
        clean["properties"] = {name: _clean(child, defs) for name, child in node["properties"].items()}
    if node.get("required"):
        clean["required"] = list(node["required"])
    choices = [choice for choice in node.get("anyOf", node.get("oneOf", ())) if choice != _NULL]
    if choices:
        clean["oneOf"] = [_clean(choice, defs) for choice in choices]
    return clean


def _flat(node: Node, defs: Node) -> tuple[Node, Node]:
    """A node that stands by itself: references followed, "or null" dropped.

    A followed definition is gone from the returned ones: a recursive model has no finite inline form.
    """
    while True:
        if "$ref" in node:
            name = cast("str", node["$ref"]).rpartition("/")[2]
            if name not in defs:
                raise ValueError(f"tool arguments can't be recursive: {name}")
            target = {key: value for key, value in defs[name].items() if key != "description"}
            node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
            defs = {key: value for key, value in defs.items() if key != name}
            continue
        choices = [choice for choice in node.get("anyOf", ()) if choice != _NULL]
        if len(choices) != 1:
            return node, defs
        node = {**choices[0], **{key: value for key, value in node.items() if key != "anyOf"}}
