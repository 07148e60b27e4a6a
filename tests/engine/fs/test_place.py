"""What a change was decided on is what is written, whatever becomes of the links meanwhile."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dsh_tui.engine.fs.errors import FsError
from dsh_tui.engine.fs.place import place_of
from dsh_tui.engine.fs.provider import LocalFileSystem
from dsh_tui.engine.fs.replace import create_file, replace_file
from dsh_tui.engine.fs.seam import Absent, Anything
from dsh_tui.engine.kernel import Next
from dsh_tui.engine.modes.modes import MODES
from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.sandbox.plugin import SandboxConfig
from dsh_tui.engine.tools.decisions import PreDecision
from dsh_tui.engine.tools.definition import AnyTool, ToolCall
from dsh_tui.engine.tools.events import PRE_EXECUTE
from tests.fakes.workbench import Workbench, open_workbench


@pytest.fixture
async def work(tmp_path: Path) -> AsyncIterator[Workbench]:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("kept")
    async with open_workbench(tmp_path, sandbox=SandboxConfig(), observe=False) as bench:
        (bench.cwd / "folder").mkdir()
        (bench.cwd / "folder" / "f").write_text("old")
        bench.bench.root[MODES].start_in(bench.bench.session, "edits")
        yield bench


def exchange(work: Workbench) -> None:
    """The folder becomes a link that leads outside."""
    (work.cwd / "folder").rename(work.cwd / "moved")
    (work.cwd / "folder").symlink_to(work.cwd.parent / "outside")


@pytest.mark.parametrize("tool", ["write", "edit"])
@pytest.mark.parametrize("name", ["folder/f", "link"])
async def test_a_link_put_in_after_the_decision_is_not_followed(
    work: Workbench, tool: str, name: str
) -> None:
    (work.cwd / "link").symlink_to("folder/f")

    async def swap(_call: ToolCall, _tool: AnyTool, following: Next[PreDecision]) -> PreDecision:
        decision = await following()
        exchange(work)
        return decision

    work.bench.root.on(PRE_EXECUTE, swap, prepend=True)
    arguments = {"content": "new"} if tool == "write" else {"old_string": "k", "new_string": "new"}
    answer = await work.call(tool, file_path=name, **arguments)
    assert (answer.failed, answer.code) == (True, "FS_STALE_VERSION")
    assert "leads elsewhere now" in answer.text
    assert (work.cwd.parent / "outside" / "f").read_text() == "kept"
    assert work.bench.logged("approval/asked") == []


async def test_what_was_open_when_the_folder_moved_is_written_where_it_went(work: Workbench) -> None:
    with place_of(work.cwd / "folder" / "new") as new, place_of(work.cwd / "folder" / "f") as old:
        exchange(work)
        create_file(new, b"new")
        replace_file(old, b"changed", b"old", lambda: None)
    assert (work.cwd / "moved" / "new").read_text() == "new"
    assert (work.cwd / "moved" / "f").read_text() == "changed"
    outside = work.cwd.parent / "outside"
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"f": "kept"}


@pytest.mark.parametrize("expected", [Absent(), Anything()])
@pytest.mark.parametrize("path", ["folder/f", "folder/deep/er/f", "last"])
async def test_a_link_on_the_way_of_a_real_path_is_an_error(
    work: Workbench, path: str, expected: Absent | Anything
) -> None:
    exchange(work)
    (work.cwd / "last").symlink_to(work.cwd.parent / "outside" / "f")
    with pytest.raises(FsError, match="leads elsewhere now"):
        await LocalFileSystem().write_text(work.cwd / path, "new", None, expected)
    outside = work.cwd.parent / "outside"
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"f": "kept"}


@contextmanager
def swapping(folder: Path, link: Path) -> Iterator[None]:
    """Meanwhile the two exchange their names, each time at one stroke, as fast as a thread can."""
    libc, over = ctypes.CDLL(None), threading.Event()

    def exchange_names() -> None:
        while not over.is_set():
            libc.renameat2(-100, bytes(folder), -100, bytes(link), 2)

    thread = threading.Thread(target=exchange_names)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="exchanging names is a call of Linux")
@pytest.mark.parametrize("mode", ["edits", "sandbox"])
async def test_a_link_that_flickers_never_leads_a_change_outside(work: Workbench, mode: str) -> None:
    if not work.bench.root[MODES].offers(mode):
        pytest.skip("nothing here confines commands")
    work.bench.root[MODES].start_in(work.bench.session, mode)
    outside = work.cwd.parent / "outside"
    (work.cwd / "other").symlink_to(outside)
    with swapping(work.cwd / "folder", work.cwd / "other"):
        answers = [await work.call("write", file_path="folder/f", content=f"new {n}") for n in range(60)]
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"f": "kept"}
    refused = {answer.code for answer in answers if answer.failed}
    assert all(code == "APPROVAL_UNAVAILABLE" or code.startswith("FS_") for code in refused), refused


def test_rules_look_at_the_file_that_the_change_is_bound_to(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    rules = (Rule.of("allow", "write(folder/**)"),)

    def verdict() -> str | None:
        facts = CallFacts(
            tool="write", kind="edit", arguments={"file_path": "folder/f"}, cwd=tmp_path, paths=bound
        )
        return judge(rules, facts).decision

    bound: dict[str, Path] = {}
    assert verdict() == "allow"
    assert bound == {"folder/f": (tmp_path / "folder" / "f").resolve()}
    bound = {"folder/f": Path("/etc/f")}  # where a link led when the call was looked at first
    assert verdict() is None
