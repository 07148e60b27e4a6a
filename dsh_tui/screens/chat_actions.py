"""What a person can do on the chat screen: one method for each action of the table.

Source: UX spec §4 (recommended bindings).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from textual import work

from dsh_tui.actions import BY_LEADER, BY_NAME, LEADER, Action, key_label
from dsh_tui.engine.projection.mode_names import CYCLE, FULL_ACCESS, MODES_KNOWN, next_mode
from dsh_tui.engine.projection.views import AnswerView
from dsh_tui.screens.approval_actions import ApprovalActions
from dsh_tui.screens.compaction_actions import CompactionActions
from dsh_tui.screens.directory_actions import DirectoryActions
from dsh_tui.screens.find_actions import FindActions
from dsh_tui.screens.history_actions import HistoryActions
from dsh_tui.screens.leaving_actions import LeavingActions
from dsh_tui.screens.recall_actions import RecallActions
from dsh_tui.screens.trust_actions import TrustActions

if TYPE_CHECKING:
    from dsh_tui.widgets.completion import Completion
    from dsh_tui.widgets.queue_panel import QueuePanel
    from dsh_tui.widgets.todo_panel import TodoPanel
    from dsh_tui.widgets.transcript import Transcript

LEADER_FORMS: Final = tuple(
    f"{key_label(key)} {action.slash or action.id.partition('.')[2]}" for key, action in BY_LEADER.items()
)
"""Every key that may follow the leader, and a word for what it does."""
ESC_WINDOW: Final = 0.5
"""Seconds within which a second esc belongs to the first."""


class ChatActions(
    ApprovalActions,
    TrustActions,
    DirectoryActions,
    HistoryActions,
    CompactionActions,
    FindActions,
    RecallActions,
    LeavingActions,
):
    """The actions; what they act on is composed by `ChatScreen`."""

    completion: Completion
    transcript: Transcript
    todo_panel: TodoPanel
    queue_panel: QueuePanel

    own_keys: Mapping[str, Action] = MappingProxyType({})
    """Keys that the user gave to actions which have none of their own."""

    _leader = False
    _esc_pressed = float("-inf")

    def perform(self, action: Action, argument: str = "") -> None:
        """Do an action of the table, from the palette, a slash command or the leader."""
        method = getattr(self, f"action_{action.method}")
        if action.argument:
            method(argument)
        else:
            method()

    def perform_slash(self, name: str, argument: str) -> bool:
        """Run a slash command; False if there is none of that name."""
        action = BY_NAME.get(name)
        if action is None:
            return False
        self.perform(action, argument)
        return True

    # Leader

    def action_leader(self) -> None:
        self._leader = True
        self.say(f"{LEADER} …  {' · '.join(LEADER_FORMS)}")

    def take_leader_key(self, key: str) -> bool:
        """Whether the key was the second of a leader form, or one that the user gave such an action."""
        if not self._leader:
            own = self.own_keys.get(key)
            if own is not None:
                self.perform(own)
            return own is not None
        self._leader = False
        self.status_bar.clear_notice()
        action = BY_LEADER.get(key)
        if action is not None:
            # Behind the keys that are still on their way to the draft: they were typed before it.
            self.composer.call_later(self.perform, action)
        elif key != "escape":
            self.say(f"ctrl+x {key} does nothing; ctrl+x h shows what does")
        return True

    # Writing

    def action_prompt_steer(self) -> None:
        self.composer.submit(steer=True)

    def action_prompt_history(self) -> None:
        self.composer.focus()
        if self.composer.searching:
            self.completion.action_move(1)
        else:
            self.composer.search_history()

    def action_prompt_editor(self) -> None:
        from dsh_tui.external_editor import EditorFailed, edit

        try:
            self.composer.put(edit(self.composer.draft, self.app.suspend(), os.environ))
        except EditorFailed as error:
            self.say(str(error), "error")
        self.composer.focus()

    def action_prompt_expand(self) -> None:
        if not self.composer.expand_pastes():
            self.say("No folded paste in the draft")

    # Turn

    def action_turn_interrupt(self) -> None:
        if self.composer.searching:
            self.completion.close()
            self.composer.end_search(restore=True)
        elif self.completion.is_open:
            row, column = self.composer.cursor_location
            self.completion.dismiss(self.composer.document.get_line(row)[:column])
        elif self.dock.step_back() or self.stop_finding() or self.stop_own_command():
            pass
        elif self.busy and self.port is not None:
            self.port.cancel()
        elif self.port is not None and self.port.leave_recording():
            pass
        elif self.focused is not self.composer:
            self.composer.focus()
        elif not self.composer.text:
            self._esc_on_nothing()

    def action_turn_ctrl_c(self) -> None:
        """As everywhere, but in a search it gives that up, and not a turn."""
        if self.find_bar.has_focus_within and not (self.dsh.leaving or self.get_selected_text()):
            self.stop_finding()
        else:
            super().action_turn_ctrl_c()

    def _esc_on_nothing(self) -> None:
        """There is nothing to close or stop; pressed twice, people want to go back in time."""
        now, before = self.dsh.monotonic(), self._esc_pressed
        self._esc_pressed = now
        if now - before <= ESC_WINDOW and self.shown is not None and self.shown.blocks:
            self._esc_pressed = float("-inf")
            self.action_timeline_show()

    def action_queue_edit(self) -> None:
        if self.queue_panel.rows:
            self.queue_panel.focus()
        else:
            self.say("Nothing is queued")

    def action_queue_resume(self) -> None:
        if self.port is not None:
            self.port.resume_queue()

    # Session

    def action_session_browse(self) -> None:
        if (port := self.engine()) is not None:
            from dsh_tui.screens.sessions import SessionsScreen

            current = self.shown.session_id if self.shown is not None else ""
            self.app.push_screen(SessionsScreen(port, self.dsh.cwd, self.dsh.now_ms, current=current))

    @work(exclusive=True, group="session", exit_on_error=False)
    async def action_session_new(self) -> None:
        if (port := self.engine()) is not None:
            await port.new_session()

    @work(exclusive=True, group="session", exit_on_error=False)
    async def action_session_fork(self) -> None:
        if self.port is None or self.shown is None:
            return
        try:
            await self.port.fork_session(self.shown.session_id)
        except Exception as error:  # noqa: BLE001 - said in one line, the session stays open
            self.say(str(error), "error")

    def action_session_rename(self, title: str = "") -> None:
        port = self.port
        if port is None:
            return
        if title:
            port.rename(title)
            return
        from dsh_tui.screens.line_entry import LineEntry

        async def rename(text: str) -> None:
            port.rename(text)

        now = self.shown.title if self.shown is not None else ""
        self.app.push_screen(LineEntry("Rename this session", "", rename, value=now, placeholder="title"))

    def action_session_copy(self) -> None:
        blocks = self.shown.blocks if self.shown is not None else ()
        answer = next(
            (block for block in reversed(blocks) if isinstance(block, AnswerView) and block.text), None
        )
        if answer is None:
            self.say("No answer to copy yet")
        else:
            self.dsh.copy(answer.text)

    def action_model_pick(self) -> None:
        if (port := self.engine()) is not None:
            from dsh_tui.screens.models import ModelsScreen

            self.app.push_screen(ModelsScreen(port))

    def action_mode_cycle(self) -> None:
        following = next_mode(self.shown.status.mode if self.shown is not None else "")
        if self.port is not None and not self.port.offers_mode(following):
            following = next_mode(following)
        self.action_mode_set(following)

    def action_mode_set(self, mode: str = "") -> None:
        if not mode:
            self.composer.put("/mode ")
            self.composer.focus()
        elif mode == FULL_ACCESS:
            self.action_mode_full()
        elif mode not in MODES_KNOWN:
            self.say(f"No mode “{mode}”: {', '.join(CYCLE)} or {FULL_ACCESS}", "warning")
        elif (port := self.engine()) is not None:
            port.select_mode(mode)

    def action_mode_full(self) -> None:
        port = self.engine()
        if port is None:
            return
        from dsh_tui.screens.full_access import FullAccess

        def acknowledged(yes: bool | None) -> None:  # noqa: FBT001 - a dialog's result
            if yes:
                port.select_mode(FULL_ACCESS)

        self.app.push_screen(FullAccess(), acknowledged)

    # View

    def action_view_palette(self) -> None:
        self.dsh.open_palette()

    def action_view_help(self) -> None:
        from dsh_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen())

    def action_view_expand(self) -> None:
        opened = self.transcript.fold_all()
        self.say("All is open; ctrl+o folds it" if opened else "Folded again; ctrl+o opens all")

    def action_view_todos(self) -> None:
        if self.todo_panel.todos:
            self.todo_panel.unfolded = not self.todo_panel.unfolded
        else:
            self.say("The agent has made no plan here")

    def action_view_transcript(self) -> None:
        if self.transcript.cursor is None:
            self.transcript.move_cursor(-1)  # what shows that the keys go there
        self.transcript.focus()

    def action_view_page_up(self) -> None:
        self.transcript.scroll_page_up(animate=False)

    def action_view_page_down(self) -> None:
        self.transcript.scroll_page_down(animate=False)

    def action_view_end(self) -> None:
        self.transcript.follow_end()

    def action_view_redraw(self) -> None:
        self.refresh(layout=True)

    def action_view_theme(self) -> None:
        self.dsh.switch_theme()

    # Setting up

    def action_setup_key(self) -> None:
        if (port := self.engine()) is not None:
            from dsh_tui.screens.key_entry import key_entry

            self.app.push_screen(key_entry(port.access), self.set_up)

    def action_setup_server(self) -> None:
        if (port := self.engine()) is not None:
            from dsh_tui.screens.key_entry import server_entry

            self.app.push_screen(server_entry(port.access), self.set_up)

    def set_up(self, saved: bool | None) -> None:  # noqa: FBT001 - a dialog's result
        """A set-up dialog closed."""
        raise NotImplementedError
