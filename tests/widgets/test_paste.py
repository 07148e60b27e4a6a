from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.widgets.paste import CHIP, Pastes, chip_before, clean


@pytest.mark.parametrize(
    ("pasted", "cleaned"),
    [
        ("one\rtwo\rthree", "one\ntwo\nthree"),
        ("a\tb\r\nc", "a\tb\nc"),
        ("a\x1b[31mb", "ab"),
        ("x\x1b]0;title\x07y\x00z", "xyz"),
        ("中文 👩‍👩‍👧", "中文 👩‍👩‍👧"),
    ],
)
def test_a_paste_loses_what_would_drive_the_terminal_and_nothing_else(pasted: str, cleaned: str) -> None:
    assert clean(pasted) == cleaned


def test_a_large_paste_becomes_a_chip_that_says_how_large() -> None:
    pastes = Pastes()
    assert pastes.fold("short") == "short"
    assert pastes.fold("line\n" * 119 + "line") == "[paste #1 · 120 lines]"
    assert pastes.fold("x" * 1_000_000) == "[paste #2 · 1,000,000 characters]"


@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=4))
def test_what_is_sent_is_what_was_pasted(texts: list[str]) -> None:
    pastes = Pastes()
    texts = [clean(text) + "\n" * 20 for text in texts]
    draft = " and ".join(pastes.fold(text) for text in texts)
    assert pastes.expand(draft) == " and ".join(texts)


def test_a_chip_nobody_pasted_stays_as_it_is_written() -> None:
    draft = "[paste #7 · 120 lines]"
    assert Pastes().expand(draft) == draft
    assert not Pastes().holds(draft)


def test_a_chip_is_found_only_where_it_ends() -> None:
    line = "see [paste #1 · 120 lines] there"
    end = line.index("]") + 1
    assert chip_before(line, end) == 4
    assert chip_before(line, end - 1) is None
    assert CHIP.search(line)
