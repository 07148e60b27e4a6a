"""The end of a stream in memory, the whole in a file."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.shell.tail import StreamTail
from dsh_tui.engine.spill.store import SpillFile, SpillStore


def nowhere() -> SpillFile | None:
    return None


def test_a_short_stream_is_all_there() -> None:
    tail = StreamTail(nowhere, kept=10)
    tail.feed(b"hello")
    tail.finish()
    output = tail.output()
    assert (output.text, output.truncated, output.lossy) == ("hello", False, False)


def test_a_long_stream_keeps_its_end_and_the_file_has_all_of_it(tmp_path: Path) -> None:
    store = SpillStore(tmp_path / "spill")
    tail = StreamTail(lambda: store.open("s", "c1-stdout"), kept=100)
    whole = b"".join(b"%d\n" % number for number in range(1000))
    for start in range(0, len(whole), 7):
        tail.feed(whole[start : start + 7])
    tail.finish()
    output = tail.output()
    assert output.text.encode() == whole[-100:]
    assert output.truncated
    assert output.spill_path is not None
    assert output.spill_path.read_bytes() == whole
    assert output.spill_path.stat().st_mode & 0o777 == 0o600


def test_a_stream_beyond_the_cap_of_files_has_no_file(tmp_path: Path) -> None:
    store = SpillStore(tmp_path / "spill", file_cap=200)
    tail = StreamTail(lambda: store.open("s", "c1"), kept=100)
    for _ in range(50):
        tail.feed(b"0123456789")
    tail.finish()
    output = tail.output()
    assert (output.truncated, output.spill_path) == (True, None)
    assert list((tmp_path / "spill" / "s").iterdir()) == []


@given(text=st.text(min_size=1, max_size=40), cut=st.integers(1, 5))
def test_characters_cut_between_reads_come_out_whole(text: str, cut: int) -> None:
    text = text.encode("utf-8", "ignore").decode()
    raw = text.encode()
    tail = StreamTail(nowhere)
    pieces = []
    for start in range(0, len(raw), cut):
        tail.feed(raw[start : start + cut])
        pieces.append(tail.read_new().text)
    tail.finish()
    pieces.append(tail.read_new().text)
    assert "".join(pieces) == text
    assert (tail.output().text, tail.output().lossy) == (text, False)


@given(st.text("\u4e2d\u00e9x", min_size=20, max_size=60), st.integers(4, 15))
def test_the_cut_at_the_front_never_tears_a_character(text: str, kept: int) -> None:
    tail = StreamTail(nowhere, kept=kept)
    tail.feed(text.encode())
    tail.finish()
    assert text.endswith(tail.output().text)
    assert not tail.output().lossy


def test_bytes_that_are_no_characters_are_replaced_and_owned_up_to() -> None:
    tail = StreamTail(nowhere)
    tail.feed(b"a\xffb\xe4\xb8")
    assert (tail.output().text, tail.output().lossy) == ("a\ufffdb", True)
    tail.finish()
    assert tail.output().text == "a\ufffdb\ufffd"


def test_new_output_is_told_once_and_gaps_are_told(tmp_path: Path) -> None:
    tail = StreamTail(nowhere, kept=10)
    tail.feed(b"one")
    assert tail.read_new().text == "one"
    assert tail.read_new().text == ""
    tail.feed(b"0123456789abcdef")
    late = tail.read_new()
    assert (late.text, late.truncated) == ("6789abcdef", True)


def test_the_last_line_is_the_last_with_something_in_it() -> None:
    tail = StreamTail(nowhere)
    tail.feed(b"one\n 50%\r 51%\r\n\n")
    assert tail.last_line() == "51%"
