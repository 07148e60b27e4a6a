"""A step: one answer of the model and the calls it asked for.

What the model is shown is fixed in one moment: the history is derived and ``step/start`` logged
with nothing in between, so the request is exactly what the log held before it. Whatever is
appended later joins the next request. After every wait the signal is asked.

Source: core spec §8.3, §8.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

from dsh_tui.engine.agent.decisions import Retry, RetryStep
from dsh_tui.engine.agent.events import (
    AGENT_PRE_STEP,
    AGENT_REQUEST,
    AGENT_REQUEST_ERROR,
    AGENT_STEP_RESULT,
    PreStep,
    RequestFailure,
)
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.base.ids import new_id
from dsh_tui.engine.llm.blocks import Block, ToolCallBlock, text_of
from dsh_tui.engine.llm.messages import Message, Source
from dsh_tui.engine.llm.request import ModelRequest
from dsh_tui.engine.loop.errors import RequestFailedError
from dsh_tui.engine.loop.react_agent import ReactAgent, context_data, steering_data
from dsh_tui.engine.loop.reply import Reply, stream_reply
from dsh_tui.engine.loop.request_log import RequestLog
from dsh_tui.engine.loop.services import LoopServices
from dsh_tui.engine.system_prompt.assembly import Assembly


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """How a step ended."""

    message: Message | None = None
    again: bool = False
    """The request failed and is to be made anew in the next step."""
    acted: bool = False
    """Tools ran, and none of them concludes the turn."""
    steered: bool = False
    """Somebody said something that the model has not seen yet."""
    truncated: bool = False
    """The answer hit the token limit."""

    @property
    def goes_on(self) -> bool:
        return self.acted or self.steered


class Step:
    """One step of one turn. Raises what ends the turn; the turn closes what is left open."""

    def __init__(
        self, agent: ReactAgent, services: LoopServices, requests: RequestLog, *, turn: int, number: int
    ) -> None:
        self._agent = agent
        self._session = agent.session
        self._signal = agent.signal
        self._services = services
        self._events = services.events
        self._requests = requests
        self._turn = turn
        self._number = number

    async def run(self) -> StepOutcome:
        assembly, prefix = await self._prepare()
        history = self._session.derive()
        self._session.append("step/start", {"turn": self._turn, "step": self._number})
        self._signal.check()
        request = await self._build_request(assembly, (*prefix, *history))
        reply = await self._ask(request)
        if reply is None:
            self._end()
            return StepOutcome(again=True)
        message = await self._finish(reply, request)
        acted = await self._act(message, reply)
        steered = self._read_steering()
        self._end()
        return StepOutcome(message=message, acted=acted, steered=steered, truncated=reply.truncated)

    async def _prepare(self) -> tuple[Assembly, tuple[Message, ...]]:
        """Everything that stands in front of the history, before the step opens."""
        self._read_steering()
        assembly = await self._services.system_prompt.assemble(self._agent)
        self._signal.check()
        prefix = await self._requests.prefix(self._events, self._signal)
        upcoming = PreStep(
            turn=self._turn,
            step=self._number,
            system=assembly.system,
            tools=assembly.tools,
            prefix=prefix,
            signal=self._signal,
        )
        await self._events.serial(AGENT_PRE_STEP, upcoming)
        self._signal.check()
        return assembly, prefix

    async def _build_request(self, assembly: Assembly, messages: tuple[Message, ...]) -> ModelRequest:
        """The request, frozen, with its header in the log."""
        seed = self._agent.choice.seed()
        config = freeze(await self._events.decide(AGENT_REQUEST, seed, self._turn, self._number, seed))
        self._signal.check()
        window = self._services.llm.context_window(config["provider"], config["model"])
        self._requests.record(config, assembly, window)
        self._agent.choice.settled()
        return ModelRequest(
            config=config,
            messages=messages,
            system=assembly.system or None,
            tools=assembly.tools,
            session_id=self._session.id,
            signal=self._signal,
        )

    async def _ask(self, request: ModelRequest) -> Reply | None:
        """Send the request, the very same again for each `Retry`. None: try in a new step.

        Raises:
            Cancelled: the signal fired; what could be read of the answer is logged.
            RequestFailedError: there is no answer, and nobody wants to try again.
        """
        attempt = 0
        while True:
            attempt += 1
            reply = await stream_reply(self._services.llm, request, self._session, self._turn, self._number)
            if self._signal.cancelled:
                self._record_interrupted(_message(reply.assembler.interrupted_blocks(), request), reply)
            self._signal.check()
            if reply.failure is None:
                return reply
            failed = RequestFailure(
                turn=self._turn,
                step=self._number,
                attempt=attempt,
                config=request.config,
                failure=reply.failure,
                signal=self._signal,
            )
            decision = await self._events.decide(AGENT_REQUEST_ERROR, None, failed)
            self._signal.check()
            match decision:
                case Retry():
                    continue
                case RetryStep():
                    return None
                case _:
                    raise RequestFailedError(reply.failure)

    async def _finish(self, reply: Reply, request: ModelRequest) -> Message:
        """The answer as the listeners leave it."""
        made = _message(reply.assembler.blocks(), request)
        message = freeze(await self._events.decide(AGENT_STEP_RESULT, made, made))
        if self._signal.cancelled:
            self._record_interrupted(message, reply)
        self._signal.check()
        return message

    async def _act(self, message: Message, reply: Reply) -> bool:
        """Log the answer and run its calls; true if the model should see what came of them."""
        calls = [block for block in message["content"] if _is_call(block)]
        if not calls:
            self._record(message, reply)
            return False
        with self._agent.holding_injections():
            self._record(message, reply)
            outcome = await self._services.tools.run_batch(
                self._agent, self._turn, self._number, calls, self._signal
            )
            for context in outcome.contexts:
                self._session.append("context/message", context_data(context.content, context.source))
        self._signal.check()
        return not outcome.concludes

    def _record_interrupted(self, message: Message, reply: Reply) -> None:
        """Keep what the user saw of an answer that was stopped; its calls never ran and are left out."""
        kept = tuple(block for block in message["content"] if not _is_call(block))
        if text_of(kept).strip():
            rest = Message(id=message["id"], role="assistant", content=kept, source=message["source"])
            self._record(freeze(rest), reply, interrupted=True)

    def _record(self, message: Message, reply: Reply, *, interrupted: bool = False) -> None:
        data: dict[str, Any] = {  # Any: JSON of the event
            "turn": self._turn,
            "step": self._number,
            "id": message["id"],
            "content": message["content"],
            "source": message["source"],
        }
        if reply.assembler.usage is not None:
            data["usage"] = reply.assembler.usage
        if interrupted:
            data["interrupted"] = True
        self._session.append("assistant/message", data, sources=reply.chunk_seqs)

    def _read_steering(self) -> bool:
        steering = self._agent.inbox.take_steering()
        for said in steering:
            data = steering_data(self._turn, said.content, said.source, message_id=said.id)
            self._session.append("steering/message", data)
        return bool(steering)

    def _end(self) -> None:
        self._session.append("step/end", {"turn": self._turn, "step": self._number})


def _message(blocks: tuple[Block, ...], request: ModelRequest) -> Message:
    source = Source(kind="model", provider=request.config["provider"], model=request.config["model"])
    return freeze(Message(id=new_id("msg"), role="assistant", content=blocks, source=source))


def _is_call(block: Block) -> TypeGuard[ToolCallBlock]:
    return block["type"] == "tool-call"
