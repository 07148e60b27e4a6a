"""Hunks that are complete, small, and quick for any input."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.fs.diff import Diff, diff_texts


def patched(old: str, diff: Diff) -> str:
    """The old text with the hunks applied, as a reader of the diff would."""
    before = old.split("\n")
    after: list[str] = []
    position = 0
    for hunk in diff.hunks:
        after += before[position : hunk.old_start - 1]
        position = hunk.old_start - 1
        assert len(after) == hunk.new_start - 1
        for line in hunk.lines:
            if line[0] != "+":
                assert before[position] == line[1:]
                position += 1
            if line[0] != "-":
                after.append(line[1:])
    return "\n".join(after + before[position:])


LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30)


@given(LINES, LINES)
def test_applying_the_hunks_gives_the_new_text(old: list[str], new: list[str]) -> None:
    before, after = "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)
    diff = diff_texts(before, after)
    assert patched(before, diff) == after
    assert sum(line[0] == "+" for hunk in diff.hunks for line in hunk.lines) == diff.added
    assert sum(line[0] == "-" for hunk in diff.hunks for line in hunk.lines) == diff.removed


def test_a_change_is_shown_with_three_lines_around_it() -> None:
    old = "".join(f"{number}\n" for number in range(1, 21))
    (hunk,) = diff_texts(old, old.replace("10\n", "ten\n")).hunks
    assert (hunk.old_start, hunk.new_start) == (7, 7)
    assert hunk.lines == (" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13")


def test_far_changes_are_hunks_of_their_own() -> None:
    old = "".join(f"{number}\n" for number in range(1, 41))
    diff = diff_texts(old, old.replace("5\n", "five\n", 1).replace("35\n", "x\n"))
    assert [hunk.old_start for hunk in diff.hunks] == [2, 32]


def test_line_ends_are_not_shown_but_a_change_of_them_alone_is() -> None:
    assert diff_texts("a\r\nb\r\n", "a\r\nc\r\n").hunks[0].lines == (" a", "-b", "+c")
    assert diff_texts("a\r\n", "a\n").hunks[0].lines == ("-a\r", "+a")
    assert diff_texts("last", "last\n").hunks[0].lines == ("-last", "+last")
    assert diff_texts("same", "same").hunks == ()


def test_a_new_file_is_all_added() -> None:
    value = diff_texts("", "a\nb\n").to_json("f", created=True)
    assert value == {
        "path": "f",
        "added": 2,
        "removed": 0,
        "hunks": ({"oldStart": 1, "newStart": 1, "lines": ("+a", "+b")},),
        "created": True,
    }


def test_a_limit_cuts_lines_and_says_how_many() -> None:
    value = diff_texts("", "a\n" * 10).to_json("f", limit=4)
    assert len(value["hunks"][0]["lines"]) == 4
    assert (value["added"], value["cut"]) == (10, 6)


def test_two_large_and_wholly_different_texts_do_not_take_forever() -> None:
    old = "".join(f"{number} old\n" for number in range(20_000))
    new = "".join(f"{number} new\n" for number in range(20_000))
    started = time.monotonic()
    diff = diff_texts(old, new)
    assert time.monotonic() - started < 5
    assert (diff.added, diff.removed) == (20_000, 20_000)
