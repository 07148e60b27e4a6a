"""The driver for Unix terminals: Textual's own, with eight faults kept from the app, and a title.

A paste can't act as keys; the size that is told last is the size that the window has; a terminal
that goes away is told instead of raised, and what is still written to it is dropped; one that stops
taking text holds nobody up; what others print does not meet the screen; a stop that could not be
caught leaves one reader, not two; and nobody is stopped for good where no shell could go on with them.
Source: UX spec §2 A, D; design §2 (shutdown).
"""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import time
from codecs import getincrementaldecoder
from contextlib import suppress
from typing import Any, Final

from textual import events
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message

from dsh_tui.terminal.output import TerminalOutput
from dsh_tui.terminal.paste_guard import PasteGuard
from dsh_tui.terminal.signals import KEEP_TITLE, RESTORE_TITLE, title
from dsh_tui.terminal.stray_output import StrayOutput

_READ: Final = 65_536
_PATIENCE: Final = 0.1
"""Seconds between two looks at whether the app has ended."""
STOPPING_S: Final = 0.1
"""Seconds in which a stop takes effect on all threads; a job without a shell goes on after them."""
SUSPENDED: Final = "dsh-tui stands still; fg brings it back.\n"
LEAVE_S: Final = 1.0
"""Seconds that the last words wait for a terminal that takes nothing."""


class TerminalGone(Message):
    """Nothing can be read any more: the window was closed, the connection broke."""


class TerminalCaughtUp(Message):
    """The terminal takes text again, after pictures were dropped or it was lent out: it needs a whole one."""


class TerminalDriver(LinuxDriver):
    """Reads, writes and measures the terminal."""

    _holds_terminal = False
    _title = ""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # Any: the base's own
        super().__init__(*arguments, **options)
        assert self._file is not None
        # A way to the terminal of its own: standard error leads elsewhere while the screen is shown.
        terminal = open(os.dup(self._file.fileno()), "w", closefd=False)  # noqa: SIM115  # as long as the process
        self._stray = StrayOutput(getattr(self._app, "stray_output", None))
        self._output = TerminalOutput(terminal, lambda: self._app.post_message(TerminalCaughtUp()))
        self._file = self._output  # type: ignore[assignment]  # a file by its shape

    def start_application_mode(self) -> None:
        """As the base does, but sizes are told from the event loop.

        A signal that meets the base's own handler at work is told first, and the older size last.
        """
        again = self._must_signal_resume
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual leaves it untyped
        asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, self._tell_size)
        self._holds_terminal = True
        self._stray.catch()
        if self._title:
            self.tell(f"{KEEP_TITLE}{title(self._title)}")
        if again:
            self._app.post_message(TerminalCaughtUp())

    def stop_application_mode(self) -> None:
        if self._title:
            self.tell(RESTORE_TITLE)
        self._holds_terminal = False
        super().stop_application_mode()
        self._stray.release()

    def tell(self, data: str) -> None:
        """Write a sequence that draws nothing, unless another program has the terminal now."""
        if self._holds_terminal:
            self.write(data)

    def show_title(self, text: str) -> None:
        """Name the window; the name it had comes back when this is empty and when the app lets go of it."""
        before, self._title = self._title, text
        if text:
            self.tell(f"{'' if before else KEEP_TITLE}{title(text)}")
        elif before:
            self.tell(RESTORE_TITLE)

    def close(self) -> None:
        """As the base does; what gives the terminal back is out when this returns, if it takes it."""
        super().close()
        self._output.drain(LEAVE_S)

    def suspend_to_shell(self) -> bool:
        """Give the terminal back and stop until the shell goes on with this job.

        The whole job stops, so that whatever started this (make, a script) waits, too. False: nobody
        could go on with it, so the system did not stop it, and the screen is back. A terminal that is
        lent out (to an editor) is not given back by us, and stays lent when the job goes on.
        """
        lent = not self._holds_terminal
        if not lent:
            self.suspend_application_mode()
            self._must_signal_resume = True
            self._output.write(SUSPENDED)
            self._output.drain(LEAVE_S)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(0, signal.SIGTSTP)
        time.sleep(STOPPING_S)
        signal.signal(signal.SIGTSTP, self._sigtstp_application)
        if lent or self._holds_terminal:  # SIGCONT came, and took it back
            return True
        self.resume_application_mode()
        return False

    def _sigtstp_application(self, *_: object) -> None:
        """Somebody else asks for a stop."""
        self.suspend_to_shell()

    def _sigcont_application(self, *_: object) -> None:
        """Who was stopped by SIGSTOP could not let go of the terminal; it must before it takes it again.

        The base takes it twice then: two threads share the keys, and the settings are not restored.
        """
        if self._holds_terminal:
            self.suspend_application_mode()
            self._must_signal_resume = True
        super()._sigcont_application()

    def _get_terminal_size(self) -> tuple[int, int]:
        """Of the terminal that the keys come from: standard output may lead elsewhere."""
        with suppress(OSError):
            columns, rows = os.get_terminal_size(self.fileno)
            if columns and rows:
                return columns, rows
        return super()._get_terminal_size()

    def _tell_size(self) -> None:
        if not self._in_band_window_resize:
            size = Size(*self._get_terminal_size())
            self._app.post_message(events.Resize(size, size))

    def run_input_thread(self) -> None:
        """Read until the app ends, or the terminal."""
        parser, guard = XTermParser(self._debug), PasteGuard()
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(_PATIENCE):
                    data = self._read()
                    if not data:
                        self._app.post_message(TerminalGone())
                        self.exit_event.wait()
                        break
                    if text := guard.feed(decode(data)):  # an empty text is the parser's end
                        for event in parser.feed(text):
                            self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
        with suppress(EOFError, ParseError):
            for _event in parser.feed(""):
                pass

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, _READ)
        except OSError:
            return b""
