from __future__ import annotations

import pytest
from textual.content import Content

from dsh_tui.engine.projection.views import RetryView, StatusView
from dsh_tui.widgets.columns import gauge
from dsh_tui.widgets.header_bar import HeaderFacts, clock, header_line
from dsh_tui.widgets.status_bar import NOTICE_ROWS, amount, notice_rows, status_line
from tests.fakes.fake_chat import NOON, running


@pytest.mark.parametrize("width", [20, 30, 40, 60, 80, 120, 200])
def test_mode_and_state_stay_at_every_width_and_nothing_overflows(width: int) -> None:
    line = status_line(running(mode="edits"), NOON + 42_000, width, None, "ctrl+p palette")
    assert line.cell_length == width
    assert "edits" in line.plain
    assert line.plain.rstrip().endswith("running")


def test_fields_go_from_the_right() -> None:
    wide = status_line(running(), NOON, 120, None, "ctrl+p palette").plain
    narrow = status_line(running(), NOON, 56, None, "ctrl+p palette").plain
    assert "deepseek-flash high" in narrow
    assert "cache" not in narrow
    fields = ("deepseek", "context", "cache", "≈$0.0061", "↑", "ctrl+p")
    assert [wide.index(word) for word in fields] == sorted(wide.index(word) for word in fields)


def test_silence_is_said_after_two_seconds_and_only_while_running() -> None:
    def line(silent_ms: int, **rest: object) -> str:
        return status_line(running(last_activity=NOON, **rest), NOON + silent_ms, 120, None).plain

    assert "silent" not in line(2_000)
    assert "model silent 3 s" in line(3_400)
    assert "silent" not in line(9_000, state="idle")


def test_a_retry_says_when_it_will_be() -> None:
    status = running(retry=RetryView(attempt=2, limit=5, due=NOON + 3_400, message="429"))
    assert "retry 2 of 5 in 4 s" in status_line(status, NOON, 120, None).plain


def test_markup_in_a_model_name_is_only_text() -> None:
    assert "[/bold]x" in status_line(StatusView(model="[/bold]x"), NOON, 80, None).plain


def test_a_notice_that_fits_the_line_has_no_rows_of_its_own() -> None:
    assert notice_rows(Content("Copied 12 lines"), running(), 80) == []


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_notice_that_does_not_fit_is_wrapped_and_what_is_cut_shows(width: int) -> None:
    words = "settings.yaml:1: unknown key `modle`; did you mean `mode` or `model`? " * 3
    rows = notice_rows(Content(words), running(), width)
    assert 1 <= len(rows) <= NOTICE_ROWS
    assert all(row.cell_length <= width for row in rows)
    told = " ".join(row.plain for row in rows)
    assert words.strip() == told or told.endswith("…")
    assert words.startswith(told.rstrip("…").rstrip())


@pytest.mark.parametrize("width", [12, 20, 40, 80, 120])
def test_the_header_keeps_the_state_at_every_width(width: int) -> None:
    facts = HeaderFacts(
        project="payments-api",
        branch="main",
        title="Fix the flaky retry test " * 4,
        state="running",
        elapsed_s=42,
    )
    line = header_line(facts, width)
    assert line.cell_length <= width
    assert "running" in line.plain


def test_the_header_shows_where_what_and_since_when() -> None:
    facts = HeaderFacts(
        project="api", branch="main", title="Fix it", state="running", elapsed_s=3_725, waiting=2
    )
    plain = header_line(facts, 120).plain
    assert all(part in plain for part in ("api", "⎇ main", "Fix it", "running 1:02:05", "2 waiting"))


def test_amounts_clocks_and_gauges_are_short() -> None:
    assert [amount(n) for n in (950, 12_400, 128_000, 1_250_000)] == ["950", "12.4k", "128k", "1.2M"]
    assert [clock(n) for n in (0, 42, 725, 3_725)] == ["0:00", "0:42", "12:05", "1:02:05"]
    assert [gauge(n, 4) for n in (0, 50, 100)] == ["    ", "██  ", "████"]
