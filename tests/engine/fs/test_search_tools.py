"""glob and grep, with ripgrep and without."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh_tui.engine.base.cancel import Cancelled, CancelSignal
from dsh_tui.engine.fs.globs import Glob
from dsh_tui.engine.fs.ripgrep import RipgrepSearcher, find_ripgrep
from dsh_tui.engine.fs.search import Match, Searcher, SearchError
from dsh_tui.engine.fs.walk import WalkingSearcher
from tests.fakes.until import until
from tests.fakes.workbench import Workbench


@pytest.fixture(params=["ripgrep", "walking"])
def searcher(request: pytest.FixtureRequest) -> Iterator[Searcher]:
    if request.param == "walking":
        yield WalkingSearcher()
        return
    binary = find_ripgrep()
    if binary is None:
        pytest.skip("no ripgrep here")
    yield RipgrepSearcher(binary)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name, content in {
        "a.py": "import os\nprint(1)\n",
        "src/b.py": "x = 'print('\r\n",
        "src/deep/c.ts": "print\n",
        ".hidden": "print here\n",
        ".git/config": "print never\n",
        ".gitignore": "ignored.py\n",
        "ignored.py": "print too\n",
        "odd\nname.py": "print odd\n",
        "caf\udce9.py": "print bytes \xe9\n",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("latin-1"))
    (root / "binary").write_bytes(b"print\0")
    (root / "link.py").symlink_to("a.py")
    return root


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.py", {"a.py", "src/b.py", "ignored.py", "odd\nname.py", "caf\udce9.py"}),
        ("src/**/*", {"src/b.py", "src/deep/c.ts"}),
        ("**/*.{ts,tsx}", {"src/deep/c.ts"}),
        ("[a-b].py", {"a.py", "src/b.py"}),
        (".*", {".hidden", ".gitignore"}),
        ("config", set()),
        ("nothing*", set()),
    ],
)
async def test_files_are_found_by_name(searcher: Searcher, tree: Path, pattern: str, names: set[str]) -> None:
    found = await searcher.files(tree, pattern, CancelSignal())
    assert set(found.items) == names
    assert found.incomplete == ""


async def test_lines_are_found_by_content(searcher: Searcher, tree: Path) -> None:
    found = await searcher.lines(tree, None, r"print\(", None, CancelSignal())
    assert set(found.items) == {Match("a.py", 2, "print(1)"), Match("src/b.py", 1, "x = 'print('")}


async def test_a_search_can_be_narrowed_to_names_or_one_file(searcher: Searcher, tree: Path) -> None:
    by_name = await searcher.lines(tree, None, "print", "*.{ts,md}", CancelSignal())
    assert [match.name for match in by_name.items] == ["src/deep/c.ts"]
    one_file = await searcher.lines(tree, "a.py", "o", None, CancelSignal())
    assert [match.name for match in one_file.items] == ["a.py"]


async def test_hidden_ignored_and_oddly_named_files_are_searched_and_git_is_not(
    searcher: Searcher, tree: Path
) -> None:
    found = await searcher.lines(tree, None, "^print ", None, CancelSignal())
    assert {match.name for match in found.items} == {".hidden", "ignored.py", "odd\nname.py", "caf\udce9.py"}


async def test_a_broken_pattern_is_explained(searcher: Searcher, tree: Path) -> None:
    with pytest.raises(SearchError):
        await searcher.lines(tree, None, "(", None, CancelSignal())
    with pytest.raises(SearchError):
        await searcher.files(tree, "[a", CancelSignal())


async def test_patterns_are_never_options(searcher: Searcher, tree: Path) -> None:
    (tree / "dash").write_text("--help\n")
    found = await searcher.lines(tree, None, "--help", None, CancelSignal())
    assert found.items == (Match("dash", 1, "--help"),)
    assert (await searcher.files(tree, "--files", CancelSignal())).items == ()


async def test_a_cancelled_search_ends(searcher: Searcher, tree: Path) -> None:
    signal = CancelSignal()
    signal.cancel()
    with pytest.raises(Cancelled):
        await searcher.lines(tree, None, "x", None, signal)


async def test_results_over_the_limit_are_said_to_be_incomplete(tree: Path) -> None:
    binary = find_ripgrep()
    if binary is None:
        pytest.skip("no ripgrep here")
    (tree / "big").write_text("print\n" * 50_000)
    found = await RipgrepSearcher(binary, raw_limit=1000).lines(tree, None, "print", None, CancelSignal())
    assert "too many" in found.incomplete


def test_a_leading_exclamation_mark_is_a_character() -> None:
    assert Glob("!x").matches("!x")


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ("a.py", "d/a.py", ".py"), ("a.pyc", "a.py/x")),
        ("src/*.py", ("src/a.py",), ("src/d/a.py", "a/src/a.py")),
        ("a/**/b", ("a/b", "a/x/b", "a/x/y/b"), ("ab", "a/xb", "a/b/c")),
        ("a/**", ("a/", "a/b/c"), ("a", "ab")),
        ("a/?", ("a/b",), ("a/", "a/bc", "a//")),
        ("a/[b-d]", ("a/c",), ("a/e", "a/-")),
        ("a[!b]c/d", ("axc/d",), ("abc/d", "a/c/d")),
        ("a/[]x]", ("a/]", "a/x"), ("a/y",)),
        ("a/[&|~[]", ("a/&", "a/["), ("a/x",)),
        ("a/{b,c*,{d,e}f}", ("a/b", "a/cc", "a/ef"), ("a/d", "a/bc", "a/")),
        ("a/{b,}c", ("a/bc", "a/c"), ("a/b",)),
        ("a/}b,", ("a/}b,",), ("a/b",)),
        (r"a/\*", ("a/*",), ("a/b",)),
        ("a/*b*c**d", ("a/bcd", "a/xbxcx/d"), ("a/x/bcd", "a/bdc")),
        ("**a*b", ("a/ab", "ab"), ("a/b",)),
    ],
)
def test_a_glob_means_these_paths_and_not_those(
    pattern: str, yes: tuple[str, ...], no: tuple[str, ...]
) -> None:
    glob = Glob(pattern)
    assert [path for path in yes if not glob.matches(path)] == []
    assert [path for path in no if glob.matches(path)] == []


@pytest.mark.parametrize(
    "pattern", ["*a" * 60 + "b", "**/" * 60 + "b", "{a,aa}" * 60 + "b", "a/" + "**/*" * 60 + "b"]
)
def test_no_glob_takes_long(pattern: str) -> None:
    began = time.process_time()
    assert not Glob(pattern).matches("a/" * 200 + "a" * 200)
    assert time.process_time() - began < 1


@pytest.mark.parametrize("pattern", ["[a", "{a", "a/[z-a]", "x" * 20_000])
def test_a_glob_that_is_none_says_so(pattern: str) -> None:
    with pytest.raises(SearchError, match="not valid"):
        Glob(pattern)


async def test_grep_groups_by_file_and_counts(work: Workbench) -> None:
    (work.cwd / "src").mkdir()
    (work.cwd / "src" / "a").write_text("one\ntwo\x1b[1m one\n")
    (work.cwd / "b").write_text("one\n")
    answer = await work.call("grep", pattern="one")
    assert answer.text == "3 matches in 2 files\nb\n  1: one\nsrc/a\n  1: one\n  2: two␛[1m one"
    assert (answer.meta["matches"], answer.meta["files"]) == (3, 2)
    assert (await work.call("grep", pattern="zzz")).text == "No matches."
    assert "src/a" in (await work.call("grep", pattern="two", path="src/a")).text
    assert (await work.call("grep", pattern="x", path="none")).code == "FS_NOT_FOUND"


async def test_grep_shows_some_and_saves_all(work: Workbench) -> None:
    (work.cwd / "f").write_text("".join(f"hit {n}\n" for n in range(1, 401)))
    answer = await work.call("grep", pattern="hit")
    assert "  250: hit 250\n(Showing 250 of 400 matches; all of them: " in answer.text
    path = Path(answer.text.rpartition("them: ")[2].removesuffix(")"))
    assert "  400: hit 400\n" in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


async def test_glob_lists_newest_first_and_quotes_odd_names(work: Workbench) -> None:
    for age, name in enumerate(["new.txt", "a\nb.txt", "caf\udce9.txt", "old.txt"]):
        (work.cwd / name).touch()
        os.utime(work.cwd / name, ns=(0, (100 - age) * 10**9))
    answer = await work.call("glob", pattern="*.txt")
    assert answer.text == 'new.txt\n"a\\nb.txt"\n"caf\\xe9.txt"\nold.txt'
    assert answer.meta["files"] == 4
    opened = await work.call("read", file_path='"a\\nb.txt"')
    assert not opened.failed


async def test_glob_shows_a_hundred_and_saves_all(work: Workbench) -> None:
    for number in range(130):
        (work.cwd / f"f{number}").touch()
    answer = await work.call("glob", pattern="f*")
    assert "(Showing 100 of 130 files; all of them: " in answer.text
    assert (await work.call("glob", pattern="zzz")).text.startswith("No files match")


def program(folder: Path, script: str) -> Path:
    """A stand-in for ripgrep that behaves as the shell script says."""
    path = folder / "rg"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


async def test_a_cancelled_search_is_killed_not_waited_for(tmp_path: Path) -> None:
    started, signal = tmp_path / "started", CancelSignal()
    search = asyncio.ensure_future(
        RipgrepSearcher(program(tmp_path, f"touch {started}; exec sleep 60")).files(tmp_path, "*", signal)
    )
    await until(started.exists)
    signal.cancel()
    with pytest.raises(Cancelled):
        await asyncio.wait_for(search, 10)


async def test_a_search_with_very_many_complaints_ends(tmp_path: Path) -> None:
    loud = program(tmp_path, "head -c 400000 /dev/zero >&2; printf 'a\\0'; exit 2")
    found = await asyncio.wait_for(RipgrepSearcher(loud).files(tmp_path, "*", CancelSignal()), 10)
    assert found.items == ("a",)
    assert found.incomplete.startswith("some files could not be searched")
