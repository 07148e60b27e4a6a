"""The calls of one step: in model order, some bodies side by side, results in model order.

A call runs beside others only if its tool's classifier says exactly True of its arguments, asked
when its turn comes; any other call waits for everything before it and everything after waits for
it. Every block ends with a logged call and a logged result, whatever happens: providers refuse a
history with unanswered calls. Source: core spec §6 (Batch).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.clock import Clock
from dsh_tui.engine.base.ids import new_id
from dsh_tui.engine.tools.containment import attempt
from dsh_tui.engine.tools.definition import AnyTool, ToolCall, ToolOutput
from dsh_tui.engine.tools.outcome import aborted, blocks_of, unknown
from dsh_tui.engine.tools.pipeline import Pipeline, validated

if TYPE_CHECKING:
    from dsh_tui.engine.agent.decisions import HookContext

MOST_AT_ONCE = 10
GRACE: Final = 5.0
"""Seconds that a body has after the signal; a command needs three of them to end its processes."""


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What a step's calls leave to the loop."""

    contexts: tuple[HookContext, ...] = ()
    """To be appended after all results of the step, in model order."""
    concludes: bool = False
    """True if every call of the step said that the turn may end with it."""


@dataclass(slots=True)
class Entry:
    """One call of the batch on its way from its block to its logged result."""

    call: ToolCall
    call_seq: int | None = None
    definition: AnyTool | None = None
    body: asyncio.Task[ToolOutput] | None = None
    output: ToolOutput | None = None
    answered: bool = False


class Batch:
    """Runs the calls of one step, once."""

    def __init__(
        self,
        calls: Sequence[ToolCall],
        *,
        pipeline: Pipeline,
        find: Callable[[str], AnyTool | None],
        names: Callable[[], tuple[str, ...]],
        on_result: Callable[[ToolCall, ToolOutput], None],
        clock: Clock,
        most_at_once: int = MOST_AT_ONCE,
    ) -> None:
        self._entries = [Entry(call) for call in calls]
        self._open: deque[Entry] = deque()
        self._pipeline = pipeline
        self._find = find
        self._names = names
        self._on_result = on_result
        self._clock = clock
        self._most_at_once = most_at_once
        self._contexts: list[HookContext] = []
        self._undos: list[Callable[[], None]] = []
        self._overdue: list[asyncio.Task[None]] = []

    async def run(self) -> BatchOutcome:
        """Run everything, or as much as the signal allows, and answer the rest."""
        try:
            for entry in self._entries:
                if entry.call.signal.cancelled:
                    break
                await self._start(entry)
            await self._settle_all()
        except BaseException:  # raised again; what was begun is undone first
            await self._stop_bodies()
            raise
        finally:
            for undo in self._undos:
                undo()
            for late in self._overdue:
                late.cancel()
            self._answer_the_rest()
        outputs = [entry.output for entry in self._entries]
        concludes = bool(outputs) and all(output is not None and output.concludes for output in outputs)
        return BatchOutcome(tuple(self._contexts), concludes)

    async def _start(self, entry: Entry) -> None:
        call = entry.call
        definition, args, alone = self._classify(call)
        if alone and self._open:
            await self._settle_all()
            definition, args, alone = self._classify(call)
        await self._await_a_free_place()
        if call.signal.cancelled:
            return
        self._log_call(entry)
        self._open.append(entry)
        entry.definition = definition
        if definition is None:
            entry.output = unknown(call.name, self._names())
        elif isinstance(args, ToolOutput):
            entry.output = args
        else:
            entry.output = await self._pipeline.admit(call, definition)
            if entry.output is None:
                entry.body = asyncio.create_task(
                    self._pipeline.execute(call, definition, args), name=f"tool {call.name} {call.call_id}"
                )
                self._limit(entry.body, call.signal)
        if alone:
            await self._settle_all()

    def _classify(self, call: ToolCall) -> tuple[AnyTool | None, Any, bool]:  # Any: the tool's own model
        """The tool as it is now, its arguments (or their failure), and whether it runs alone."""
        definition = self._find(call.name)
        if definition is None:
            return None, None, True
        args = validated(call, definition)
        if isinstance(args, ToolOutput) or definition.is_concurrency_safe is None:
            return definition, args, True
        return definition, args, attempt(definition.is_concurrency_safe, args) is not True

    async def _await_a_free_place(self) -> None:
        while len(running := [body for body in self._bodies() if not body.done()]) >= self._most_at_once:
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)

    async def _settle_all(self) -> None:
        """Conclude and log the open calls in model order, each as soon as its body ended."""
        while self._open:
            entry = self._open[0]
            if entry.body is not None:
                entry.output = await _ended(entry.body)
            assert entry.output is not None
            conclusion = await self._pipeline.conclude(entry.call, entry.definition, entry.output)
            entry.output = conclusion.output
            self._contexts += conclusion.contexts
            self._open.popleft()
            self._log_result(entry)

    def _limit(self, body: asyncio.Task[ToolOutput], signal: CancelSignal) -> None:
        """A body that does not heed the signal is cancelled after the grace, and awaited even so."""

        async def cancel_late() -> None:
            await self._clock.sleep(GRACE)
            body.cancel()

        self._undos.append(signal.on_cancel(lambda: self._overdue.append(asyncio.create_task(cancel_late()))))

    def _log_call(self, entry: Entry) -> None:
        call = entry.call
        event = call.session.append(
            "tool/call",
            {
                "turn": call.turn,
                "step": call.step,
                "callId": call.call_id,
                "name": call.name,
                "arguments": call.arguments,
            },
        )
        entry.call_seq = event.seq

    def _log_result(self, entry: Entry) -> None:
        call, output = entry.call, entry.output
        assert output is not None
        assert entry.call_seq is not None
        data: dict[str, object] = {
            "turn": call.turn,
            "step": call.step,
            "id": new_id("msg"),
            "callId": call.call_id,
            "content": blocks_of(output),
            "isError": output.is_error,
        }
        if output.error is not None:
            data["error"] = output.error
        if output.meta is not None:
            data["meta"] = output.meta
        entry.answered = True
        call.session.append("tool/result", data, sources=(entry.call_seq,))
        self._on_result(call, output)

    async def _stop_bodies(self) -> None:
        """The batch itself is being ended, or failed: end the bodies with it, and wait for them."""
        bodies = [body for body in self._bodies() if not body.done()]
        for body in bodies:
            body.cancel()
        if bodies:
            await asyncio.wait(bodies)

    def _answer_the_rest(self) -> None:
        """Log a call and a result for every block that has none. No listener decides about them."""
        for entry in self._entries:
            if entry.answered:
                continue
            if entry.call_seq is None:
                self._log_call(entry)
            if entry.output is None:
                entry.output = _last_known(entry.body)
            self._log_result(entry)

    def _bodies(self) -> Iterator[asyncio.Task[ToolOutput]]:
        return (entry.body for entry in self._open if entry.body is not None)


async def _ended(body: asyncio.Task[ToolOutput]) -> ToolOutput:
    await asyncio.wait((body,))
    return aborted(None, dispatched=True) if body.cancelled() else body.result()


def _last_known(body: asyncio.Task[ToolOutput] | None) -> ToolOutput:
    if body is None:
        return aborted(None, dispatched=False)
    if not body.done() or body.cancelled() or body.exception() is not None:
        return aborted(None, dispatched=True)
    return body.result()
