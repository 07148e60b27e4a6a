"""What is said when the app has left."""

from __future__ import annotations

from dsh_tui.start import goodbye


def test_the_last_words_name_the_session_its_log_and_what_was_not_sent() -> None:
    assert goodbye("s1", "/h/s1/session.jsonl", ["and the docs", "then the tests"]) == (
        "Resume: dsh-tui --resume s1\nLog:    /h/s1/session.jsonl\n"
        "Not sent: and the docs\nNot sent: then the tests\n"
    )
    assert goodbye("", "", []) == ""


def test_the_command_that_comes_back_can_be_pasted_whatever_the_session_is_called() -> None:
    assert "--resume 'a (copy)'\n" in goodbye("a (copy)", "/h/a (copy)/session.jsonl", [])


def test_names_of_folders_do_not_drive_the_terminal() -> None:
    assert "\x1b" not in goodbye("a\x1b[31m", "/h/a\x1b[31m/session.jsonl", ["\x1b[2J"])
