"""The local file system: what a write keeps, and when it refuses."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dsh_tui.engine.fs.errors import (
    IO_ERROR,
    NOT_FOUND,
    NOT_REGULAR_FILE,
    NOT_TEXT,
    PERMISSION_DENIED,
    STALE_VERSION,
    FsError,
)
from dsh_tui.engine.fs.provider import LocalFileSystem
from dsh_tui.engine.fs.seam import Absent, Anything
from dsh_tui.engine.fs.text import TextFormat
from dsh_tui.engine.fs.window import stream_window, window_of

FILES = LocalFileSystem()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def rewrite(path: Path, text: str) -> None:
    file = await FILES.read_text(path)
    await FILES.write_text(file.path, text, file.format, file.version)


@pytest.mark.parametrize(
    ("raw", "text", "new", "after"),
    [
        (b"\xef\xbb\xbfa\n", "a\n", "b\n", b"\xef\xbb\xbfb\n"),
        ("\ufeffh\u00e9\r\n".encode("utf-16-le"), "h\u00e9\r\n", "x\r\n", "\ufeffx\r\n".encode("utf-16-le")),
        ("\ufeffh\n".encode("utf-16-be"), "h\n", "x", "\ufeffx".encode("utf-16-be")),
        ("\u4e2d".encode(), "\u4e2d", "\u6587\n", "\u6587\n".encode()),
        (b"", "", "a", b"a"),
    ],
)
async def test_encoding_and_mark_survive_a_rewrite(
    raw: bytes, text: str, new: str, after: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "f"
    path.write_bytes(raw)
    assert (await FILES.read_text(path)).text == text
    await rewrite(path, new)
    assert path.read_bytes() == after


@pytest.mark.parametrize("raw", [b"a\0b", b"\xff\xfe\x00", b"caf\xe9"])
async def test_what_is_not_text_is_said_to_be_so(raw: bytes, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(raw)
    with pytest.raises(FsError) as refused:
        await FILES.read_text(tmp_path / "f")
    assert refused.value.code == NOT_TEXT


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o4750])
async def test_mode_bits_survive_a_rewrite_and_no_temp_file_stays(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a")
    path.chmod(mode)
    await rewrite(path, "b")
    assert path.stat().st_mode & 0o7777 == mode
    assert names(tmp_path) == ["f"]


async def test_a_rewrite_through_links_changes_the_real_file_and_keeps_the_links(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("a")
    (tmp_path / "one").symlink_to("real")
    (tmp_path / "two").symlink_to("one")
    await rewrite(tmp_path / "two", "b")
    assert (tmp_path / "real").read_text() == "b"
    assert (tmp_path / "one").is_symlink()
    assert (tmp_path / "two").is_symlink()


async def test_a_file_with_two_names_keeps_both(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("long before")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    await rewrite(tmp_path / "a", "after")
    assert (tmp_path / "b").read_text() == "after"
    assert (tmp_path / "a").samefile(tmp_path / "b")


@contextmanager
def disk_room(limit: int) -> Iterator[None]:
    """No file can grow beyond ``limit`` bytes."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


@pytest.mark.parametrize("linked", [False, True])
async def test_a_full_disk_leaves_the_old_content(linked: bool, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old " * 10)
    if linked:
        (tmp_path / "g").hardlink_to(path)
    before = names(tmp_path)
    with disk_room(100), pytest.raises(FsError) as failed:
        await rewrite(path, "new " * 100)
    assert failed.value.code == IO_ERROR
    assert path.read_text() == "old " * 10
    assert names(tmp_path) == before


async def test_a_read_only_file_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a")
    path.chmod(0o444)
    with pytest.raises(FsError) as refused:
        await rewrite(path, "b")
    assert refused.value.code == PERMISSION_DENIED
    assert path.read_text() == "a"


async def test_a_write_compares_with_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a")
    file = await FILES.read_text(path)
    path.write_text("x")
    with pytest.raises(FsError) as refused:
        await FILES.write_text(path, "b", file.format, file.version)
    assert refused.value.code == STALE_VERSION
    assert path.read_text() == "x"


async def test_the_same_content_written_by_another_is_the_same_version(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a")
    file = await FILES.read_text(path)
    path.unlink()
    path.write_text("a")
    await FILES.write_text(path, "b", file.format, file.version)
    assert path.read_text() == "b"


async def test_create_only_does_not_replace(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "f"
    await FILES.write_text(path, "a", None, Absent())
    assert path.read_text() == "a"
    with pytest.raises(FsError) as refused:
        await FILES.write_text(path, "b", None, Absent())
    assert refused.value.code == STALE_VERSION
    assert path.read_text() == "a"
    assert names(path.parent) == ["f"]


async def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        await FILES.write_text(tmp_path / "f", "a", None, Anything())
    finally:
        os.umask(old)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640


async def test_half_a_surrogate_pair_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(FsError, match="surrogate"):
        await FILES.write_text(tmp_path / "f", "a\ud800", TextFormat(), Absent())
    assert names(tmp_path) == []


async def test_pipes_and_devices_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(FsError) as refused:
            await FILES.read_text(path)
        assert refused.value.code == NOT_REGULAR_FILE


async def test_a_missing_file_has_a_code(tmp_path: Path) -> None:
    with pytest.raises(FsError) as refused:
        await FILES.read_text(tmp_path / "f")
    assert refused.value.code == NOT_FOUND
    assert await FILES.kind(tmp_path / "f") == "absent"


@pytest.mark.parametrize(
    "raw", [b"", b"a", b"a\n", b"a\r\nb\rc\n\nd", b"\xef\xbb\xbfx\ny\n", "\u2028\n\u4e2d".encode()]
)
@pytest.mark.parametrize(("first", "count"), [(1, 1), (1, 99), (2, 2), (9, 1)])
async def test_a_streamed_window_equals_one_of_the_whole(
    raw: bytes, first: int, count: int, tmp_path: Path
) -> None:
    path = tmp_path / "f"
    path.write_bytes(raw)
    text = (await FILES.read_text(path)).text
    with path.open("rb") as file:
        assert stream_window(file, path, first, count) == window_of(text, first, count)


async def test_a_large_file_is_streamed_and_told_apart_by_its_metadata(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"".join(b"%d line\n" % number for number in range(1, 1_200_001)))
    window = await FILES.read_window(path, 1_000_000, 2)
    assert window.lines == ("1000000 line", "1000001 line")
    assert window.total == 1_200_000
    assert window.version.sha256 == ""
    assert (await FILES.read_text(path)).version.matches(window.version)
