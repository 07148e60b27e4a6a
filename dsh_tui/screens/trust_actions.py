"""When the question of folder trust comes up on the chat screen: asked for, or by itself once it is quiet.

It never takes the keys from somebody who types, works or answers: it waits for an empty draft, an idle
session and `FOCUS_QUIET` without a key, and what is typed on it goes to the draft.
Source: design §3.14; UX spec §4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from textual import events, work
from textual.timer import Timer

from dsh_tui.screens.chat_part import ChatPart

if TYPE_CHECKING:
    from dsh_tui.engine.projection.trust_views import TrustAnswer
    from dsh_tui.widgets.first_run_panel import FirstRunPanel

LOOK_S: Final = 0.25
"""How often it is looked whether one may ask."""


class TrustActions(ChatPart):
    """The question's wiring; composer and dock are composed by `ChatScreen`."""

    first_run: FirstRunPanel
    _trust_timer: Timer | None = None
    _trust_reading: Literal["", "under way", "failed"] = ""
    """Of what is to be asked: it may take longer than from one look to the next."""

    def action_trust_show(self) -> None:
        self._ask_for_trust()

    def trust_considered(self) -> None:
        """The view is another: wait for the moment to ask, if it says so."""
        wanted = self.shown is not None and self.shown.asks_trust
        if wanted and self._trust_timer is None:
            self._trust_timer = self.set_interval(LOOK_S, self.ask_when_quiet)
        elif not wanted and self._trust_timer is not None:
            self._trust_timer.stop()
            self._trust_timer = None

    def ask_when_quiet(self) -> None:
        """Ask now if nobody types, works or answers."""
        if (
            self.shown is not None
            and self.shown.asks_trust
            and not self._trust_reading
            and self.app.screen is self
            and not self.composer.text
            and not self.composer.searching
            and self.focused in (self.composer, self.first_run, None)
            and self.dock.pending is None
            and self.shown.status.state == "idle"
            and self.dock.arming.until_focus() == 0
        ):
            self._ask_for_trust()

    @work(exclusive=True, group="trust", exit_on_error=False)
    async def _ask_for_trust(self) -> None:
        if self.port is None:
            return
        from dsh_tui.screens.trust import TrustScreen

        port = self.port.trust
        self._trust_reading = "under way"
        try:
            question = await port.question()
        except Exception as error:  # noqa: BLE001 - said in one line; it can be asked for again
            self._trust_reading = "failed"
            self.say(f"What waits for trust can't be read: {error}", "error")
            return
        self._trust_reading = ""
        if isinstance(self.app.screen, TrustScreen):
            return

        async def answered(answer: TrustAnswer) -> None:
            await port.answer(question.id, answer)

        self.app.push_screen(TrustScreen(question, answered, self.dsh.monotonic), self._trust_closed)

    def _trust_closed(self, typed: events.Key | events.Paste | None) -> None:
        """What was typed there was the beginning of a draft."""
        if typed is not None:
            self.composer.focus()
        if isinstance(typed, events.Key):
            self.composer.take_key(typed)
        elif typed is not None:
            self.composer.take_paste(typed.text)
