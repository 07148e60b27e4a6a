"""Outcomes: whatever a call came to, made into one frozen output.

Total: a hostile exception (one whose text raises, or that is no `Exception` at all) and an
output of the wrong type become failed outputs too. Source: core spec §6.
"""

from __future__ import annotations

from dataclasses import replace

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.frozen import LosslessError, freeze
from dsh_tui.engine.llm.blocks import Block, text_block
from dsh_tui.engine.llm.messages import as_content
from dsh_tui.engine.tools.decisions import ApprovalOutcome
from dsh_tui.engine.tools.definition import ToolOutput
from dsh_tui.engine.tools.errors import (
    ABORTED,
    ABORTED_BEFORE_DISPATCH,
    INVALID_TOOL_OUTPUT,
    RESULT_BLOCKED,
    TOOL_DENIED,
    TOOL_TIMEOUT,
    UNKNOWN_TOOL,
    ErrorInfo,
)

_LONGEST_MESSAGE = 10_000  # characters of an exception's own text that the model gets


def failed(text: str, name: str, code: str) -> ToolOutput:
    """A coded failure with its message for the model."""
    return ToolOutput(as_content(text), is_error=True, error=freeze(ErrorInfo(name=name, code=code)))


def unknown(name: str, known: tuple[str, ...]) -> ToolOutput:
    """There is no such tool here."""
    there = ", ".join(known) or "none"
    return failed(f"There is no tool `{name}`. The tools here: {there}.", "UnknownTool", UNKNOWN_TOOL)


def denied(reason: str) -> ToolOutput:
    """A listener or guard decided that the call must not run."""
    return failed(reason, "ToolDenied", TOOL_DENIED)


def not_approved(answer: ApprovalOutcome) -> ToolOutput:
    """A person was asked and did not, or could not, allow it."""
    words = []
    if answer.replacement:
        words.append(f"They want this instead, which did not run either:\n{answer.replacement}")
    if answer.feedback:
        words.append(f"They said:\n{answer.feedback}")
    text = " ".join((_DECLINED, "\n".join(words))) if words else _NOT_APPROVED[answer.outcome]
    return failed(text, "ToolDenied", f"APPROVAL_{answer.outcome.upper()}")


_DECLINED = "The user declined this call, so it did not run."
_NOT_APPROVED = {
    "rejected": f"{_DECLINED} Do not try it again in another form; "
    "go on without it, or ask what they want instead.",
    "cancelled": "The user stopped the turn while this call waited for approval. It did not run.",
    "unavailable": "This call needs approval, and nobody is there to give it. It did not run. "
    "Go on without it where you can, and say in your answer what was left undone.",
}


def aborted(output: ToolOutput | None, *, dispatched: bool) -> ToolOutput:
    """The turn was cancelled; what a finished body returned is kept below the notice."""
    if not dispatched:
        return failed(
            "The turn was cancelled before this call started. It did not run.",
            "ToolAborted",
            ABORTED_BEFORE_DISPATCH,
        )
    notice = failed(
        "The turn was cancelled while this call ran. It may have had effects; check before you repeat it.",
        "ToolAborted",
        ABORTED,
    )
    return notice if output is None else _below(notice, output)


def timed_out(limit_ms: int, output: ToolOutput | None) -> ToolOutput:
    """The call's own deadline passed."""
    notice = failed(
        f"The call was stopped after {limit_ms} ms. It may have had effects; check before you repeat it.",
        "ToolTimeout",
        TOOL_TIMEOUT,
    )
    return notice if output is None else _below(notice, output)


def blocked(output: ToolOutput, feedback: str) -> ToolOutput:
    """A listener rejected the result: the model reads the feedback in its place."""
    error = output.error or freeze(ErrorInfo(name="ResultBlocked", code=RESULT_BLOCKED))
    return replace(output, content=as_content(feedback), is_error=True, error=error)


def spoiled(output: ToolOutput, error: BaseException) -> ToolOutput:
    """The call ended, then something around it failed: its content stays, with a word about that."""
    text, info = _describe(error)
    note = text_block(f"\n[after this call, a plugin failed: {text}]")
    return replace(output, content=(*output.content, note), is_error=True, error=output.error or info)


def raised(error: BaseException) -> ToolOutput:
    """What an exception says, as a failed output; coded errors keep their name and code."""
    text, info = _describe(error)
    return ToolOutput(as_content(text), is_error=True, error=info)


def checked(output: object) -> ToolOutput:
    """The output with frozen content and meta; anything else is `INVALID_TOOL_OUTPUT`."""
    if not isinstance(output, ToolOutput):
        return _invalid(f"it returned {type(output).__name__}, not a ToolOutput")
    try:
        content = as_content(output.content)
        meta = None if output.meta is None else freeze(dict(output.meta))
        error = None if output.error is None else freeze(ErrorInfo(**output.error))
    except (LosslessError, TypeError, ValueError) as problem:
        return _invalid(str(problem))
    if not all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in content):
        return _invalid("its content is not made of blocks")
    if error is not None and not all(isinstance(error.get(key), str) for key in ("name", "code")):
        return _invalid("its error has no name or no code")
    return replace(output, content=content, meta=meta, error=error, is_error=output.is_error is True)


def with_meta(output: ToolOutput, **defaults: object) -> ToolOutput:
    """The output with these metas added where it has none of that name."""
    return replace(output, meta=freeze({**defaults, **(output.meta or {})}))


def blocks_of(output: ToolOutput) -> tuple[Block, ...]:
    """The content as blocks, whichever form it has."""
    return as_content(output.content)


def _below(notice: ToolOutput, output: ToolOutput) -> ToolOutput:
    kept = (text_block("\n\nWhat it returned:\n"), *blocks_of(output))
    return replace(notice, content=(*blocks_of(notice), *kept), meta=output.meta)


def _invalid(why: str) -> ToolOutput:
    return failed(f"The tool ran, but its result can't be used: {why}.", "ToolError", INVALID_TOOL_OUTPUT)


def _describe(error: BaseException) -> tuple[str, ErrorInfo | None]:
    name = type(error).__name__
    try:
        text = str(error)[:_LONGEST_MESSAGE].strip() or name
        code = error.code if isinstance(error, HarnessError) else None
    except BaseException:  # noqa: BLE001  # an exception that can't say what it is must not win
        return name, None
    if not isinstance(code, str):
        return text, None
    return text, ErrorInfo(name=name, code=code)
