"""The schemas of the shipped tools are a contract with models and recorded logs: exactly these."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dsh_tui.engine.base.frozen import thaw
from dsh_tui.engine.sandbox.landlock import LandlockBackend
from dsh_tui.engine.sandbox.plugin import SandboxConfig
from tests.fakes.workbench import open_workbench

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
FLAG = {"type": "boolean"}


def takes(required: list[str], **properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": required}


EXPECTED = {
    "bash": takes(
        ["command", "description"],
        command=TEXT,
        description=TEXT,
        timeoutMs=NUMBER,
        workdir=TEXT,
        run_in_background=FLAG,
    ),
    "bash_output": takes(["task_id"], task_id=TEXT),
    "bash_kill": takes(["task_id"], task_id=TEXT),
    "read": takes(["file_path"], file_path=TEXT, offset=NUMBER, limit=NUMBER),
    "write": takes(["file_path", "content"], file_path=TEXT, content=TEXT),
    "edit": takes(
        ["file_path", "old_string", "new_string"],
        file_path=TEXT,
        old_string=TEXT,
        new_string=TEXT,
        replace_all=FLAG,
    ),
    "glob": takes(["pattern"], pattern=TEXT, path=TEXT),
    "grep": takes(["pattern"], pattern=TEXT, path=TEXT, include=TEXT),
    "todo_write": takes(
        ["todos"],
        todos={
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "content": TEXT,
                    "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
                },
                "required": ["content", "status"],
            },
        },
    ),
}


def without_descriptions(schema: Any) -> Any:  # Any: JSON schema
    if isinstance(schema, list):
        return [without_descriptions(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: {name: without_descriptions(child) for name, child in value.items()}
        if key == "properties"
        else without_descriptions(value)
        for key, value in schema.items()
        if key != "description"
    }


async def test_the_shipped_tools_have_exactly_these_schemas(tmp_path: Path) -> None:
    async with open_workbench(tmp_path) as work:
        schemas = work.bench.tools.schemas(work.bench.agent)
    found = {schema["name"]: without_descriptions(thaw(schema["parameters"])) for schema in schemas}
    assert found == EXPECTED


ESCALATION = {
    "sandbox_permissions": {"type": "string", "enum": ["workspace-write", "danger-full-access"]},
    "justification": TEXT,
}


async def test_where_commands_can_be_confined_three_tools_take_two_more(tmp_path: Path) -> None:
    async with open_workbench(tmp_path, sandbox=SandboxConfig(backends=(LandlockBackend(),))) as work:
        tools, agent = work.bench.tools, work.bench.agent
        schemas = tools.schemas(agent)
        work.bench.session.append("turn/start", {"turn": 1, "trigger": {"kind": "idle"}})
        work.bench.session.append("permission/mode", {"mode": "sandbox"})
        assert tools.schemas(agent) == schemas  # a switch of the mode costs no cache
    for schema in schemas:
        expected = dict(EXPECTED[schema["name"]])
        if schema["name"] in ("bash", "write", "edit"):
            expected["properties"] = {**expected["properties"], **ESCALATION}  # type: ignore[dict-item]  # JSON
        found = without_descriptions(thaw(schema["parameters"]))
        assert found == expected
        assert list(found["properties"]) == list(expected["properties"])  # type: ignore[call-overload]  # JSON


@pytest.mark.parametrize("sandbox", [None, SandboxConfig(backends=(LandlockBackend(),))])
async def test_every_tool_and_parameter_is_described(tmp_path: Path, sandbox: SandboxConfig | None) -> None:
    async with open_workbench(tmp_path, sandbox=sandbox) as work:
        schemas = work.bench.tools.schemas(work.bench.agent)
    for schema in schemas:
        assert schema["description"].strip()
        properties: Any = schema["parameters"]["properties"]
        assert all(child.get("description") for child in properties.values()), schema["name"]
