"""A session as its screen sees it: all folds behind one ``apply``.

Live, resumed and replayed sessions go through this, event by event; nothing else feeds a screen.
Source: design §2 (prompt to pixels), core spec §3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dsh_tui.engine.llm.prices import PriceOf, no_price
from dsh_tui.engine.projection.approvals import ApprovalsFold
from dsh_tui.engine.projection.spending import SpendingFold
from dsh_tui.engine.projection.status import StatusFold
from dsh_tui.engine.projection.title import TitleFold
from dsh_tui.engine.projection.todos import TodosFold
from dsh_tui.engine.projection.transcript import TranscriptFold
from dsh_tui.engine.projection.views import AgentState, ChatView
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.log import EventLog
from dsh_tui.engine.session.pack import ChunkRun, Row


class SessionFold:
    """Everything that one session's screen shows; ``generation`` tells one fold from the next."""

    __slots__ = (
        "_cwd",
        "_routes",
        "_session_id",
        "approvals",
        "generation",
        "spending",
        "status",
        "title",
        "todos",
        "transcript",
    )

    def __init__(
        self,
        header: Mapping[str, Any],  # Any: JSON of the header
        *,
        generation: int = 0,
        price_of: PriceOf = no_price,
    ) -> None:
        self._session_id = str(header.get("id", ""))
        self._cwd = str(header.get("cwd") or "")
        self.generation = generation
        self.spending = SpendingFold(price_of)
        self.transcript = TranscriptFold(self.spending)
        self.status = StatusFold(self.spending)
        self.todos = TodosFold()
        self.approvals = ApprovalsFold(self._session_id)
        self.title = TitleFold()
        routes: dict[str, list[Callable[[Event], None]]] = {}
        for fold in (self.spending, self.transcript, self.status, self.todos, self.approvals, self.title):
            for type_, route in fold.routes.items():
                routes.setdefault(type_, []).append(route)
        routes["session/cwd"] = [self._move]
        self._routes = {type_: tuple(each) for type_, each in routes.items()}

    def apply(self, event: Event) -> None:
        """Fold one event in; types that no fold knows change nothing."""
        for route in self._routes.get(event.type, ()):
            route(event)

    def apply_all(self, events: Sequence[Event], start: int = 0) -> None:
        """Fold in a whole log, or what of it stands from ``start`` on. Packed runs are not unpacked."""
        self.apply_rows(events.rows(start) if isinstance(events, EventLog) else events[start:])

    def apply_rows(self, rows: Iterable[Row]) -> None:
        """Fold in events and runs, in order."""
        routes = self._routes
        for row in rows:
            if isinstance(row, ChunkRun):
                self.transcript.apply_run(row)
                self.status.apply_run(row)
            else:
                for route in routes.get(row.type, ()):
                    route(row)

    def _move(self, event: Event) -> None:
        self._cwd = event.data["cwd"]

    def view(
        self,
        *,
        queue: tuple[str, ...] = (),
        queue_paused: bool = False,
        read_only: str = "",
        state: AgentState | None = None,
    ) -> ChatView:
        """The screen's view now. Takes the transcript's dirty mark: call it once per post.

        ``state`` is the agent's own word (``stopping``, ``disposed``) where the log can't know it.
        """
        dirty = self.transcript.take_dirty()
        blocks = self.transcript.blocks
        return ChatView(
            session_id=self._session_id,
            title=self.title.title,
            cwd=self._cwd,
            blocks=blocks,
            changed_from=len(blocks) if dirty is None else dirty,
            generation=self.generation,
            status=self.status.view(state),
            todos=self.todos.todos,
            approvals=self.approvals.approvals,
            queue=queue,
            queue_paused=queue_paused,
            read_only=read_only,
        )
