"""The pipeline of one call: admit, execute, conclude. Everything resolves to a result.

    admit      validate → tools/pre-execute → ask → guards      (in model order)
    execute    tools/execute around the body, under its deadline (may overlap)
    conclude   tools/post-execute → finalize                     (in model order)

Arguments are frozen before the first listener sees them and nobody rewrites them; decisions are
the only channel. A raise anywhere becomes a failed output; cancelling overrides success only.
Source: core spec §6.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from dsh_tui.engine.agent.decisions import HookContext
from dsh_tui.engine.base.clock import Clock
from dsh_tui.engine.tools.arguments import validate_arguments
from dsh_tui.engine.tools.containment import Raised, attempt, contained
from dsh_tui.engine.tools.deadline import run_within_deadline
from dsh_tui.engine.tools.decisions import Accept, Allow, ApprovalOutcome, Ask, Block, Deny, PostDecision
from dsh_tui.engine.tools.definition import AnyTool, ToolCall, ToolOutput
from dsh_tui.engine.tools.events import ASK, EXECUTE, POST_EXECUTE, PRE_EXECUTE
from dsh_tui.engine.tools.outcome import (
    aborted,
    blocked,
    checked,
    denied,
    not_approved,
    raised,
    spoiled,
    with_meta,
)

if TYPE_CHECKING:
    from dsh_tui.engine.kernel import Dispatcher

Guard: TypeAlias = Callable[[ToolCall, AnyTool], Awaitable[str | None]]
"""Says why a call must not run, or ``None``. Comes after every permission and can't grant any."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A call's final output, and what listeners want the model to know beside it."""

    output: ToolOutput
    contexts: tuple[HookContext, ...] = ()


class Pipeline:
    """Takes single calls through their stages. Never raises, but when its own task is cancelled."""

    def __init__(self, dispatcher: Dispatcher, guards: Callable[[], Iterable[Guard]], clock: Clock) -> None:
        self._events = dispatcher
        self._guards = guards
        self._clock = clock

    async def admit(self, call: ToolCall, definition: AnyTool) -> ToolOutput | None:
        """``None``: the body may run. Else the refusal, which is the call's output."""
        refusal = await contained(self._decide(call, definition))
        if isinstance(refusal, Raised):
            return self._failure(call, refusal, dispatched=False)
        if refusal is None and call.signal.cancelled:
            return aborted(None, dispatched=False)
        return refusal

    async def execute(self, call: ToolCall, definition: AnyTool, args: Any) -> ToolOutput:  # Any: its model
        """Run the body; the output is frozen and says how long it took."""
        started = self._clock.monotonic()
        dispatched = False

        async def body() -> ToolOutput:
            nonlocal dispatched
            call.signal.check()
            dispatched = True
            return checked(await run_within_deadline(definition, args, call, self._clock))

        result = await contained(self._events.waterfall(EXECUTE, body, call, definition))
        if isinstance(result, Raised):
            output = self._failure(call, result, dispatched=dispatched)
        else:
            output = checked(result)
            if call.signal.cancelled and not output.is_error:
                output = aborted(output, dispatched=dispatched)
        return with_meta(output, durationMs=round((self._clock.monotonic() - started) * 1000))

    async def conclude(self, call: ToolCall, definition: AnyTool | None, output: ToolOutput) -> Conclusion:
        """Let listeners accept or block the output, then give the tool the last word."""
        decision = await contained(self._events.waterfall(POST_EXECUTE, _accept, call, output))
        applied = decision if isinstance(decision, Raised) else attempt(_apply, decision, output)
        conclusion = Conclusion(spoiled(output, applied.error)) if isinstance(applied, Raised) else applied
        if definition is None or definition.finalize is None:
            return conclusion
        final = attempt(definition.finalize, conclusion.output)
        if isinstance(final, Raised):
            return Conclusion(spoiled(conclusion.output, final.error), conclusion.contexts)
        return Conclusion(checked(final), conclusion.contexts)

    @staticmethod
    def _failure(call: ToolCall, failure: Raised, *, dispatched: bool) -> ToolOutput:
        if failure.is_cancellation and call.signal.cancelled:
            return aborted(None, dispatched=dispatched)
        return raised(failure.error)

    async def _decide(self, call: ToolCall, definition: AnyTool) -> ToolOutput | None:
        decision = await self._events.waterfall(PRE_EXECUTE, _allow, call, definition)
        match decision:
            case Allow():
                pass
            case Deny(reason=reason):
                return denied(reason)
            case Ask():
                call.signal.check()
                answer = await self._events.waterfall(ASK, _nobody, call, definition, decision)
                if not isinstance(answer, ApprovalOutcome):
                    raise TypeError(f"tools/ask answered {answer!r}")
                if answer.outcome != "allowed-once":
                    return not_approved(answer)
            case _:
                raise TypeError(f"tools/pre-execute decided {decision!r}")
        for guard in tuple(self._guards()):
            if (objection := await guard(call, definition)) is not None:
                return denied(objection)
        return None


def validated(call: ToolCall, definition: AnyTool) -> Any:  # Any: the tool's own argument model
    """The call's arguments as the tool's model, or a failed `ToolOutput`."""
    args = attempt(validate_arguments, definition, call.arguments, call.args)
    return raised(args.error) if isinstance(args, Raised) else args


def _apply(decision: PostDecision, output: ToolOutput) -> Conclusion:
    match decision:
        case Accept(content=content):
            output = output if content is None else checked(replace(output, content=content))
        case Block(feedback=feedback):
            output = blocked(output, feedback)
        case _:
            raise TypeError(f"tools/post-execute decided {type(decision).__name__}")
    contexts = tuple(decision.additional_context)
    if not all(isinstance(context, HookContext) for context in contexts):
        raise TypeError("tools/post-execute added something that is no HookContext")
    return Conclusion(output, contexts)


async def _allow() -> Allow:
    return Allow()


async def _nobody() -> ApprovalOutcome:
    return ApprovalOutcome("unavailable")


async def _accept() -> Accept:
    return Accept()
