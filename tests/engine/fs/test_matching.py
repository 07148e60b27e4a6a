"""Finding and replacing text literally, line ends aside."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.fs.errors import AMBIGUOUS_EDIT, EDIT_NOT_FOUND, INVALID_EDIT, FsError
from dsh_tui.engine.fs.matching import replace_text

PATH = Path("/w/f.txt")


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("one\r\ntwo\r\nthree\r\n", "one\ntwo", "one\n1.5\ntwo", "one\r\n1.5\r\ntwo\r\nthree\r\n"),
        ("one\r\ntwo\r\n", "two", "2a\n2b", "one\r\n2a\r\n2b\r\n"),
        ("a\nb\n", "a\r\nb", "a\r\nc", "a\nc\n"),
        ("one\r\ntwo", "one\ntwo", "one\nTWO", "one\r\nTWO"),
        ("a\rb\nc\n", "c", "d", "a\rb\nd\n"),
        ("x = 1", "1", r"\1 \g<0> $& %s {0}", r"x = \1 \g<0> $& %s {0}"),
        ("a\nlast", "last", "last\n", "a\nlast\n"),
        ("a\nlast\n", "last\n", "last", "a\nlast"),
        ("abc", "abc", "", ""),
        ("mixed\r\nends\nhere\n", "mixed\nends", "m\ne", "m\r\ne\nhere\n"),
    ],
)
def test_one_match_is_replaced_and_nothing_else_changes(text: str, old: str, new: str, after: str) -> None:
    assert replace_text(text, old, new, PATH, every=False) == (after, 1)


def test_every_match_is_replaced_once_even_if_the_new_text_contains_the_old() -> None:
    assert replace_text("a a\n", "a", "aa", PATH, every=True) == ("aa aa\n", 2)
    assert replace_text("a\r\na\r\n", "a\n", "b\n", PATH, every=True) == ("b\r\nb\r\n", 2)


@pytest.mark.parametrize(
    ("text", "old", "new", "code", "words"),
    [
        ("x\nx\n", "x", "y", AMBIGUOUS_EDIT, "2 matches"),
        ("aaa", "aa", "b", AMBIGUOUS_EDIT, "2 matches"),
        ("x", "z", "y", EDIT_NOT_FOUND, "not found"),
        ("axb", "a.b", "q", EDIT_NOT_FOUND, "not found"),
        ("\tx", "    x", "y", EDIT_NOT_FOUND, "white space"),
        ("cafe\u0301", "caf\u00e9", "tea", EDIT_NOT_FOUND, "normal form"),
        ("abc", "", "z", INVALID_EDIT, "empty search text"),
        ("abc", "abc", "abc", INVALID_EDIT, "nothing to change"),
        ("a\r\nb", "a\r\nb", "a\nb", INVALID_EDIT, "nothing to change"),
    ],
)
def test_an_edit_that_is_not_clear_is_refused(text: str, old: str, new: str, code: str, words: str) -> None:
    with pytest.raises(FsError) as refused:
        replace_text(text, old, new, PATH, every=False)
    assert refused.value.code == code
    assert words in refused.value.message


SMALL = st.text(alphabet="ab\n\r", max_size=12)


@given(text=SMALL, old=SMALL, new=SMALL)
def test_a_replacement_agrees_with_python_where_there_are_no_carriage_returns(
    text: str, old: str, new: str
) -> None:
    text, old, new = (part.replace("\r", "") for part in (text, old, new))
    try:
        after, places = replace_text(text, old, new, PATH, every=True)
    except FsError:
        assert not old or old == new or old not in text
    else:
        assert after == text.replace(old, new)
        assert places == text.count(old)


@given(lines=st.lists(st.sampled_from("abc"), min_size=1, max_size=8), pick=st.integers(0, 7))
def test_a_file_with_crlf_ends_never_gains_a_bare_line_feed(lines: list[str], pick: int) -> None:
    text = "".join(f"{line}\r\n" for line in lines)
    old = lines[pick % len(lines)] + "\n"
    after, _ = replace_text(text, old, "x\ny\n", PATH, every=True)
    assert after.replace("\r\n", "").count("\n") == 0
