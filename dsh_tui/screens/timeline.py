"""The timeline: any point of this session as the screen showed it then; read-only until it is forked.

Source: ux spec §3.4, §3.5; design §5 (Timeline).
"""

from __future__ import annotations

from time import monotonic
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from dsh_tui.engine.projection.moment_words import moment_words
from dsh_tui.engine.projection.timeline import Moment, Point, Timeline
from dsh_tui.screens.ports import ChatPort
from dsh_tui.widgets import mode_look
from dsh_tui.widgets.columns import spread
from dsh_tui.widgets.moment_list import MomentList, Told
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.scrub_bar import ScrubBar
from dsh_tui.widgets.status_bar import status_fields
from dsh_tui.widgets.todo_panel import TodoPanel
from dsh_tui.widgets.transcript import Transcript
from dsh_tui.widgets.visible_text import one_line

PACE: Final = 0.06
"""Seconds between two looks at least: the first key is answered at once, a held one does not wait."""
TALL: Final = 30
WIDE: Final = 100


class TimelineScreen(Screen[None]):
    """Moments at the left; transcript, plan, mode and context of the highlighted one at the right."""

    AUTO_FOCUS = "MomentList"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (TALL, "-tall")]  # noqa: RUF012 - Textual has no ClassVar
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back", show=False),
        Binding("left,h", "turn(-1)", "Turn before", show=False, priority=True),
        Binding("right,l", "turn(1)", "Next turn", show=False, priority=True),
        Binding("tab", "switch", "Moments or transcript", show=False, priority=True),
        Binding("ctrl+t", "todos", "Show or fold the plan", show=False),
        Binding("f", "fork", "Fork from here", show=False),
        Binding("r", "request", "What the model saw", show=False),
    ]

    def __init__(self, port: ChatPort, title: str) -> None:
        super().__init__()
        self._port, self._title = port, title
        self._session_id = port.view.session_id
        self._timeline: Timeline | None = None
        self._point: Point | None = None
        self._look_due: Timer | None = None
        self._looks = 0
        self._next_look = float("-inf")

    def compose(self) -> ComposeResult:
        self._bar = ScrubBar(id="scrub")
        self._list = MomentList(id="moments")
        self._text = Transcript(id="then-text")
        self._todos = TodoPanel(id="then-todos")
        with Horizontal(id="top"):
            yield Static("Timeline", markup=False, id="title")
            yield Static(one_line(self._title), markup=False, id="session")
            yield Static(id="counts", markup=False)
        yield self._bar
        with Horizontal(id="body"):
            yield self._list
            with Vertical(id="then"):
                yield self._text
                yield self._todos
                yield Static(id="facts", markup=False)
        yield Static(id="fork", markup=False)
        yield Static(id="place", markup=False)

    def on_mount(self) -> None:
        self._todos.unfolded = self.size.height >= TALL
        # At once, not by a message: list and transcript are painted together.
        self.watch(self._list, "highlighted", self._highlighted, init=False)
        self._say("reading the log…", "$dim")
        self._read()

    @property
    def point(self) -> Point | None:
        """What is shown."""
        return self._point

    # Reading

    @work(exclusive=True, group="read", exit_on_error=False)
    async def _read(self) -> None:
        try:
            timeline = await self._port.history.timeline()
        except Exception as error:  # noqa: BLE001 - a log may hold anything; the person reads it here
            self._say(str(error), "$error")
            return
        if not timeline.moments:
            self._say("Nothing has happened in this session yet. esc goes back", "$dim")
            return
        self._timeline = timeline
        self._bar.length, self._bar.ticks = timeline.length, timeline.turn_starts
        self._list.tell = self._tell
        # Room for the longest, so that no point asks for a layout.
        self.query_one("#counts").styles.width = len(_count(timeline, timeline.turns, timeline.length - 1))
        self._list.show(timeline.moments, len(timeline.moments) - 1)
        self._hint()

    def _tell(self, moment: Moment) -> Told:
        assert self._timeline is not None  # there are no moments without it
        event = self._timeline.event(moment.seq)
        return event.time, moment_words(event, moment.deltas)

    @on(RowList.Highlighted, "#moments")
    def _highlighted(self) -> None:
        row = self._list.row
        if row is None or (self._point is not None and row.seq == self._point.seq):
            return
        self._bar.place = row.seq
        wait = self._next_look - monotonic()
        if wait <= 0:
            self._look()
        elif self._look_due is None:
            self._look_due = self.set_timer(wait, self._look)

    def _look(self) -> None:
        if self._look_due is not None:
            self._look_due.stop()
            self._look_due = None
        self._next_look = monotonic() + PACE
        row, timeline = self._list.row, self._timeline
        if row is None or timeline is None:
            return
        try:
            self._point = timeline.at(row.seq)
        except Exception as error:  # noqa: BLE001 - as above
            self._say(str(error), "$error")
            return
        self._draw(timeline, self._point)

    # Doing

    def action_leave(self) -> None:
        if self._text.has_focus:
            self._list.focus()
        else:
            self.dismiss(None)

    def action_switch(self) -> None:
        (self._list if self._text.has_focus else self._text).focus()

    def action_turn(self, step: int) -> None:
        if self._timeline is not None:
            self._list.highlighted = self._timeline.turn_from(self._list.highlighted, step)

    def action_todos(self) -> None:
        self._todos.unfolded = not self._todos.unfolded

    def action_request(self) -> None:
        from dsh_tui.screens.request import RequestScreen

        row = self._list.row
        if row is not None:
            self.app.push_screen(RequestScreen(self._port.history, self._title, at=row.seq))

    @work(exclusive=True, group="fork", exit_on_error=False)
    async def action_fork(self) -> None:
        self._look()  # the last key may still wait to be drawn
        point = self._point
        if point is None:
            return
        if point.fork_at is None:
            self._say(
                "No turn has ended by then: there is nothing to fork. → goes to the next turn", "$warning"
            )
            return
        self._say("forking…", "$dim")
        try:
            await self._port.fork_session(self._session_id, point.fork_at)
        except Exception as error:  # noqa: BLE001 - said in one line, the timeline stays
            self._say(str(error), "$error")
        else:
            self.dismiss(None)

    # Drawing

    def _draw(self, timeline: Timeline, point: Point) -> None:
        self._looks += 1
        view = point.view
        self._text.show(view.blocks, 0, self._looks)
        self._todos.todos = view.todos
        self._draw_facts(point)
        self._draw_fork(timeline, point)
        count = Content.styled(_count(timeline, point.turn, point.seq), "$dim")
        self.query_one("#counts", Static).update(count, layout=False)

    def _draw_facts(self, point: Point) -> None:
        status = point.view.status
        mode = mode_look.badge(status.mode)
        facts = [mode, *status_fields(status, point.time)]
        if point.view.approvals:
            facts.insert(1, Content.styled(f"{len(point.view.approvals)} waiting", "$waiting"))
        line = Content("")
        room = self.query_one("#facts").content_size.width
        for fact in facts:
            longer = Content.assemble(line, "   " if line else "", fact)
            if longer.cell_length > room:
                break
            line = longer
        self.query_one("#facts", Static).update(line, layout=False)

    def _draw_fork(self, timeline: Timeline, point: Point) -> None:
        """Where a fork would be cut: always a turn's end, so it says how far back that is."""
        if point.fork_at is None:
            words, style = "No turn has ended yet: nothing to fork", "$dim"
        else:
            back = point.seq - point.fork_at
            where = "right here" if back == 0 else f"{back:,} event{'' if back == 1 else 's'} back"
            words = f"f forks at the end of turn {point.fork_turn:,}, {where}"
            style = "$accent" if back == 0 else "$warning"
            if self.size.width >= WIDE:
                words += " · the conversation only, files stay as they are"
        right = Content.styled("read-only", "$dim")
        width = max(1, self.size.width - 2)
        line = spread(Content.styled(words, style), right, width)
        self.query_one("#fork", Static).update(line, layout=False)

    def _hint(self) -> None:
        self._say("↑ ↓ event · ← → turn · tab transcript · r request · f fork · esc back", "$dim")

    def on_resize(self) -> None:
        if self._timeline is not None and self._point is not None:
            self._draw(self._timeline, self._point)

    def _say(self, text: str, style: str) -> None:
        line = spread(Content.styled(one_line(text), style), Content(""), max(1, self.size.width - 2))
        self.query_one("#place", Static).update(line)


def _count(timeline: Timeline, turn: int, seq: int) -> str:
    return f"turn {turn:,} of {timeline.turns:,} · event {seq:,} of {timeline.length - 1:,}"
