"""Logs in the shapes of the original DeepSeek Harness, versions 0 to 4, written by hand for tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import zstandard

NOON = 1_790_000_000_000
MODEL = {"kind": "model", "provider": "deepseek-official", "model": "deepseek-flash"}
USAGE = {"inputTokens": 100, "outputTokens": 20, "totalTokens": 200, "cacheReadTokens": 80}
SYSTEM = "You are a test."
TOOLS = [{"name": "bash", "description": "Runs.", "parameters": {"type": "object", "properties": {}}}]
CONFIG = {"provider": "deepseek-official", "model": "deepseek-flash", "reasoningEffort": "high"}


class OriginalLog:
    """One log under construction. Each batch becomes a frame of its own."""

    def __init__(
        self, version: int, session_id: str = "session-old", *, cwd: str = "/work/app", **header: Any
    ) -> None:
        self.version, self.id, self.cwd = version, session_id, cwd
        head = {"type": "session", "version": version, "id": session_id, "createdAt": NOON, "cwd": cwd}
        seeded = {"isSeeded": False} if version >= 3 else {}
        self.batches: list[list[str]] = [[_json({**head, **seeded, "delegationDepth": 0, **header})]]
        self.seq, self.turn, self.step = 0, 0, 0
        self.told_system = False

    # Rows

    def row(self, tag: str, data: dict[str, Any], **envelope: Any) -> int:
        """One event; its seq."""
        seq = self.seq
        self.line({"type": tag, "seq": seq, "time": NOON + seq, "data": data, **envelope})
        self.seq += 1
        return seq

    def line(self, fields: dict[str, Any]) -> None:
        self.batches[-1].append(_json(fields))

    def batch(self) -> None:
        """What follows goes into a new frame."""
        self.batches.append([])

    # A conversation

    def ask(self, prompt: str, *, source: dict[str, Any] | None = None) -> int:
        """Queue a prompt and begin its turn and first step; the seq of the message."""
        self.turn, self.step = self.turn + 1, 0
        message = _user(prompt, f"u{self.turn}", source or {"kind": "user"})
        self.batch()
        self.row("agent/inbox/spliced", {"target": "next-turn", "start": 0, "inserted": [message]})
        self.row("turn/start", {"turn": self.turn})
        self.row(
            "agent/inbox/spliced", {"target": "next-turn", "start": 0, "removedCount": 1, "inserted": []}
        )
        self.open_step()
        if not self.told_system and self.version >= 3:
            content = [{"type": "text", "text": SYSTEM}]
            told = {"role": "system", "content": content, "source": {"kind": "system-prompt"}, "id": "sys"}
            self.row("system/message", {**self.place, "message": told}, surfaceOp="append")
        seq = self.row("user/message", message, surfaceOp="append")
        if not self.told_system:
            kind = {"kind": "runtime-context"} if self.version == 4 else {"kind": "plugin", "plugin": "ctx"}
            self.row("user/message", _user("It is noon.", "ctx", kind), surfaceOp="append")
            header = {"config": CONFIG, "adapterDefaults": {"maxTokens": True}, "tools": TOOLS}
            if self.version < 3:
                header["system"] = SYSTEM
            self.row("request/header", {"header": header, "reason": "initial"})
            self.row("request/context", {**_routed(), "contextWindow": 1_000_000})
            title = {"title": " ".join(prompt.split()[:5]), "messageSeqs": [seq]}
            self.row("session/title", {**title, "source": {"kind": "fallback"}})
            self.told_system = True
        return seq

    def open_step(self) -> None:
        self.step += 1
        self.row("step/start", self.place)

    @property
    def place(self) -> dict[str, Any]:
        return {"turn": self.turn, "step": self.step}

    def stream(self, kind: str, index: int, texts: Sequence[str], **more: str) -> list[dict[str, Any]]:
        """The packed run of one block: written as a row in version 0, else returned for the answer."""
        gaps = [7] * (len(texts) - 1)
        words = "args" if kind == "tool-call-chunks" else "texts"
        run = {"index": index, "dt": gaps, **more, words: list(texts)}
        if self.version:
            return [{"type": kind, "time0": NOON + self.seq, **run}]
        self.line({"type": kind, "seq0": self.seq, "time0": NOON + self.seq, "data": {**self.place, **run}})
        self.seq += len(texts)
        return []

    def answer(
        self,
        text: str = "",
        *,
        thinking: str = "",
        calls: Sequence[tuple[str, str, dict[str, Any]]] = (),
    ) -> int:
        """A streamed answer; calls are ``(id, tool, arguments)``. The seq of the message."""
        first, stream = self.seq, []
        content: list[dict[str, Any]] = []
        if thinking:
            stream += self.stream("reasoning-chunks", len(content), _pieces(thinking))
            content.append({"type": "reasoning", "text": thinking})
        if text:
            stream += self.stream("text-chunks", len(content), _pieces(text))
            content.append({"type": "text", "text": text})
        for call_id, name, arguments in calls:
            raw = json.dumps(arguments)
            pieces = ["", raw[:4], raw[4:]]
            stream += self.stream("tool-call-chunks", len(content), pieces, id=call_id, name=name)
            content.append({"type": "tool-call", "id": call_id, "name": name, "arguments": raw})
        message = {"role": "assistant", "content": content, "source": MODEL, "id": f"a{self.seq}"}
        data = {**self.place, "message": message, "usage": USAGE}
        if self.version:
            return self.row("assistant/message", {**data, "stream": stream}, surfaceOp="append")
        cited = [[first, self.seq - 1]]
        return self.row("assistant/message", data, sourceEventSeqs=cited, surfaceOp="append")

    def call(self, call_id: str, name: str, arguments: dict[str, Any]) -> int:
        data = {**self.place, "callId": call_id, "name": name, "arguments": json.dumps(arguments)}
        return self.row("tool/call", data)

    def result(self, call_id: str, text: str, call_seq: int, **data: Any) -> int:
        failed = "error" in data
        return self.row(
            "tool/result",
            {**self.place, "message": self.result_message(call_id, text, failed=failed), **data},
            sourceEventSeqs=[call_seq],
            surfaceOp="append",
        )

    def result_message(self, call_id: str, text: str, *, failed: bool = False) -> dict[str, Any]:
        content = [{"type": "text", "text": text}]
        source = {"kind": "tool", "callId": call_id}
        flat = {"toolCallId": call_id, "content": content, "isError": failed}
        if self.version == 4:
            return {"role": "tool", "source": source, **flat, "id": f"r-{call_id}"}
        block = {"type": "tool-result", **flat}
        return {"source": source, "content": [block], "role": "user", "id": f"r-{call_id}"}

    def use(
        self, call_id: str, name: str, arguments: dict[str, Any], text: str = "done", **data: Any
    ) -> None:
        """A step that is one call and its result, and the next step."""
        self.answer(calls=[(call_id, name, arguments)])
        self.result(call_id, text, self.call(call_id, name, arguments), **data)
        self.row("step/end", self.place)
        self.batch()
        self.open_step()

    def end(self, **reason: Any) -> int:
        """Close step and turn; the seq of ``turn/end``."""
        self.row("step/end", self.place)
        return self.row("turn/end", {"turn": self.turn, "reason": reason or {"kind": "completed"}})

    # The file

    @property
    def name(self) -> str:
        return f"session.v{self.version}.jsonl" if self.version else "session.jsonl"

    def frames(self) -> list[bytes]:
        """One zstd frame a batch, each with a checksum and no content size."""
        compress = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False).compress
        return [compress("".join(batch).encode()) for batch in self.batches if batch]

    def raw(self) -> bytes:
        return "".join(line for batch in self.batches for line in batch).encode()

    def directory(self, home: Path) -> Path:
        return home / "sessions" / f"-{self.cwd.replace('/', '-')}--" / self.id

    def store(self, home: Path, *, raw: bool = False, content: bytes | None = None) -> Path:
        """Write it where the original would; ``content`` replaces the bytes."""
        folder = self.directory(home)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (self.name if raw else f"{self.name}.zstd")
        path.write_bytes(content if content is not None else self.raw() if raw else b"".join(self.frames()))
        return path


def conversation(version: int, session_id: str = "session-old", **header: Any) -> OriginalLog:
    """Two turns: one with thoughts, a command, an edit and a new file, one that only talks."""
    log = OriginalLog(version, session_id, **header)
    log.ask("Say hi in the greeting")
    log.use("c1", "bash", {"command": "ls", "description": "List"}, "main.py\n[exit code: 3]")
    diff = {"path": "main.py", "oldText": "a\nb\n", "newText": "a\nc\n"}
    log.use("c2", "edit", {"file_path": "main.py"}, "updated", meta={"path": "main.py", "diffs": [diff]})
    new = {"operation": "create", "path": "new.py", "diffs": []}
    log.use("c3", "write", {"file_path": "new.py", "content": "x\ny\n"}, "Created file", meta=new)
    todos = [{"content": "Greet", "status": "completed"}]
    log.row("todo/write", {"todos": todos})
    log.answer("Done, **hi** it is.", thinking="That was easy enough.")
    log.end()
    log.ask("Thanks")
    log.answer("You are welcome.", thinking="Polite.")
    log.end()
    return log


def _json(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


def _user(text: str, message_id: str, source: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "source": source, "role": "user", "id": message_id}


def _routed() -> dict[str, str]:
    return {"provider": "deepseek-official", "model": "deepseek-flash"}


def _pieces(text: str) -> list[str]:
    words = text.split(" ")
    return [words[0], *(f" {word}" for word in words[1:])]
