"""The chat screen: transcript above, what asks for input below. Wiring only.

It is on the screen before the engine is: what is typed and sent meanwhile is kept and goes
out when the engine is there.
Source: design §2 (prompt to pixels), §5; screens spec (chat).
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer

from dsh_tui.actions import BY_ID, BY_NAME, BY_SLASH, LEADER, bindings, key_label
from dsh_tui.engine.projection.views import ChatView, NoticeView, StatusView, UserView
from dsh_tui.screens.chat_actions import ChatActions
from dsh_tui.screens.composer_words import IDLE, READING, composer_words
from dsh_tui.screens.ports import ChatPort
from dsh_tui.widgets.approval_dock import ApprovalDock
from dsh_tui.widgets.columns import cut
from dsh_tui.widgets.completion import Completion
from dsh_tui.widgets.composer import Composer
from dsh_tui.widgets.find_bar import FindBar
from dsh_tui.widgets.first_run_panel import FirstRunPanel
from dsh_tui.widgets.fuzzy import best
from dsh_tui.widgets.header_bar import HeaderBar, HeaderFacts
from dsh_tui.widgets.launchpad import Launchpad
from dsh_tui.widgets.messages import (
    CommandGiven,
    FeedChanged,
    Noticed,
    Submitted,
)
from dsh_tui.widgets.queue_panel import QueuePanel
from dsh_tui.widgets.status_bar import StatusBar
from dsh_tui.widgets.todo_panel import TodoPanel
from dsh_tui.widgets.transcript import Transcript
from dsh_tui.widgets.visible_text import one_line

SPINNER_SECONDS: Final = 0.25
WAITING_SECONDS: Final = 1.0
TALL: Final = 30
"""Rows from which everything has room at once."""


class ChatScreen(ChatActions):
    """Shows a `ChatView` and turns what a person does into intents of the port."""

    AUTO_FOCUS = "Composer"
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it without ClassVar
        (0, "-tiny"),
        (9, "-short"),
        (16, "-roomy"),
        (TALL, "-tall"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(),
        Binding(LEADER, "leader", "More", show=False, priority=True, id="leader"),
    ]

    def __init__(self, *, version: str = "") -> None:
        super().__init__()
        self.port: ChatPort | None = None
        self.shown: ChatView | None = None
        self.branch = ""
        self._version = version
        self._unsent: list[str] = []
        self._trouble = ""
        self._not_saved = False
        self._ticker: Timer | None = None
        self._pace = 0.0

    def compose(self) -> ComposeResult:
        app = self.dsh
        # Before the first layout: with the resize that follows, all would be styled and drawn once more.
        for size_class in self._get_breakpoint_classes(app.size.height, self.VERTICAL_BREAKPOINTS):
            self.add_class(size_class)
        self.header_bar = HeaderBar(id="header")
        self.transcript = Transcript(id="transcript")
        self.launchpad = Launchpad(id="launchpad")
        self.find_bar = FindBar(id="find")
        self.todo_panel = TodoPanel(id="todos")
        self.queue_panel = QueuePanel(id="queue")
        self.dock = ApprovalDock(app.monotonic, self._may_dock_take_focus, id="dock")
        self.first_run = FirstRunPanel(id="first-run")
        self.completion = Completion(app.cwd, id="completion")
        self.composer = Composer(self.completion, id="composer")
        self.status_bar = StatusBar(id="status")
        self.launchpad.folder, self.launchpad.version = str(app.cwd), self._version
        yield from (self.header_bar, self.transcript, self.launchpad, self.find_bar, self.todo_panel)
        yield from (
            self.queue_panel,
            self.dock,
            self.first_run,
            self.completion,
            self.composer,
            self.status_bar,
        )

    def on_mount(self) -> None:
        self.composer.placeholder = IDLE
        self._draw()

    # The engine

    def attach(self, port: ChatPort) -> None:
        """The engine is there: show its view, send what was written meanwhile."""
        self.port = port
        self.show(port.view)
        self._show_first_run()
        unsent, self._unsent = self._unsent, []
        for text in unsent:
            self._send(text, steer=False)
        self._draw()

    def engine_failed(self, reason: str) -> None:
        """The engine did not start: say so, give back what was written."""
        self._trouble = "no engine"
        for text in self._unsent:
            self.composer.keep(text)
        self._unsent = []
        notice = NoticeView(
            seq=0, tone="error", text=reason, hint="Mend it and start again; the draft is kept."
        )
        self.transcript.show([notice], 0, 0)
        self._draw()

    def storage_changed(self, trouble: str) -> None:
        """Storage began to fail, and why; or works again."""
        self._not_saved = bool(trouble)
        self.say(trouble or "Saving works again; nothing was lost", "error" if trouble else "ok")
        self._draw_time()

    @on(FeedChanged)
    def _feed_changed(self, event: FeedChanged) -> None:
        self.show(event.view)

    def show(self, view: ChatView) -> None:
        """Draw what differs from what is shown."""
        before, self.shown = self.shown, view
        self.transcript.show(view.blocks, view.changed_from, view.generation)
        if before is not None and before.session_id != view.session_id:
            self.stop_finding()
            self._say_what_goes_on(before)
        if before is None or before.generation != view.generation:
            self.composer.prompts.seed(
                b.text for b in view.blocks if isinstance(b, UserView) and b.origin == "prompt"
            )
            self._show_first_run()
        self.dock.show(
            view.approvals, Path(view.cwd).name, session=view.session_id, answerable=not view.read_only
        )
        self.todo_panel.todos = view.todos
        self.trust_considered()
        self._draw()
        self.ask_for_directory()

    def _say_what_goes_on(self, left: ChatView) -> None:
        """A session that is left goes on working; nothing else on the screen would say so."""
        if left.status.state in ("running", "waiting"):
            title = f"“{cut(one_line(left.title), 40)}”" if left.title else "The other session"
            self.say(f"{title} goes on in the background; {key_label(LEADER)} l lists it")

    def _draw(self) -> None:
        view = self.shown
        status = view.status if view is not None else StatusView()
        queue = view.queue if view is not None else tuple(self._unsent)
        self.queue_panel.show_queue(
            queue,
            paused=view is not None and view.queue_paused,
            steering=view.steering if view is not None else (),
        )
        self.composer.has_queue = bool(queue)
        self.composer.mode = "" if view is None or view.read_only else status.mode
        self.launchpad.mode = status.mode
        empty = (view is None or not view.blocks) and not self._trouble
        self.launchpad.set_class(not empty, "-hidden")
        self.transcript.set_class(empty, "-hidden")
        self.todo_panel.resting = not self.busy
        self.first_run.compact = self.dock.pending is not None and self.size.height < TALL
        self._draw_words()
        self.status_bar.status = status
        self._keep_pace(status)
        self._draw_time()

    def _draw_words(self) -> None:
        port, view = self.port, self.shown
        words = composer_words(
            trouble=self._trouble,
            keyless=port is not None and port.access.needs_key,
            demo=port is not None and port.leaves_recording,
            read_only=view.read_only if view is not None else "",
            busy=self.busy,
            queued=len(view.queue if view is not None else self._unsent),
            copies=view is not None and view.copies,
        )
        self.composer.placeholder, self.composer.locked = words.placeholder, words.locked
        self.composer.border_subtitle = Content(READING if self.transcript.has_focus else words.hint)

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _focus_moved(self) -> None:
        self._draw_words()

    def _draw_time(self) -> None:
        """All that changes with time alone."""
        view, now = self.shown, self.dsh.now_ms()
        status = view.status if view is not None else StatusView()
        started = status.turn_started
        self.status_bar.now_ms = now
        self.status_bar.badge = self._badge() or ("not saved" if self._not_saved else "")
        self.header_bar.facts = HeaderFacts(
            project=Path(view.cwd if view is not None and view.cwd else self.dsh.cwd).name,
            branch=self.branch if view is None or view.cwd == str(self.dsh.cwd) else "",
            title=view.title if view is not None else "",
            state=status.state,
            elapsed_s=max(0, now - started) // 1_000 if started is not None else None,
            waiting=len(view.approvals) if view is not None and not view.read_only else 0,
            untrusted=view.untrusted if view is not None else 0,
            badge=self._badge(),
            tick=now // 250 if self._pace == SPINNER_SECONDS else 0,
        )

    def _badge(self) -> str:
        if self._trouble:
            return self._trouble
        if self.port is None:
            return "starting…"
        reason = self.shown.read_only if self.shown is not None else ""
        return reason.partition(":")[0] if self.plays_recording else "read-only" if reason else ""

    def _keep_pace(self, status: StatusView) -> None:
        """A timer only while something shows time: quick for the spinner, slow while waiting for a person."""
        calm = self.app.animation_level == "none"
        pace = {"running": SPINNER_SECONDS, "stopping": SPINNER_SECONDS, "waiting": WAITING_SECONDS}.get(
            status.state, 0.0
        )
        pace = WAITING_SECONDS if pace and calm else pace
        if pace == self._pace:
            return
        if self._ticker is not None:
            self._ticker.stop()
        self._pace = pace
        self._ticker = self.set_interval(pace, self._draw_time) if pace else None

    # Writing

    @on(Submitted)
    def _submitted(self, event: Submitted) -> None:
        self._send(event.text, steer=event.steer)

    def _send(self, text: str, *, steer: bool) -> None:
        if self.port is None:
            self._unsent.append(text)
            self._draw()
        elif steer:
            self.port.steer(text)
        else:
            self.port.send(text)

    @on(CommandGiven)
    def _command_given(self, event: CommandGiven) -> None:
        action = BY_NAME.get(event.name)
        if action is None:
            near = best(event.name, BY_NAME, 1)
            self.say(
                f"No command /{event.name}"
                + (f"; did you mean /{near[0]}?" if near else "; /help lists them"),
                "warning",
            )
            return
        if action.slash not in ("quit", "help", "theme") and self.engine() is None:
            return
        self.composer.put("")
        self.perform_slash(event.name, event.argument)

    @on(Completion.Taken)
    def _completion_taken(self, event: Completion.Taken) -> None:
        composer = self.composer
        match event.offer.kind:
            case "prompt":
                composer.end_search(restore=False)
                composer.put(event.offer.text)
            case "file":
                row, column = composer.cursor_location
                start = composer.document.get_line(row)[:column].rfind("@")
                folder = event.offer.text.endswith("/")
                composer.replace(
                    f"@{event.offer.text}" + ("" if folder else " "), (row, start), (row, column)
                )
            case "command" if event.run and self._is_whole_command(event.offer.text):
                self.post_message(CommandGiven(event.offer.text))
            case "command":
                composer.put(f"/{event.offer.text} ")

    def _is_whole_command(self, name: str) -> bool:
        """Whether nothing may follow it, or somebody wrote it out and wants it as it is."""
        return not BY_SLASH[name].argument or self.composer.text.strip() == f"/{name}"

    @on(Composer.Emptied)
    def _emptied(self) -> None:
        self.dock.tick()

    @on(Composer.LeaveAsked)
    def _leave_asked(self) -> None:
        self.ask_to_quit("ctrl+d")

    @on(Composer.HelpAsked)
    def _help_asked(self) -> None:
        self.action_view_help()

    @on(Composer.TranscriptAsked)
    def _transcript_asked(self) -> None:
        if self.first_run.has_class("-needed"):
            self.first_run.focus()
        else:
            self.action_view_transcript()

    @on(Composer.Paged)
    def _paged(self, event: Composer.Paged) -> None:
        if event.by < 0:
            self.action_view_page_up()
        else:
            self.action_view_page_down()

    @on(Transcript.CopyRequested)
    def _copy_requested(self, event: Transcript.CopyRequested) -> None:
        self.dsh.copy(event.text)

    @on(Noticed)
    def _noticed(self, event: Noticed) -> None:
        self.say(event.text, event.tone)

    # Queue

    @on(Composer.QueueAsked)
    def _take_back_last(self) -> None:
        waiting = self.shown.queue if self.shown is not None else self._unsent
        self._unqueue(len(waiting) - 1, edit=True)

    @on(QueuePanel.Removed)
    def _removed(self, event: QueuePanel.Removed) -> None:
        self._unqueue(event.index, edit=event.edit)

    @on(QueuePanel.Resumed)
    def _resumed(self) -> None:
        self.action_queue_resume()

    def _unqueue(self, index: int, *, edit: bool) -> None:
        try:
            text = self._unsent.pop(index) if self.port is None else self.port.unqueue(index)
        except IndexError:
            self.say("It has been sent already")
            return
        if edit:
            self.composer.keep(text)
            self.composer.focus()
        else:
            self.composer.prompts.add(text)
            self.say("Removed from the queue; ↑ brings it back")
        self._draw()

    # First run

    @on(FirstRunPanel.Picked)
    def _picked(self, event: FirstRunPanel.Picked) -> None:
        self.perform(BY_ID[event.action_id])

    def set_up(self, saved: bool | None) -> None:  # noqa: FBT001 - a dialog's result
        self._show_first_run()
        self._draw()

    def _show_first_run(self) -> None:
        needed = self.port is not None and self.port.access.needs_key
        self.first_run.recording = self.plays_recording
        if needed == self.first_run.has_class("-needed"):
            return
        self.first_run.set_class(needed, "-needed")
        (self.first_run if needed and not self.composer.text else self.composer).focus()
