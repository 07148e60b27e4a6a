"""What each mode makes of a call: run, ask, or refuse. Pure.

    ask     looking inside the workspace runs, the rest asks
    edits   file changes inside the workspace run too, unless they reach beyond it
    plan    nothing that changes anything
    sandbox what keeps to the sandbox runs; leaving it asks, and so does the rest
    full    everything runs

A tool that can't say where it reaches is taken to reach outside. Source: design §3.16.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, assert_never

from dsh_tui.engine.fs.workspace import reach_of_change
from dsh_tui.engine.modes.mode import EXIT_PLAN_MODE, Mode
from dsh_tui.engine.sandbox.escalation import ESCALATION, Request, requested
from dsh_tui.engine.tools.arguments import validate_arguments
from dsh_tui.engine.tools.containment import attempt
from dsh_tui.engine.tools.decisions import BY_MODE, Allow, Ask, Deny, PreDecision
from dsh_tui.engine.tools.definition import AnyTool, ToolCall

_QUOTES: Final = str.maketrans(dict.fromkeys("“”„‟«»", "'"))
"""A quote of the model's own would end ours, and what follows would read as if we said it."""


def decide(mode: Mode, call: ToolCall, definition: AnyTool, kept: Sequence[Path] = ()) -> PreDecision:
    """The mode's decision on one call with valid arguments; ``kept`` as in `reach_of_change`."""
    match mode:
        case "full":
            return Allow()
        case "plan":
            if definition.changes:
                return Deny(_plan_refusal(definition.name))
            return _decide_on_looking(call, definition, kept)
        case "edits":
            if definition.kind == "edit" and is_inside(call, definition) and not _reach(call, kept):
                return Allow()
            return _decide_on_looking(call, definition, kept)
        case "sandbox":
            if not definition.confined:
                return _decide_on_looking(call, definition, kept)
            request = requested(call.args)
            return Allow() if request is None else Ask(_leaving(request), by=ESCALATION)
        case "ask":
            return _decide_on_looking(call, definition, kept)
        case _:
            assert_never(mode)


def is_inside(call: ToolCall, definition: AnyTool) -> bool:
    """True if the call is known to stay inside the session's directory, or has nothing to do with files."""
    if definition.inside_workspace is None:
        return definition.kind == "other" or (definition.kind == "execute" and not definition.changes)
    args = attempt(validate_arguments, definition, call.arguments, call.args)
    return attempt(definition.inside_workspace, args, call) is True


def _decide_on_looking(call: ToolCall, definition: AnyTool, kept: Sequence[Path]) -> PreDecision:
    inside = is_inside(call, definition)
    if inside and not definition.changes:
        return Allow()
    return Ask(_reason(call, definition, kept, inside=inside), by=BY_MODE)


def _reason(call: ToolCall, definition: AnyTool, kept: Sequence[Path], *, inside: bool) -> str:
    outside = "" if inside or definition.inside_workspace is None else " outside the workspace"
    match definition.kind:
        case "execute":
            return "The agent wants to run a command."
        case "edit":
            return f"The agent wants to change a file{outside or (_reach(call, kept) if inside else '')}."
        case "delete" | "move":
            return f"The agent wants to {definition.kind} a file{outside}."
        case "read" | "search":
            return f"The agent wants to {definition.kind} files{outside}."
        case "fetch":
            return "The agent wants to fetch something from the network."
        case "other":
            return f"The agent wants to use {definition.name}."
        case _:
            assert_never(definition.kind)


def _leaving(request: Request) -> str:
    """The reason; what is in quotes are the model's words."""
    what = {
        "workspace-write": "write in the workspace",
        "danger-full-access": "leave the sandbox, with full access",
    }[request.policy]
    return f"The agent asks to {what}: “{request.justification.translate(_QUOTES)}”"


def _reach(call: ToolCall, kept: Sequence[Path]) -> str:
    """What an edit does beyond the workspace; an edit of we know not what is no ordinary one."""
    path = call.args.get("file_path")
    if not isinstance(path, str):
        return " that it does not name"
    reach = attempt(reach_of_change, call, path, kept)
    return reach if isinstance(reach, str) else " that can't be looked at"


def _plan_refusal(name: str) -> str:
    return (
        f"Plan mode is on: nothing may be changed, so `{name}` did not run. Keep to reading and searching, "
        f"and hand the plan to the user with `{EXIT_PLAN_MODE}` once it is complete."
    )
