"""The status bar's facts, folded: model, mode, state, context, tokens, retry.

Source: core spec §3; ux spec §1b (cache and silence).
"""

from __future__ import annotations

from collections.abc import Callable

from dsh_tui.engine.llm.usage import prompt_tokens, usage_of
from dsh_tui.engine.modes.mode import DEFAULT_MODE
from dsh_tui.engine.projection.spending import SpendingFold
from dsh_tui.engine.projection.views import AgentState, RetryView, StatusView
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.pack import ChunkRun
from dsh_tui.engine.session.request_header import config_of


class StatusFold:
    """Facts about the session as a whole; ``view`` is cheap and can be taken at any time."""

    __slots__ = (
        "_context_used", "_context_window", "_effort", "_heard", "_mode", "_model",
        "_provider", "_retry", "_spending", "_summarising", "_turn_started", "_turns", "_waiting",
        "routes",
    )  # fmt: skip

    def __init__(self, spending: SpendingFold) -> None:
        self._spending = spending
        self._provider = self._model = self._effort = ""
        self._mode: str = DEFAULT_MODE
        self._turn_started: int | None = None
        self._heard: int | None = None
        self._waiting: set[str] = set()
        self._context_used = self._turns = 0
        self._context_window: int | None = None
        self._retry: RetryView | None = None
        self._summarising = False
        self.routes: dict[str, Callable[[Event], None]] = {
            "assistant/chunk": self._chunk,
            "assistant/message": self._message,
            "request/header": self._configure,
            "request/header-delta": self._configure,
            "request/context": self._context,
            "model/selected": self._selected,
            "permission/mode": self._permission_mode,
            "turn/start": self._turn_start,
            "turn/end": self._turn_end,
            "step/start": self._chunk,
            "step/end": self._step_end,
            "approval/asked": self._asked,
            "approval/decided": self._decided,
            "llm/retry": self._retrying,
            "llm/retry-started": self._retry_started,
            "compact/start": self._compact,
            "compact/prune": self._shrunk,
            "compact/retry": self._retrying,
            "request/one-shot": self._asked_beside,
            "compact/summary": self._shrunk,
            "compact/end": self._compact,
        }

    def apply(self, event: Event) -> None:
        """Fold one event in."""
        route = self.routes.get(event.type)
        if route is not None:
            route(event)

    def apply_run(self, run: ChunkRun) -> None:
        """Fold a run of deltas in: only its end counts."""
        self._heard = run.times[-1]

    def view(self, state: AgentState | None = None) -> StatusView:
        """The facts now. ``state`` is what the agent says of itself, where one lives."""
        spent = self._spending.session
        return StatusView(
            model=self._model,
            provider=self._provider,
            effort=self._effort,
            mode=self._mode,
            state=self._state(state),
            turn_started=self._turn_started,
            last_activity=self._heard,
            context_used=self._context_used,
            context_window=self._context_window,
            cache_percent=spent.cache_percent,
            tokens_in=spent.sent,
            tokens_out=spent.received,
            cost=spent.cost,
            turns=self._turns,
            retry=self._retry,
            summarising=self._summarising,
        )

    def _state(self, told: AgentState | None) -> AgentState:
        if told in ("stopping", "disposed"):
            return told
        if self._turn_started is None:
            return told or "idle"
        return "waiting" if self._waiting else "running"

    def _chunk(self, event: Event) -> None:
        self._heard = event.time

    def _step_end(self, _event: Event) -> None:
        self._heard = None

    def _message(self, event: Event) -> None:
        self._heard = None
        usage = usage_of(event.data.get("usage"))
        if usage is not None:
            self._context_used = prompt_tokens(usage) + usage["outputTokens"]

    def _configure(self, event: Event) -> None:
        config = config_of(event)
        if config:
            self._provider = str(config.get("provider", self._provider))
            self._model = str(config.get("model", self._model))
            self._effort = str(config.get("reasoningEffort") or "")

    def _context(self, event: Event) -> None:
        self._context_window = event.data.get("contextWindow")

    def _selected(self, event: Event) -> None:
        data = event.data
        self._provider, self._model = str(data.get("provider", "")), str(data.get("model", ""))
        self._effort = str(data.get("effort") or "")

    def _permission_mode(self, event: Event) -> None:
        self._mode = str(event.data.get("mode", DEFAULT_MODE))

    def _turn_start(self, event: Event) -> None:
        self._turn_started = event.time
        if (event.data.get("trigger") or {}).get("kind") == "message":
            self._turns += 1

    def _turn_end(self, _event: Event) -> None:
        self._turn_started = self._heard = self._retry = None
        self._summarising = False
        self._waiting.clear()

    def _asked(self, event: Event) -> None:
        self._waiting.add(event.data["id"])

    def _decided(self, event: Event) -> None:
        self._waiting.discard(event.data["id"])

    def _retrying(self, event: Event) -> None:
        data = event.data
        self._heard = None
        self._retry = RetryView(
            attempt=int(data.get("retry") or 1),
            limit=data.get("maxRetries"),
            due=event.time + int(data.get("delayMs") or 0),
            message=str((data.get("failure") or {}).get("message") or ""),
        )

    def _compact(self, event: Event) -> None:
        self._summarising = event.type == "compact/start"
        self._retry = None

    def _asked_beside(self, _event: Event) -> None:
        if self._summarising:  # no retry of the conversation waits meanwhile
            self._retry = None

    def _shrunk(self, event: Event) -> None:
        saved = event.data["tokensBefore"] - event.data["tokensAfter"]
        self._context_used = max(0, self._context_used - saved)

    def _retry_started(self, event: Event) -> None:
        self._retry = None
        self._heard = event.time
