from __future__ import annotations

import io

import pytest

from dsh_tui.engine.persistence.jsonl.marked_lines import marked_lines

MARK = b'{"type":"session/'
PIECE = 1 << 20


@pytest.mark.parametrize("before", range(-len(MARK) - 12, 4))
def test_a_line_is_found_wherever_the_pieces_end(before: int) -> None:
    line = MARK + b'cwd","seq":7}'
    filler = b"x" * (PIECE + before - 2)
    data = b"\n" + filler + b"\n" + line + b"\n" + b"y" * 50 + b"\n" + line + b"\n"
    assert list(marked_lines(io.BytesIO(data), 0, len(data), MARK)) == [line, line]


def test_only_whole_lines_between_the_two_places_are_given() -> None:
    lines = [MARK + b"%d}" % number for number in range(4)]
    data = b"\n".join([*lines, b""])
    start, stop = data.index(b"\n"), data.rindex(lines[3])
    assert list(marked_lines(io.BytesIO(data), start, stop, MARK)) == lines[1:3]
    assert list(marked_lines(io.BytesIO(data), start, stop - 1, MARK)) == lines[1:2]


def test_what_is_said_in_a_line_is_no_line() -> None:
    data = b'\n{"type":"user/message","data":"' + MARK + b'cwd"}\n'
    assert list(marked_lines(io.BytesIO(data), 0, len(data), MARK)) == []


def test_a_line_longer_than_a_piece_is_given_whole() -> None:
    line = MARK + b"t" * (2 * PIECE) + b"}"
    data = b"\n" + line + b"\n"
    assert list(marked_lines(io.BytesIO(data), 0, len(data), MARK)) == [line]
