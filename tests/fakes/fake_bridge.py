"""A port without an engine: it records what it is asked and shows scripted views."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

from dsh_tui.bridge.session_history import SessionHistory
from dsh_tui.engine.projection.compaction_views import CompactionForecast
from dsh_tui.engine.projection.cost import CostView
from dsh_tui.engine.projection.trust_views import TrustAnswer, TrustQuestion
from dsh_tui.engine.projection.views import (
    AnswerIntent,
    BlockView,
    ChatView,
    ModelRow,
    ProposalView,
    SessionHit,
    SessionHits,
    SessionRow,
    StatusView,
)
from tests.fakes.fake_permissions import FakePermissions

Asked = tuple[object, ...]


class FakeLibrary:
    """Implements `LibraryPort` over rows that a test sets; `change` tells whoever watches."""

    def __init__(self, asked: list[Asked], fails: dict[str, Exception]) -> None:
        self.rows: list[SessionRow] = []
        self.previews: dict[str, Sequence[BlockView]] = {}
        self.said: dict[str, str] = {}
        """What can be found in which session."""
        self._asked, self._fails = asked, fails
        self._deleted: dict[str, tuple[int, SessionRow]] = {}
        self._changed = asyncio.Event()

    def change(self, rows: Sequence[SessionRow]) -> None:
        self.rows = list(rows)
        self._changed.set()

    async def watch(self) -> AsyncIterator[Sequence[SessionRow]]:
        while True:
            yield tuple(self.rows)
            if "watch" in self._fails:
                raise self._fails["watch"]
            await self._changed.wait()
            self._changed.clear()

    async def search(self, words: str, cwd: str | None) -> SessionHits:
        if "search" in self._fails:
            raise self._fails["search"]
        found = [
            SessionHit(session_id=row.id, seq=1, speaker="user", text=text, marks=((at, at + len(words)),))
            for row in self.rows
            if (at := (text := self.said.get(row.id, "")).find(words)) >= 0 and cwd in (None, row.cwd)
        ]
        return SessionHits(tuple(found), len(found))

    async def preview(self, session_id: str) -> Sequence[BlockView]:
        return self.previews.get(session_id, ())

    async def rename(self, session_id: str, title: str) -> None:
        self._note("rename_session", session_id, title)
        self.change([row._replace(title=title) if row.id == session_id else row for row in self.rows])

    async def delete(self, session_id: str) -> None:
        self._note("delete", session_id)
        at = next(at for at, row in enumerate(self.rows) if row.id == session_id)
        self._deleted[session_id] = (at, self.rows[at])
        self.change([row for row in self.rows if row.id != session_id])

    async def restore(self, session_id: str) -> None:
        self._note("restore", session_id)
        at, row = self._deleted.pop(session_id)
        self.change([*self.rows[:at], row, *self.rows[at:]])

    async def export(self, session_id: str, target: str) -> None:
        self._note("export", session_id, target)

    async def repair(self, session_id: str) -> str:
        self._note("repair", session_id)
        return f"{session_id}-repaired"

    def _note(self, what: str, *values: object) -> None:
        self._asked.append((what, *values))
        if what in self._fails:
            raise self._fails[what]


class FakeTrust:
    """Implements `TrustPort` over a question that a test sets."""

    def __init__(self, asked: list[Asked], fails: dict[str, Exception]) -> None:
        self.asking = TrustQuestion(id="q1", project="/work/payments-api")
        self._asked, self._fails = asked, fails
        self.readings = 0
        self.readable = asyncio.Event()
        """Not set: whoever asks for the question waits."""
        self.readable.set()

    async def question(self) -> TrustQuestion:
        self.readings += 1
        await self.readable.wait()
        if "question" in self._fails:
            raise self._fails["question"]
        return self.asking

    async def answer(self, question_id: str, answer: TrustAnswer) -> None:
        self._asked.append(("trust", question_id, answer))
        if "trust" in self._fails:
            raise self._fails["trust"]


class FakeCompaction:
    """Implements `CompactionPort` over a forecast that a test sets."""

    def __init__(self, asked: list[Asked], fails: dict[str, Exception]) -> None:
        self.told = CompactionForecast(
            messages=42,
            tokens=182_400,
            kept_messages=9,
            kept_tokens=24_300,
            uncached=25_800,
            cost=CostView((("USD", 0.0039),)),
        )
        self._asked, self._fails = asked, fails

    def forecast(self) -> CompactionForecast:
        if "forecast" in self._fails:
            raise self._fails["forecast"]
        return self.told

    def begin(self, keep: str) -> None:
        self._asked.append(("compact", keep))


class FakeAccess:
    """Implements `AccessPort`: there is a key, unless a test says otherwise."""

    def __init__(self, asked: list[Asked], fails: dict[str, Exception]) -> None:
        self.needs_key = False
        self._asked, self._fails = asked, fails

    async def save_key(self, key: str) -> None:
        if "save_key" in self._fails:
            raise self._fails["save_key"]
        self._asked.append(("save_key", key))
        self.needs_key = False

    async def save_base_url(self, url: str) -> None:
        self._asked.append(("save_base_url", url))
        self.needs_key = False


class FakeBridge:
    """Implements `ChatPort`. `change` posts another view, as the real one would."""

    def __init__(self, view: ChatView | None = None, *, cwd: str = "/work/payments-api") -> None:
        self._view = view or empty_view(cwd)
        self.refused_modes: set[str] = set()
        self.asked: list[Asked] = []
        self.model_rows: list[ModelRow] = []
        self.fails: dict[str, Exception] = {}
        self.proposals: dict[str, ProposalView] = {}
        """By the approval's id."""
        self.access = FakeAccess(self.asked, self.fails)
        self.library = FakeLibrary(self.asked, self.fails)
        self.permissions = FakePermissions(self.asked, self.fails)
        self.trust = FakeTrust(self.asked, self.fails)
        self.compaction = FakeCompaction(self.asked, self.fails)
        self.history = SessionHistory({}, ())
        self.post: Callable[[ChatView], None] = lambda view: None
        self.closed = False

    @property
    def view(self) -> ChatView:
        return self._view

    def change(self, **changes: object) -> None:
        """Post the view with other values; blocks count as changed from the first when given."""
        changes.setdefault("changed_from", 0 if "blocks" in changes else len(self._view.blocks))
        self._view = replace(self._view, **changes)  # type: ignore[arg-type] # names are checked by replace
        self.post(self._view)

    def status(self, **changes: object) -> None:
        """Post the view with another status."""
        self.change(status=replace(self._view.status, **changes))  # type: ignore[arg-type] # as above

    def send(self, text: str) -> None:
        self.asked.append(("send", text))
        if self._view.status.state in ("running", "waiting", "stopping"):
            self.change(queue=(*self._view.queue, text))

    def steer(self, text: str) -> None:
        self.asked.append(("steer", text))

    def cancel(self) -> None:
        self.asked.append(("cancel",))
        self.change(status=replace(self._view.status, state="stopping"), queue_paused=bool(self._view.queue))

    def answer(self, approval_id: str, answer: AnswerIntent) -> None:
        self.asked.append(("answer", approval_id, answer))
        self.change(approvals=tuple(a for a in self._view.approvals if a.id != approval_id))

    async def proposal(self, approval_id: str) -> ProposalView:
        self.asked.append(("proposal", approval_id))
        if "proposal" in self.fails:
            raise self.fails["proposal"]
        return self.proposals.get(approval_id, ProposalView(why_not="nothing is offered here"))

    def unqueue(self, index: int) -> str:
        queue = list(self._view.queue)
        text = queue.pop(index)
        self.asked.append(("unqueue", index))
        self.change(queue=tuple(queue))
        return text

    def resume_queue(self) -> None:
        self.asked.append(("resume_queue",))
        self.change(queue_paused=False)

    def models(self) -> Sequence[ModelRow]:
        return self.model_rows

    def select_model(self, provider: str, model: str, effort: str) -> None:
        self.asked.append(("select_model", provider, model, effort))
        self.status(provider=provider, model=model, effort=effort)

    def select_mode(self, mode: str) -> None:
        self.asked.append(("select_mode", mode))
        self.status(mode=mode)

    def offers_mode(self, mode: str) -> bool:
        return mode not in self.refused_modes

    async def open_session(self, session_id: str) -> None:
        self.asked.append(("open_session", session_id))
        if "open_session" in self.fails:
            raise self.fails["open_session"]

    async def fork_session(self, session_id: str, boundary: int | None = None) -> None:
        self.asked.append(("fork_session", session_id, boundary))
        if "fork_session" in self.fails:
            raise self.fails["fork_session"]

    async def move_session(self, directory: str) -> None:
        self.asked.append(("move_session", directory))
        if "move_session" in self.fails:
            raise self.fails["move_session"]
        self.change(lost_directory="", read_only="", cwd=directory)

    async def new_session(self) -> None:
        self.asked.append(("new_session",))

    def leave_recording(self, then: str = "") -> bool:
        if self.leaves_recording:
            self.asked.append(("leave_recording", then))
        return self.leaves_recording

    @property
    def leaves_recording(self) -> bool:
        return self._view.read_only.startswith("recording") and not self.access.needs_key

    def rename(self, title: str) -> None:
        self.asked.append(("rename", title))
        self.change(title=title)

    async def close(self) -> None:
        self.closed = True


def empty_view(cwd: str = "/work/payments-api") -> ChatView:
    """A session in which nothing was said."""
    status = StatusView(model="deepseek-flash", provider="deepseek", effort="high", context_window=128_000)
    return ChatView(
        session_id="s1", title="", cwd=cwd, blocks=(), changed_from=0, generation=1, status=status
    )
