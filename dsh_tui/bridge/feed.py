"""The feed: follows one log, folds what is new, and posts views at a pace that a screen can draw.

There is no queue of events: the log is the queue, and the feed keeps its place in it. So nothing is
ever dropped, and a burst of thousands of events costs one fold and one view.
Source: design §2 (at most 30 posts a second), §6 (levers).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dsh_tui.bridge.session_history import SessionHistory
from dsh_tui.engine.llm.prices import PriceOf, no_price
from dsh_tui.engine.projection.session import SessionFold
from dsh_tui.engine.projection.views import ChatView
from dsh_tui.engine.session.event import Event

POSTS_PER_SECOND = 15


class Feed:
    """Views of the log that it follows. Posts nothing while nothing happens.

    ``draw`` makes a view of the fold with what only the front end knows (queue, mode, state).
    """

    def __init__(
        self,
        draw: Callable[[SessionFold], ChatView],
        post: Callable[[ChatView], None],
        price_of: PriceOf = no_price,
    ) -> None:
        self._draw = draw
        self._post = post
        self._price_of = price_of
        self._fold = SessionFold({})
        self._events: Sequence[Event] = ()
        self.history = SessionHistory({}, ())
        self._cursor = 0
        self._timer: asyncio.TimerHandle | None = None
        self._next_post = 0.0
        self._ended = False
        self.view = self._fold.view()

    @property
    def generation(self) -> int:
        """Grows when another log is followed."""
        return self._fold.generation

    def follow(self, header: Mapping[str, Any], events: Sequence[Event]) -> None:  # Any: JSON of the header
        """Go over to another log and post it whole."""
        self._fold = SessionFold(header, generation=self.generation + 1, price_of=self._price_of)
        self._events, self._cursor = events, 0
        self.history = SessionHistory(header, events, self._price_of)
        self.post()

    def note_progress(self, call_id: str, line: str) -> None:
        """Show what a running call printed last; the log gets it with the result only."""
        self._fold.transcript.note_progress(call_id, line)
        self.schedule()

    def schedule(self) -> None:
        """Post soon: at once after a pause, else when the pace allows it."""
        if self._timer is None and not self._ended:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(self._next_post, loop.time()), self.post)

    def post(self) -> None:
        """Fold what is new and post now."""
        self._unschedule()
        self._next_post = asyncio.get_running_loop().time() + 1 / POSTS_PER_SECOND
        end = len(self._events)
        self._fold.apply_all(self._events, self._cursor)
        self._cursor = end
        self.view = self._draw(self._fold)
        self._post(self.view)

    def end(self) -> None:
        """No more posts that are scheduled: what a view is drawn from goes away."""
        self._ended = True
        self._unschedule()

    def _unschedule(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
