"""The filter between terminal and key parser."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.terminal.paste_guard import END, START, PasteGuard


def fed(*pieces: str) -> str:
    guard = PasteGuard()
    return "".join(guard.feed(piece) for piece in pieces)


def test_keys_pass_as_they_are() -> None:
    assert fed("a\x1b", "[A\x07", "\x1b[20", "~") == "a\x1b[A\x07\x1b[20~"


@pytest.mark.parametrize(
    ("pasted", "passed"),
    [
        ("one\rtwo", "one\ntwo"),
        ("a\x1b[31mb", "ab"),
        ("a\x07b\x00c", "abc"),
        ("\x1b]0;owned\x07x", "x"),
        ("a\x1b", "a"),
        ("\x1b[200~a", "a"),
    ],
)
def test_a_paste_passes_as_text_alone(pasted: str, passed: str) -> None:
    assert fed(f"x{START}{pasted}{END}y\x1b[A") == f"x{START}{passed}{END}y\x1b[A"


@given(
    st.lists(st.sampled_from(["a", "中", "\r", "\x1b", "[", "2", "0", "1", "~", "\x07", START]), max_size=12),
    st.lists(st.integers(0, 40), max_size=8),
)
def test_how_the_input_is_cut_into_reads_changes_nothing(pasted: list[str], cuts: list[int]) -> None:
    text = f"k{START}{''.join(pasted)}{END}\x1b[Az{START}b{END}"
    places = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    assert fed(*(text[a:b] for a, b in itertools.pairwise(places))) == fed(text)
    assert fed(text).startswith(f"k{START}")
