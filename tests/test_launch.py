"""What the command line asks for, read from what was typed."""

from __future__ import annotations

import pytest

from dsh_tui.launch import ForkPoint


@pytest.mark.parametrize(
    ("text", "session_id", "seq"),
    [
        ("s1", "s1", None),
        ("s1@0", "s1", 0),
        ("s1@17", "s1", 17),
        ("dsh-tui:--work--/s1@17", "dsh-tui:--work--/s1", 17),
        ("me@work", "me@work", None),
        ("me@work@17", "me@work", 17),
        ("s1@", "s1@", None),
        ("@17", "@17", None),
        ("s1@-1", "s1@-1", None),
        ("s1@²", "s1@²", None),
        ("s1@" + "9" * 5_000, "s1@" + "9" * 5_000, None),
    ],
)
def test_a_fork_is_cut_where_a_number_stands_behind_the_last_at(
    text: str, session_id: str, seq: int | None
) -> None:
    assert ForkPoint.parse(text) == ForkPoint(session_id, seq)
