"""What servers say when they refuse: codes, waits and quotes, without a server."""

from __future__ import annotations

import pytest

from dsh_tui.engine.llm.deepseek.failures import http_error, quote, retry_after_ms

NOW = 1_760_000_000_000  # Thu, 09 Oct 2025 08:53:20 GMT


@pytest.mark.parametrize(
    ("header", "delay"),
    [
        ("3", 3000),
        (" 3 ", 3000),
        ("Thu, 09 Oct 2025 08:53:25 GMT", 5000),
        ("Thu, 09 Oct 2025 10:53:25 +0200", 5000),
        ("Thu, 09 Oct 2025 08:53:20 GMT", None),
        ("Thu, 09 Oct 2025 08:53:00 GMT", None),
        ("9" * 40, 10**12),
        ("0", None),
        ("-5", None),
        ("1.5", None),
        ("\u0663", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_only_a_time_to_come_is_a_wait(header: str | None, delay: int | None) -> None:
    assert retry_after_ms(header, now_ms=NOW) == delay


def test_a_date_is_never_taken_for_less_than_it_says() -> None:
    assert retry_after_ms("Thu, 09 Oct 2025 08:53:25 GMT", now_ms=NOW + 1) == 5000


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "(empty body)"),
        (b" \n", "(empty body)"),
        (b"<!doctype html>", "(an HTML page)"),
        (b"plain \x1b[31mtext\n2", "plain [31mtext 2"),
        (b'{"error": {"message": "m"}}', "m"),
        (b'{"error": "e"}', "e"),
        (b'{"detail": "d"}', "d"),
        (b'{"other": 1}', '{"other": 1}'),
        (b"\xff", "\ufffd"),
        (b"x" * 9999, "x" * 500),
    ],
)
def test_a_server_is_quoted_on_one_short_line(body: bytes, said: str) -> None:
    assert quote(body) == said


def test_a_quota_with_a_time_to_wait_is_a_rate_limit() -> None:
    assert http_error(429, {}, b"quota exceeded", now_ms=NOW).code == "QUOTA"
    assert http_error(429, {"retry-after": "9"}, b"quota exceeded", now_ms=NOW).code == "RATE_LIMIT"
