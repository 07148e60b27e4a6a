"""The window's title: the old one is kept once, and given back whenever ours goes."""

from __future__ import annotations

from dsh_tui.terminal.driver import TerminalDriver


class Written(TerminalDriver):
    """A driver that has the terminal, and keeps what it would write to it."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self._holds_terminal = True

    def write(self, data: str) -> None:
        self.told.append(data)


def test_the_old_title_is_kept_before_the_first_and_given_back_after_the_last() -> None:
    driver = Written()
    for text in ("one", "two", "", "three", ""):
        driver.show_title(text)
    assert driver.told == [
        "\x1b[22;2t\x1b]2;one\a",
        "\x1b]2;two\a",
        "\x1b[23;2t",
        "\x1b[22;2t\x1b]2;three\a",
        "\x1b[23;2t",
    ]


def test_no_title_was_kept_so_none_is_given_back() -> None:
    driver = Written()
    driver.show_title("")
    assert driver.told == []


def test_a_program_that_has_the_terminal_meanwhile_is_not_written_over() -> None:
    driver = Written()
    driver._holds_terminal = False
    driver.show_title("one")
    driver.tell("\a")
    assert driver.told == []
