"""DshApp: paints the chat first, boots the engine behind it, leaves the terminal clean.

The engine runs in a task of the app that no screen owns. Nothing of the engine but its views
is imported here before the first paint.
Source: design §2, §3 row 21; capability spec (start-up).
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, runtime_checkable

from rich.text import Text
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.driver import Driver
from textual.screen import Screen

from dsh_tui import __version__
from dsh_tui.attention import Attention, Terminal
from dsh_tui.engine.projection.views import ChatView
from dsh_tui.screens.chat import ChatScreen
from dsh_tui.screens.ports import ChatPort
from dsh_tui.terminal.stray_output import keep
from dsh_tui.theme import DARK, THEMES, other
from dsh_tui.widgets.messages import FeedChanged

Boot = Callable[["DshApp"], Awaitable[ChatPort]]
"""Starts the engine. It gets the app for `DshApp.post_view` and `DshApp.notice`."""
HUNG_UP: Final = 129
"""Exit status when the terminal has gone, as of SIGHUP."""
CLOSING_SECONDS: Final = 10.0
"""Longest that leaving waits for the engine."""


@runtime_checkable
class Suspendable(Protocol):
    """A driver whose terminal has a shell behind it."""

    def suspend_to_shell(self) -> bool:
        """Stop until the shell goes on with this; False if nothing was stopped."""


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


class DshApp(App[None]):
    """The application. `bridge` is None until the engine is there."""

    TITLE = "dsh-tui"
    CSS_PATH = "dsh.tcss"
    ENABLE_COMMAND_PALETTE = False  # ours is opened by an action of the table
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave", "Quit", show=False, priority=True, id="app.quit"),
        Binding("ctrl+c", "ctrl_c", "Quit", show=False, system=True),
    ]

    def __init__(
        self,
        boot: Boot,
        *,
        cwd: Path,
        theme: str = DARK,
        monotonic: Callable[[], float] = time.monotonic,
        now_ms: Callable[[], int] = _wall_ms,
        report_crash: Callable[[BaseException], str] | None = None,
        stray_output: Path | None = None,
    ) -> None:
        """``report_crash`` keeps the traceback somewhere and returns where.

        ``stray_output`` takes what others print while the screen is shown.
        """
        super().__init__()
        self.stray_output = stray_output
        self.cwd = cwd
        self.monotonic, self.now_ms = monotonic, now_ms
        self.bridge: ChatPort | None = None
        self.chat = ChatScreen(version=__version__)
        self.attention = Attention(
            lambda: self._driver if isinstance(self._driver, Terminal) else None,
            monotonic=monotonic,
            later=self.set_timer,
            environ=os.environ,
        )
        self._boot_engine = boot
        self._report_crash = report_crash
        self.leaving = False
        self.hurried = False
        """Whether the engine must not be waited for any longer."""
        self._status = 0
        self._quit_asked = float("-inf")
        self._tasks: set[asyncio.Task[None]] = set()
        for one in THEMES:
            self.register_theme(one)
        self.theme = theme

    # Start

    def get_driver_class(self) -> type[Driver]:
        from textual.drivers.linux_driver import LinuxDriver

        from dsh_tui.terminal.driver import TerminalDriver

        usual = super().get_driver_class()
        return TerminalDriver if usual is LinuxDriver else usual

    def get_default_screen(self) -> Screen[Any]:  # Any: Textual's own signature
        return self.chat

    def refresh_css(self, animate: bool = True) -> None:  # noqa: FBT001, FBT002 - Textual's signature
        """Before there is a screen only the colours matter: its rules are parsed when it is styled."""
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    def on_mount(self) -> None:
        if self.stray_output is not None:
            self.begin_capture_print(self)
        self.call_after_refresh(self._start)

    def on_print(self, event: events.Print) -> None:
        if self.stray_output is not None:
            keep(event.text, self.stray_output)

    def _start(self) -> None:
        self._spawn(self._run_boot())

    async def _run_boot(self) -> None:
        await asyncio.sleep(0)  # the first frame goes out before anything heavy is imported
        from dsh_tui.engine.environment.git_head import current_branch, repository_root

        root = repository_root(self.cwd)
        self.chat.branch = (root and current_branch(root)) or ""
        try:
            self.bridge = await self._boot_engine(self)
        except Exception as error:  # noqa: BLE001 - whatever it is, the app stays and says it
            self.chat.engine_failed(f"The engine did not start: {error}")
            if self._report_crash is not None:
                self._report_crash(error)
        else:
            self.chat.attach(self.bridge)

    # What the bridge calls

    def post_view(self, view: ChatView) -> None:
        """Show a view; of several that wait only the newest is drawn."""
        self.attention.show(view)
        self.chat.post_message(FeedChanged(view))

    def notice(self, text: str, tone: str = "info") -> None:
        """Say one line to the person for a few seconds."""
        self.chat.say(text, tone)

    def storage_changed(self, trouble: str) -> None:
        """Say for as long as it lasts that nothing can be saved; empty: it can again."""
        self.chat.storage_changed(trouble)

    # What screens call

    def copy(self, text: str) -> None:
        """Copy, and say what truly happened."""
        self._spawn(self._copy(text))

    async def _copy(self, text: str) -> None:
        from dsh_tui.terminal.clipboard import copy

        self.notice(str(await copy(text, self.copy_to_clipboard)))

    def open_palette(self) -> None:
        from dsh_tui.commands import ActionCommands

        self.push_screen(CommandPalette(providers=[ActionCommands], placeholder="What do you want to do?"))

    def switch_theme(self) -> None:
        self.theme = other(self.theme)

    def suspend_to_shell(self) -> bool:
        """Stand still until the shell brings this back. False: there is none that could."""
        driver = self._driver
        return isinstance(driver, Suspendable) and driver.suspend_to_shell()

    # Keys that matter everywhere

    async def on_event(self, event: events.Event) -> None:
        """Every key resets the wait of the approval dock; the second key of a leader form goes no further."""
        if isinstance(event, events.Key | events.Paste | events.MouseDown) and not event.is_forwarded:
            self.attention.used()
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded and self.chat.is_mounted:
            self.chat.dock.arming.key()
            if (
                isinstance(event, events.Key)
                and self.screen is self.chat
                and self.chat.take_leader_key(event.key)
            ):
                return
        await super().on_event(event)

    def on_app_focus(self) -> None:
        self.attention.focus(has=True)
        if self.chat.is_mounted:  # tmux tells it at once, before there is a screen
            self.chat.dock.disturbed()

    def on_app_blur(self) -> None:
        self.attention.focus(has=False)

    # Leaving

    def action_ctrl_c(self) -> None:
        """On a screen over the chat: copy what is selected, else quit when pressed twice."""
        now = self.monotonic()
        if self.leaving or now - self._quit_asked <= 1.0:
            self.leave()
        elif selected := self.screen.get_selected_text():
            self.copy(selected)
        self._quit_asked = now

    def action_leave(self) -> None:
        self.leave()

    async def action_quit(self) -> None:
        self.leave()

    def leave(self, status: int = 0) -> None:
        """Close the engine in order, then the app. A second call does not wait any longer."""
        if self.leaving or self.bridge is None:
            self.hurried = self.leaving
            self.exit(return_code=self._status or status)
            return
        self.leaving, self._status = True, status
        self.notice("closing… ctrl+c again does not wait")
        self._spawn(self._close(self.bridge))

    def end(self, status: int) -> None:
        """Leave, unless it is leaving already: a closed window is told more than once."""
        if not self.leaving:
            self.leave(status)

    def on_terminal_gone(self) -> None:
        self.end(HUNG_UP)

    def on_terminal_caught_up(self) -> None:
        self.screen.refresh(layout=True)

    async def _close(self, bridge: ChatPort) -> None:
        try:
            await asyncio.wait_for(bridge.close(), CLOSING_SECONDS)
        except TimeoutError:
            self.hurried = True
        finally:
            self.exit(return_code=self._status)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:  # Any: what a coroutine is sent, never used
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self._handle_exception(error)

    def _fatal_error(self) -> None:
        """A widget broke: one clear line on the normal screen instead of a traceback. Textual calls this."""
        error = self._exception
        where = ""
        if error is not None and self._report_crash is not None:
            where = f" Details: {self._report_crash(error)}."
        said = f"dsh-tui stopped: {type(error).__name__}: {error}."
        line = f"{said}{where} Your session is kept: dsh-tui --continue."
        self._exit_renderables.append(Text(" ".join(line.split())))
        self._close_messages_no_wait()
