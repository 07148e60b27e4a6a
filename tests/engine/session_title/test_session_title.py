"""Titles: the first words at once, the user's own for good, and never a control character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.messages import USER_SOURCE
from dsh_tui.engine.session import plugin as sessions_plugin
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSIONS
from dsh_tui.engine.session_title import clean_title, fallback_title, plugin, rename


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Fix the bug", "Fix the bug"),
        ("one two three four five six", "one two three four five"),
        ("  spaces\n\tand lines  ", "spaces and lines"),
        ("\x1b[31mred\x07", "[31mred"),
        ("a\u202eb\u200bc", "abc"),
        ("the test in calc.py fails, please fix it", "the test in calc.py fails"),
        ("x" * 100, "x" * 40),
        ("修复这个错误" * 5, "修复这个错误修复这个错误修"),
        ("half \ud83d pair", "half pair"),
        ("\x00\x01", ""),
    ],
)
def test_the_fallback_is_the_first_words(text: str, title: str) -> None:
    assert fallback_title(text) == title


@given(st.text())
def test_a_fallback_always_is_one_short_printable_line(text: str) -> None:
    title = fallback_title(text)
    assert len(title.encode()) <= 40
    assert len(title.split()) <= 5
    assert clean_title(title) == title


async def _session(root: Context) -> Session:
    await root.plugin(sessions_plugin)
    await root.plugin(plugin)
    return root[SESSIONS].create(id="s1")


def _prompt(session: Session, words: str) -> None:
    turn = session.last_turn + 1
    session.append("turn/start", {"turn": turn, "trigger": {"kind": "message", "source": USER_SOURCE}})
    session.append("user/message", {"id": f"m{turn}", "content": (text_block(words),), "source": USER_SOURCE})
    session.append("turn/end", {"turn": turn, "reason": {"kind": "completed"}})


def _titles(session: Session) -> list[tuple[str, str]]:
    return [
        (event.data["title"], event.data["source"])
        for event in session.events
        if event.type == "session/title"
    ]


async def test_the_first_prompt_titles_the_session_inside_its_turn(root: Context) -> None:
    session = await _session(root)
    _prompt(session, "Fix the bug")
    _prompt(session, "And the other one")
    assert _titles(session) == [("Fix the bug", "fallback")]


async def test_a_prompt_without_words_leaves_the_title_to_the_next(root: Context) -> None:
    session = await _session(root)
    _prompt(session, "\x00")
    _prompt(session, "Hello")
    assert _titles(session) == [("Hello", "fallback")]


async def test_a_users_title_is_cleaned_and_never_replaced(root: Context) -> None:
    session = await _session(root)
    rename(session, "My\x1b work\n")
    _prompt(session, "Fix the bug")
    assert _titles(session) == [("My work", "user")]
    assert session.open_turn is None


async def test_a_title_of_nothing_is_refused(root: Context) -> None:
    session = await _session(root)
    with pytest.raises(ValueError, match="printable"):
        rename(session, "\x00 \n")
    assert len(session.events) == 0


async def test_a_session_that_has_a_title_keeps_it_after_a_reload_of_the_plugin(root: Context) -> None:
    await root.plugin(sessions_plugin)
    first = root.plugin(plugin)
    await first
    session = root[SESSIONS].create(id="s1")
    _prompt(session, "Fix the bug")
    await first.dispose()
    await root.plugin(plugin)
    _prompt(session, "Something else")
    seeded = root[SESSIONS].create(id="s2", seed=session.events)
    _prompt(seeded, "Yet another")
    assert _titles(session) == _titles(seeded) == [("Fix the bug", "fallback")]
