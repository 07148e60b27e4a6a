"""Characters far outside ASCII in a command: they ended the process once, inside the grammar's scanner."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from dsh_tui.engine.permissions import grammar

FAR = ("\U0010702d", "\U0010ffff", "\U000e0ed2", "\U0001f600", "\u4e00", "\u00e9")


@pytest.mark.parametrize("far", FAR)
def test_a_far_character_anywhere_is_part_of_a_word(far: str) -> None:
    lines = (f"  {far}®{{{far} 5", f"ls {{{far}..5}}", f"${{{far}}}", f"<<{far}\n{far}\n", f"[[ {far} ]]")
    for line in lines:
        for _ in range(100):
            grammar.parse(line.encode())
    parsed = grammar.parse(f"git {far} log; rm x{far}".encode())
    assert [len(command.words) for command in parsed.commands] == [3, 2]
    assert [command.words[0].text for command in parsed.commands] == ["git", "rm"]
    assert not parsed.broken


def test_threads_parse_side_by_side() -> None:
    lines = [f"git log -{number}; rm x{number} | cat <<E\nE\n".encode() for number in range(400)]
    expected = list(map(grammar.parse, lines))
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: list(map(grammar.parse, lines)), range(8)):
            assert found == expected
