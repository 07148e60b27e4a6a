"""How a long result is cut."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_tui.engine.compaction.shorten import HEAD, LONG, TAIL, length, note, shortened
from dsh_tui.engine.llm.blocks import text_block

IMAGE: Any = {"type": "image", "data": "…"}
"""A kind of block that a plugin may add."""


def test_both_ends_stay_and_the_note_says_how_much_is_missing_and_where_all_of_it_is() -> None:
    text = "".join(f"line {number}\n" for number in range(2_000))
    content = [text_block(text)]
    between = note(length(content), "/home/me/spill/s1/c1.txt")
    (block,) = shortened(content, between)
    assert block["type"] == "text"
    assert block["text"] == text[:HEAD] + between + text[-TAIL:]
    gone = len(text) - HEAD - TAIL
    assert f"{gone:,} of {len(text):,} characters" in between
    assert "The whole of it: /home/me/spill/s1/c1.txt" in between


def test_where_nothing_could_be_kept_the_note_names_no_file() -> None:
    assert "make the call again" in note(20_000, None)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_other_blocks_stay_at_their_places(place: int) -> None:
    texts: list[Any] = [text_block("a" * HEAD), text_block("b" * LONG)]
    kept = shortened([*texts[:place], IMAGE, *texts[place:]], "[note]")
    assert kept[place] == IMAGE
    assert "".join(block["text"] for block in kept if block["type"] == "text") == (
        "a" * HEAD + "[note]" + "b" * TAIL
    )


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.just(None),
            st.tuples(st.sampled_from(["a", "长", "\n", "😀"]), st.integers(0, 6_000)),
        ),
        max_size=6,
    )
)
def test_whatever_is_long_is_its_ends_around_one_note_and_no_longer_long(
    made: list[tuple[str, int] | None],
) -> None:
    content: list[Any] = [IMAGE if one is None else text_block(one[0] * one[1]) for one in made]
    whole = "".join(block["text"] for block in content if block["type"] == "text")
    if len(whole) <= LONG:
        return
    between = note(len(whole), None)
    kept = shortened(content, between)
    text = "".join(block["text"] for block in kept if block["type"] == "text")
    assert text == whole[:HEAD] + between + whole[-TAIL:]
    assert length(kept) <= LONG
    assert [block for block in kept if block["type"] != "text"] == [one for one in content if one == IMAGE]
