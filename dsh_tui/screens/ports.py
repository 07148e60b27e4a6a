"""What screens may ask of the engine, and nothing more. The bridge implements it; tests have a fake.

Intents return at once; what they cause comes back as a new `ChatView`. Only listing,
previewing, opening and saving wait, because they touch the disk.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Protocol

from dsh_tui.engine.projection.views import (
    AnswerIntent,
    BlockView,
    ChatView,
    ModelRow,
    ProposalView,
    SessionHits,
    SessionRow,
)

if TYPE_CHECKING:
    from dsh_tui.engine.projection.compaction_views import CompactionForecast
    from dsh_tui.engine.projection.permission_views import DryRunView, LedgerView, RuleRow
    from dsh_tui.engine.projection.request_views import ForecastView
    from dsh_tui.engine.projection.requests import RequestBook
    from dsh_tui.engine.projection.timeline import Timeline
    from dsh_tui.engine.projection.trust_views import TrustAnswer, TrustQuestion


class LibraryPort(Protocol):
    """The stored sessions of both homes. What cannot be done raises, with one clear line."""

    def watch(self) -> AsyncIterator[Sequence[SessionRow]]:
        """All of them, newest first: what is known at once, then again whenever that changes."""
        ...

    async def search(self, words: str, cwd: str | None) -> SessionHits:
        """Where all words were said, newest first; in one directory or in all."""
        ...

    async def preview(self, session_id: str) -> Sequence[BlockView]:
        """The blocks of a session, read without opening it."""
        ...

    async def rename(self, session_id: str, title: str) -> None: ...

    async def delete(self, session_id: str) -> None:
        """Move it to the trash; `restore` brings it back."""
        ...

    async def restore(self, session_id: str) -> None: ...

    async def export(self, session_id: str, target: str) -> None:
        """Write a new file: ``.md``, ``.jsonl`` or ``.zip``."""
        ...

    async def repair(self, session_id: str) -> str:
        """Make a repaired copy of a damaged one; its id."""
        ...


class HistoryPort(Protocol):
    """What happened in the session that is shown. Both take a moment the first time."""

    async def requests(self) -> RequestBook:
        """What the model was sent, step by step."""
        ...

    async def forecast_model(
        self, now: tuple[str, str, str], then: tuple[str, str, str]
    ) -> ForecastView | None:
        """What another provider, model and effort would cost the next request; None before the first."""
        ...

    async def timeline(self) -> Timeline:
        """Any point of it, read-only."""
        ...


class TrustPort(Protocol):
    """What the project of the shown session brings along, and whether it may take effect."""

    async def question(self) -> TrustQuestion:
        """All of it, as it is now."""
        ...

    async def answer(self, question_id: str, answer: TrustAnswer) -> None:
        """Answer for exactly what was shown. Raises with one clear line when it could not be kept."""
        ...


class CompactionPort(Protocol):
    """A summary in the place of the early history. What cannot be done raises, with one clear line."""

    def forecast(self) -> CompactionForecast:
        """What it would do to the session that is shown."""
        ...

    def begin(self, keep: str) -> None:
        """Do it; ``keep`` is what the summary must not lose."""
        ...


class PermissionsPort(Protocol):
    """Rules and decisions. What cannot be done raises, with one clear line."""

    async def rules(self) -> Sequence[RuleRow]:
        """Those in force, nearest scope first."""
        ...

    async def revoke(self, row: RuleRow) -> None:
        """Take it out of force; `restore` brings it back."""
        ...

    async def restore(self, row: RuleRow) -> None: ...

    def decisions(self) -> AsyncIterator[LedgerView]:
        """All past ones of all sessions: what is known at once, then again as logs are read."""
        ...

    async def try_rule(self, text: str) -> DryRunView:
        """What this rule would have made of them."""
        ...


class AccessPort(Protocol):
    """What it takes to ask a model. What could not be kept raises, with one clear line."""

    @property
    def needs_key(self) -> bool:
        """Whether nothing can be asked until a key or a server is given."""
        ...

    async def save_key(self, key: str) -> None:
        """Keep the key in the credential store and use it from now on."""
        ...

    async def save_base_url(self, url: str) -> None:
        """Use an OpenAI-compatible server from now on."""
        ...


class ChatPort(Protocol):
    """The intents of the app. A front end holds exactly one."""

    @property
    def view(self) -> ChatView:
        """What the chat screen shows now."""
        ...

    def send(self, text: str) -> None:
        """Send when idle; while a turn runs, wait in the queue."""
        ...

    def steer(self, text: str) -> None:
        """Give to the running turn at its next step; when idle, as `send`."""
        ...

    def cancel(self) -> None:
        """Interrupt the turn and pause the queue. Nothing in the queue is lost."""
        ...

    def answer(self, approval_id: str, answer: AnswerIntent) -> None:
        """Answer a waiting approval; an unknown or answered id changes nothing, and that is told."""
        ...

    async def proposal(self, approval_id: str) -> ProposalView:
        """The rules that could be kept with an allow; looks through past calls, so it may take a moment."""
        ...

    def unqueue(self, index: int) -> str:
        """Take a waiting prompt out of the queue and return it.

        Raises:
            IndexError: it has been sent already.
        """
        ...

    def resume_queue(self) -> None:
        """Let a paused queue go on."""
        ...

    def models(self) -> Sequence[ModelRow]: ...

    def select_model(self, provider: str, model: str, effort: str) -> None: ...

    def select_mode(self, mode: str) -> None:
        """One of the modes by name; the caller got the acknowledgement for ``full``."""
        ...

    def offers_mode(self, mode: str) -> bool:
        """Whether the mode can be chosen on this machine."""
        ...

    @property
    def library(self) -> LibraryPort:
        """The stored sessions."""
        ...

    @property
    def access(self) -> AccessPort:
        """Keys and servers."""
        ...

    @property
    def trust(self) -> TrustPort:
        """Of the project that is worked in."""
        ...

    @property
    def permissions(self) -> PermissionsPort:
        """Rules in force for the session that is shown, and the decisions of all."""
        ...

    @property
    def compaction(self) -> CompactionPort:
        """Of the session that is shown."""
        ...

    @property
    def history(self) -> HistoryPort:
        """Of the session that is shown now."""
        ...

    async def open_session(self, session_id: str) -> None: ...

    async def new_session(self) -> None: ...

    async def fork_session(self, session_id: str, boundary: int | None = None) -> None:
        """Open a new session that starts as a copy, up to and with seq ``boundary``."""
        ...

    async def move_session(self, directory: str) -> None:
        """Let the session that lost its directory go on in this one; its log says so.

        Raises:
            Exception: with one clear line, where one can't work there either.
        """
        ...

    @property
    def leaves_recording(self) -> bool:
        """Whether the bundled recording is shown and a session can begin instead."""
        ...

    def leave_recording(self, then: str = "") -> bool:
        """From the bundled recording to a new session, which gets ``then``; False: nothing was done."""
        ...

    def rename(self, title: str) -> None: ...

    async def close(self) -> None:
        """Stop agents, flush, release leases. The app leaves when this returns."""
        ...
