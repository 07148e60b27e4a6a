"""What ``exec`` tells a person who waits at a terminal: why there is no answer yet, one line each.

Scripts get the outcome alone. Views take a while to load and few runs need one, so they are imported
where they are. Source: core spec §8.5, §10.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dsh_tui.engine.frontends.speak import complain
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_EVENT

if TYPE_CHECKING:
    from dsh_tui.engine.projection.compaction_views import CompactionView


def say_waits(root: Context) -> None:
    """From here on: each retry, and how each compaction went."""
    if sys.stderr.isatty():
        root.on(SESSION_EVENT, Waits().tell, everywhere=True)


class Waits:
    """A listener that says each of them on stderr."""

    def __init__(self) -> None:
        self._compaction: CompactionView | None = None

    def tell(self, _session: Session, event: Event) -> None:
        if event.type in ("llm/retry", "compact/retry"):
            from dsh_tui.engine.projection.notices import retry_notice

            notice = retry_notice(event.seq, event.data)
            complain(f"{notice.text} · {notice.hint}", 0)
        elif event.type.startswith("compact/"):
            from dsh_tui.engine.projection.compactions import told, words

            self._compaction = told(None if event.type == "compact/start" else self._compaction, event)
            if event.type == "compact/end":
                complain(words(self._compaction), 0)
