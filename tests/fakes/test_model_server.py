"""The scripted model server: as strict as the real API, and its own promises."""

from __future__ import annotations

import asyncio
import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes.model_server import ModelServer, hold, reply, status
from tests.fakes.strict_api import refusal

Body = dict[str, Any]
CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
TOOL = {"type": "function", "function": {"name": "bash", "description": "", "parameters": {"type": "object"}}}
GOOD: Body = {
    "model": "deepseek-flash",
    "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
        {
            "role": "assistant",
            "content": "",
            "reasoning_content": "",
            "tool_calls": [CALL, {**CALL, "id": "c2"}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "r1"},
        {"role": "tool", "tool_call_id": "c2", "content": "r2"},
    ],
    "stream": True,
    "stream_options": {"include_usage": True},
    "thinking": {"type": "enabled"},
    "reasoning_effort": "high",
    "tools": [TOOL],
}


def _swap(body: Body) -> None:
    body["messages"][3], body["messages"][4] = body["messages"][4], body["messages"][3]


BAD: dict[str, Callable[[Body], object]] = {
    "unknown field": lambda body: body.update(extra=1),
    "null": lambda body: body.update(temperature=None),
    "non-empty array": lambda body: body.update(messages=[]),
    "stream_options": lambda body: body.pop("stream_options"),
    "stream_options can only": lambda body: body.pop("stream"),
    "Model": lambda body: body.pop("model"),
    "reasoning_effort": lambda body: body.update(reasoning_effort="off"),
    "max_tokens": lambda body: body.update(max_tokens=0),
    "expected a string": lambda body: body["messages"][2].update(content=None),
    "reasoning_content": lambda body: body["messages"][2].pop("reasoning_content"),
    "insufficient tool messages": lambda body: body["messages"].pop(),
    "order": _swap,
    "must be a response": lambda body: body["messages"].append({**body["messages"][4]}),
    "preceding": lambda body: body["messages"][3].update(tool_call_id="ghost"),
    "duplicate": lambda body: body["messages"][2]["tool_calls"][1].update(id="c1"),
    "non-empty string": lambda body: body["messages"][2]["tool_calls"][1].update(id=""),
    "function.name": lambda body: body["tools"][0]["function"].update(name="fs.read"),
    "tool_calls[0].function.name": lambda body: body["messages"][2]["tool_calls"][0].update(
        function={"name": "", "arguments": ""}
    ),
    "object": lambda body: body["tools"][0]["function"].update(parameters={}),
    "unique": lambda body: body["tools"].append(TOOL),
    "last message": lambda body: body["messages"].append({"role": "assistant", "content": "x"}),
    "surrogate": lambda body: body["messages"][1].update(content="\ud83d"),
}


def test_a_good_request_is_accepted() -> None:
    assert refusal(GOOD) is None


@pytest.mark.parametrize(("reason", "spoil"), BAD.items(), ids=BAD)
def test_what_the_api_refuses_is_refused_with_its_reason(
    reason: str, spoil: Callable[[Body], object]
) -> None:
    body = copy.deepcopy(GOOD)
    spoil(body)
    said = refusal(body)
    assert said is not None
    assert reason in said


def test_reasoning_is_not_asked_for_without_thinking() -> None:
    body = copy.deepcopy(GOOD)
    body["messages"][2].pop("reasoning_content")
    body["thinking"] = {"type": "disabled"}
    assert refusal(body) is None


async def post(client: httpx.AsyncClient, server: ModelServer, **changes: Any) -> httpx.Response:
    return await client.post(f"{server.url}/chat/completions", json={**GOOD, **changes})


async def test_answers_follow_the_script_and_then_the_prompt() -> None:
    prompt = [{"role": "user", "content": "please bench n=6 id=9"}]
    async with (
        ModelServer(["One", status(429, {"error": {"message": "x"}})]) as server,
        httpx.AsyncClient() as client,
    ):
        assert "One" in (await post(client, server)).text
        assert (await post(client, server)).status_code == 429
        told = (await post(client, server, messages=prompt)).text
        assert (await post(client, server, messages=[{"role": "user", "content": "x"}])).text.count(
            "data:"
        ) == 4
        assert len(server.requests) == 4
    assert "END-OF-REPLY-9" in told
    assert told.rstrip().endswith("data: [DONE]")


async def test_a_tool_directive_calls_the_tool_once_and_then_answers() -> None:
    asked = [{"role": "user", "content": "bench n=5 id=1 think=4 tool=echo+hi"}]
    schema = {"type": "object", "properties": {"command": {}, "description": {}, "timeoutMs": {}}}
    tools = [{"type": "function", "function": {"name": "bash", "parameters": schema}}]
    async with ModelServer() as server, httpx.AsyncClient() as client:
        body = {"model": "m", "messages": asked, "tools": tools}
        first = (await client.post(f"{server.url}/v1/chat/completions", json=body)).json()
    message = first["choices"][0]["message"]
    arguments = json.loads(message["tool_calls"][0]["function"]["arguments"])
    assert arguments == {"command": "echo hi", "description": "Run a command"}
    assert message["reasoning_content"].endswith("END-OF-REPLY-think\n")
    assert first["choices"][0]["finish_reason"] == "tool_calls"


async def test_a_wrong_key_is_a_401_and_a_bad_body_a_400_and_both_are_recorded() -> None:
    async with ModelServer(key="right") as server, httpx.AsyncClient() as client:
        assert (await post(client, server)).status_code == 401
        client.headers["authorization"] = "Bearer right"
        answer = await post(client, server, messages=[])
        assert answer.status_code == 400
        assert answer.json()["error"]["type"] == "invalid_request_error"
        assert [sent.refused is None for sent in server.requests] == [False, False]
        listed = (await client.get(f"{server.url}/models")).json()
    assert [model["id"] for model in listed["data"]] == ["deepseek-flash", "deepseek-v4-pro"]


async def test_a_held_answer_waits_for_its_gate() -> None:
    gate = asyncio.Event()
    async with ModelServer([hold(gate, reply("Late."))]) as server, httpx.AsyncClient() as client:
        waiting = asyncio.create_task(post(client, server))
        await server.wait_for_requests(1)
        assert not waiting.done()
        gate.set()
        assert "Late" in (await waiting).text


def test_it_runs_alone_with_a_script(tmp_path: Path) -> None:
    script, log = tmp_path / "script.json", tmp_path / "log"
    script.write_text(json.dumps(["Hello", {"text": "x", "tool_calls": [["bash", {}]]}, {"status": 500}]))
    path = Path(__file__).with_name("model_server.py")
    command = [sys.executable, str(path), "--port", "0", "--script", str(script), "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        got = [httpx.post(f"{url}/chat/completions", json=GOOD) for _ in range(3)]
        process.terminate()
    assert "Hell" in got[0].text
    assert "tool_calls" in got[1].text
    assert got[2].status_code == 500
    assert log.read_text().count("/chat/completions") == 3
