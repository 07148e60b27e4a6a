"""Attention: tells a person who looks elsewhere that an approval waits, or that a long turn is over.

Once for each event, and never while the terminal has the focus. A terminal that does not report its
focus counts as left once nothing was typed for `AWAY_S`: what is still unseen then is told then. The
title is there all the time: it says what the session that is shown does.
Source: UX spec §1 (bell, notification); capabilities F (status).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from dsh_tui.engine.modes.mode import EXIT_PLAN_MODE
from dsh_tui.terminal import signals
from dsh_tui.terminal.signals import BELL, desktop, protocol_of, safe

if TYPE_CHECKING:
    from dsh_tui.engine.projection.views import ChatView
    from dsh_tui.engine.session.event import Event
    from dsh_tui.engine.session.session import Session

AWAY_S: Final = 60.0
_OVER: Final = {"completed": "✓ done", "max-tokens": "✓ done", "error": "✗ failed", "rejected": "✗ failed"}
"""How a turn may end by itself; who stopped it knows."""
_STATES: Final = {"running": "● running", "waiting": "◆ waiting", "stopping": "● stopping"}


@runtime_checkable
class Terminal(Protocol):
    """What of a driver is needed here."""

    def tell(self, data: str) -> None:
        """Write a sequence that draws nothing."""

    def show_title(self, text: str) -> None:
        """Name the window; empty: as it was called before."""


class Timer(Protocol):
    """What a wait can be ended with."""

    def stop(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionSettings:
    """What of it a person wants. ``desktop`` may name the protocol that their terminal takes."""

    bell: bool = True
    title: bool = True
    desktop: bool | signals.Protocol = True
    after_seconds: float = 15.0
    """A turn that took less is not told of: whoever asked still looks."""


@dataclass(frozen=True, slots=True)
class _News:
    project: str
    text: str


class Attention:
    """Follows the events of all open sessions, and the focus of the terminal."""

    def __init__(
        self,
        terminal: Callable[[], Terminal | None],
        *,
        monotonic: Callable[[], float],
        later: Callable[[float, Callable[[], None]], Timer],
        environ: Mapping[str, str],
    ) -> None:
        self._terminal, self._monotonic, self._later = terminal, monotonic, later
        self._environ = environ
        self._settings = AttentionSettings()
        self._focused: bool | None = None
        """None: the terminal has never said."""
        self._used_at = monotonic()
        self._unseen: dict[str, _News] = {}
        self._waiting: Timer | None = None
        self._started: dict[str, int] = {}
        self._view: ChatView | None = None
        self._over = ""
        self._title = ""

    @property
    def settings(self) -> AttentionSettings:
        return self._settings

    @settings.setter
    def settings(self, settings: AttentionSettings) -> None:
        self._settings = settings
        self._draw_title()

    # Where the person is

    def focus(self, has: bool) -> None:  # noqa: FBT001  # as the terminal says it
        """The terminal got the focus, or lost it."""
        self._focused = has
        if has:
            self._seen()

    def used(self) -> None:
        """A key, a click, a paste: somebody is there. The mouse alone also moves over what has no focus."""
        self._used_at = self._monotonic()
        if self._focused is not None:
            self._focused = True
        self._seen()

    def _seen(self) -> None:
        self._unseen.clear()
        if self._over:
            self._over = ""
            self._draw_title()

    # What happens

    def show(self, view: ChatView) -> None:
        """Another view of the session that is shown."""
        if self._view is not None and view.session_id != self._view.session_id:
            self._over = ""
        self._view = view
        self._draw_title()

    def follow(self, session: Session, event: Event) -> None:
        """An event of any open session."""
        match event.type:
            case "turn/start" if event.data["trigger"]["kind"] == "message":
                self._started[session.id] = event.time
                self._unseen.pop(session.id, None)
                if self._shows(session):
                    self._over = ""
            case "approval/asked":
                tool = event.data["toolName"]
                text = "a plan waits for review" if tool == EXIT_PLAN_MODE else f"approval waits: {tool}"
                self._raise(event.data["id"], session, text)
            case "approval/decided":
                self._unseen.pop(event.data["id"], None)
            case "turn/end":
                self._turn_end(session, event)

    def _turn_end(self, session: Session, event: Event) -> None:
        started = self._started.pop(session.id, None)
        word = _OVER.get(event.data["reason"]["kind"])
        if started is None or word is None or session.header.get("origin") == "subagent":
            return
        if event.time - started < self._settings.after_seconds * 1_000 or self._focused:
            return
        if self._shows(session):
            self._over = word
            self._draw_title()
        self._raise(session.id, session, f"turn {word[2:]}")

    def _shows(self, session: Session) -> bool:
        return self._view is not None and self._view.session_id == session.id

    def _raise(self, key: str, session: Session, text: str) -> None:
        if self._focused:
            return
        news = _News(Path(session.cwd or "").name, text)
        left = 0.0 if self._focused is False else AWAY_S - (self._monotonic() - self._used_at)
        if left <= 0:
            self._announce(news)
            return
        self._unseen[key] = news
        self._wait(left)

    def _wait(self, seconds: float) -> None:
        if self._waiting is None:
            self._waiting = self._later(seconds, self._look)

    def _look(self) -> None:
        """Tell what nobody came to see; somebody who typed meanwhile has seen what was there then."""
        self._waiting = None
        left = AWAY_S - (self._monotonic() - self._used_at)
        if self._unseen and left > 0:
            self._wait(left)
            return
        unseen, self._unseen = self._unseen, {}
        for news in unseen.values():
            self._announce(news)

    # What is told

    def _announce(self, news: _News) -> None:
        terminal, wanted = self._terminal(), self._settings
        protocol = protocol_of(self._environ) if wanted.desktop is True else wanted.desktop or None
        data = BELL if wanted.bell else ""
        if protocol is not None:
            head = f"dsh-tui · {news.project}" if news.project else "dsh-tui"
            data += desktop(head, news.text, protocol, in_tmux=bool(self._environ.get("TMUX")))
        if terminal is not None and data:
            terminal.tell(data)

    def _draw_title(self) -> None:
        title = self._words() if self._settings.title else ""
        terminal = self._terminal()
        if title != self._title and terminal is not None:
            self._title = title
            terminal.show_title(title)

    def _words(self) -> str:
        view = self._view
        if view is None:
            return ""
        state: str = view.status.state
        if view.approvals and not view.read_only:
            state = "waiting"
        said = self._over if state == "idle" else _STATES.get(state, "")
        project = safe(Path(view.cwd).name, 40)
        return " · ".join(filter(None, (said, safe(view.title, 60), project))) or "dsh-tui"
