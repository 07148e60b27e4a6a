"""What an empty draft says in each state."""

from __future__ import annotations

from typing import Any

import pytest

from dsh_tui.screens.composer_words import BUSY, DEMO, IDLE, KEYLESS, ComposerWords, composer_words

QUIET: dict[str, Any] = {  # Any: keyword arguments
    "trouble": "",
    "keyless": False,
    "demo": False,
    "read_only": "",
    "busy": False,
    "queued": 0,
}
PLAYED = "recording ended: old.jsonl is only shown; /new starts a session"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({}, ComposerWords(placeholder=IDLE)),
        ({"queued": 2}, ComposerWords(placeholder=IDLE, hint="queued: 2")),
        ({"busy": True}, ComposerWords(placeholder=BUSY, hint="enter queues · esc stops")),
        ({"demo": True, "read_only": PLAYED}, ComposerWords(placeholder=DEMO, hint="esc starts a session")),
        ({"copies": True, "read_only": "only read"}, ComposerWords(placeholder="only read")),
    ],
)
def test_where_sending_works_nothing_is_locked(state: dict[str, Any], words: ComposerWords) -> None:
    assert composer_words(**{**QUIET, **state}) == words


@pytest.mark.parametrize(
    ("state", "placeholder", "locked"),
    [
        ({"trouble": "no engine", "keyless": True}, IDLE, "did not start"),
        ({"keyless": True, "demo": True, "read_only": PLAYED}, KEYLESS, "/key"),
        ({"read_only": PLAYED}, "old.jsonl is only shown; /new starts a session", "old.jsonl is only shown"),
        ({"read_only": "held by 7: see there"}, "held by 7: see there", "held by 7: see there"),
    ],
)  # fmt: skip
def test_where_it_does_not_the_reason_is_said(state: dict[str, Any], placeholder: str, locked: str) -> None:
    words = composer_words(**{**QUIET, **state})
    assert words.placeholder == placeholder
    assert words.locked.startswith(locked) or locked in words.locked
