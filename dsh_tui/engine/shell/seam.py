"""Running commands, as tools see it: a request, a task while it runs, a result when it is over.

A non-zero exit is a result, not an error; `ShellError` means that nothing ran.
Source: capabilities B2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.kernel import Emit, ServiceKey
from dsh_tui.engine.sandbox.bounds import Bounds, Policy
from dsh_tui.engine.sandbox.seam import Enforcement
from dsh_tui.engine.tools.errors import ToolError

OnLine: TypeAlias = Callable[[str], None]
"""Gets the latest output line, on the event loop, at most four times a second."""

Leftovers: TypeAlias = Literal["none", "stopped", "detached"]
"""What became of processes that outlived their shell: there were none; they were stopped; or one
that left the process group on purpose still runs and holds the output."""


class ShellError(ToolError):
    """The command did not run. The message names the directory or program at fault."""

    code = "SHELL_NOT_STARTED"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellRequest:
    """One command for a fresh shell."""

    command: str
    cwd: Path
    session_id: str
    label: str
    """Names the files that keep long output."""
    timeout_ms: int | None
    """None: no limit."""
    bounds: Bounds | None = None
    """What it may change; None: it is not confined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOutput:
    """What a stream said, or the end of it."""

    text: str
    truncated: bool = False
    """The beginning is missing from ``text``."""
    spill_path: Path | None = None
    """The whole stream, where it was kept."""
    lossy: bool = False
    """Some bytes were not UTF-8 and are U+FFFD in ``text``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxFacts:
    """How a confined command was confined, and whether that got in its way."""

    policy: Policy
    enforcement: Enforcement
    denied: bool = False
    """It failed, and said what programs say when a file is refused: a guess from its words."""
    failure: str = ""
    """Why it could not be confined. It did not run then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellResult:
    """A command that is over; none of its processes runs, but for a ``detached`` one."""

    exit_code: int | None
    signal: str | None
    """The signal's name, such as ``SIGTERM``, if one ended the shell."""
    timed_out: bool
    aborted: bool
    timeout_ms: int | None
    duration_ms: int
    stdout: StreamOutput
    stderr: StreamOutput
    leftovers: Leftovers = "none"
    sandbox: SandboxFacts | None = None
    """None: it was not confined."""


class ShellTask(Protocol):
    """A command that was started."""

    def stop(self) -> None:
        """Ask every process of it to end, and make them after the grace. Returns at once."""

    async def wait(self) -> ShellResult:
        """Wait for the end. Cancelling the wait does not stop the command."""

    def read_new(self) -> tuple[StreamOutput, StreamOutput]:
        """What stdout and stderr said since the last call."""

    @property
    def result(self) -> ShellResult | None: ...


class ShellExecutor(Protocol):
    """Runs commands. Whoever starts one also sees it end."""

    async def run(
        self, request: ShellRequest, signal: CancelSignal, on_line: OnLine | None = None
    ) -> ShellResult:
        """Run to the end. A cancelled signal stops the command; the result then says ``aborted``.

        Raises:
            ShellError: it did not start.
        """

    async def start(self, request: ShellRequest) -> ShellTask:
        """Start and return.

        Raises:
            ShellError: it did not start.
        """


BASH: ServiceKey[ShellExecutor] = ServiceKey("bash")

SHELL_PROGRESS: Emit[[str, str, str]] = Emit("shell/progress")
"""Session id, call id, latest output line of a foreground command. In memory only."""
