"""Tools and prompt: the stages of a call come in order, and what is announced is well formed.

Source: core spec §9 (tools, prompt), §6, §5.
"""

from __future__ import annotations

from dataclasses import is_dataclass

from dsh_tui.engine.invariants.errors import InvariantError
from dsh_tui.engine.kernel import Dispatch
from dsh_tui.engine.system_prompt.assembly import ASSEMBLE, Assembly
from dsh_tui.engine.tools.definition import ToolCall, ToolOutput
from dsh_tui.engine.tools.events import EXECUTE, POST_EXECUTE, PRE_EXECUTE, TOOL_RESULT

_CallKey = tuple[str, int, int, str]
_STAGES = {PRE_EXECUTE.name: "pre", EXECUTE.name: "execute", POST_EXECUTE.name: "post"}


class ToolsCompanion:
    """Pre once, then execute, then post; the result last."""

    def __init__(self) -> None:
        self._stages: dict[_CallKey, list[str]] = {}

    def __call__(self, dispatch: Dispatch) -> None:
        stage = _STAGES.get(dispatch.event)
        if stage is None and dispatch.event != TOOL_RESULT.name:
            return
        call = dispatch.args[0]
        if not isinstance(call, ToolCall):
            raise InvariantError("tools", f"{dispatch.event} without a call")
        if not call.name:
            raise InvariantError("tools", "a call without a tool's name")
        key = (call.session.id, call.turn, call.step, call.call_id)
        if stage is None:
            self._stages.pop(key, None)
            _check_output(dispatch.args[1])
            return
        passed = self._stages.setdefault(key, [])
        if stage in passed or "post" in passed or (stage == "execute" and "pre" not in passed):
            raise InvariantError("tools", f"{call.call_id}: {stage} after {', '.join(passed) or 'nothing'}")
        passed.append(stage)


def _check_output(output: object) -> None:
    if not isinstance(output, ToolOutput) or not is_dataclass(output):
        raise InvariantError("tools", "a result that is no ToolOutput")
    if isinstance(output.content, list):
        raise InvariantError("tools", "a result that is not frozen")


def check_prompt(dispatch: Dispatch) -> None:
    """The system text is text, and tools have names of their own."""
    if dispatch.event != ASSEMBLE.name:
        return
    assembly = dispatch.args[1]
    if not isinstance(assembly, Assembly) or not isinstance(assembly.system, str | None):
        raise InvariantError("prompt", "the assembly holds no text")
    names = [tool["name"] for tool in assembly.tools]
    if not all(names) or len(set(names)) != len(names):
        raise InvariantError("prompt", "tools need names, each its own")
