"""What the model reads of a command: its output, then markers in brackets, the status last.

Source: capabilities B2 (rendering).
"""

from __future__ import annotations

from collections.abc import Iterator

from dsh_tui.engine.shell.seam import ShellResult, StreamOutput
from dsh_tui.engine.shell.tail import KEPT


def render_result(result: ShellResult) -> str:
    """A finished command."""
    body = _body(result.stdout, result.stderr) or "(no output)"
    return "\n".join([body, *_stream_markers(result.stdout, result.stderr), *_end_markers(result)])


def render_progress(stdout: StreamOutput, stderr: StreamOutput, result: ShellResult | None) -> str:
    """What a background command said since the last look, and how it stands."""
    body = _body(stdout, stderr) or "(no new output)"
    marker = [] if result is None else _sandbox_marker(result)
    status = f"[status: {status_words(result)}]"
    return "\n".join([body, *_stream_markers(stdout, stderr), *marker, status])


def status_words(result: ShellResult | None) -> str:
    """``running``, ``completed, exit code: 0`` or ``killed by SIGTERM``."""
    if result is None:
        return "running"
    if result.sandbox is not None and result.sandbox.failure:
        return "did not run: the sandbox failed"
    if result.signal is not None:
        return f"killed by {result.signal}"
    return f"completed, exit code: {result.exit_code}"


def _body(stdout: StreamOutput, stderr: StreamOutput) -> str:
    parts = [stdout.text.removesuffix("\n")] if stdout.text.strip() else []
    if stderr.text.strip():
        parts.append("[stderr]\n" + stderr.text.removesuffix("\n"))
    return "\n".join(parts)


def _stream_markers(stdout: StreamOutput, stderr: StreamOutput) -> Iterator[str]:
    for name, stream in (("output", stdout), ("stderr", stderr)):
        if stream.truncated and stream.spill_path is not None:
            yield f"[{name} truncated; full output: {stream.spill_path}]"
        elif stream.truncated:
            yield f"[{name} truncated to its last {KEPT:,} bytes; it was too large to keep]"
        if stream.lossy:
            yield f"[{name} was not valid UTF-8; \N{REPLACEMENT CHARACTER} stands for the bytes replaced]"


def _sandbox_marker(result: ShellResult) -> Iterator[str]:
    if result.sandbox is not None and result.sandbox.denied:
        yield f"[sandbox: file access denied under {result.sandbox.policy} mode]"


def _end_markers(result: ShellResult) -> Iterator[str]:
    yield from _sandbox_marker(result)
    if result.leftovers == "stopped":
        yield "[background processes were stopped when the command ended; use run_in_background to keep one]"
    elif result.leftovers == "detached":
        yield "[a process that detached itself may still run]"
    if result.timed_out:
        yield f"[timed out after {result.timeout_ms}ms]"
    if result.aborted:
        yield "[cancelled before it finished]"
    if result.signal is not None:
        yield f"[killed by signal: {result.signal}]"
    elif result.exit_code:
        yield f"[exit code: {result.exit_code}]"
