"""Every failure that a model service can cause names the next key or command."""

from __future__ import annotations

import json

import pytest

from dsh_tui.engine.llm.deepseek.failures import closed_error, http_error, malformed, transport_error
from dsh_tui.engine.llm.errors import LlmError
from dsh_tui.engine.projection.notices import end_notice


def refused(status: int, said: str) -> LlmError:
    body = json.dumps({"error": {"message": said}}).encode()
    return http_error(status, {}, body, now_ms=0)


@pytest.mark.parametrize(
    ("error", "names", "next_step"),
    [
        (refused(401, "Authentication Fails"), "API key", "/key"),
        (refused(402, "Insufficient Balance"), "balance", "/key"),
        (refused(429, "slow down"), "Too many requests", "send again"),
        (refused(503, "overloaded"), "problem", "/model"),
        (refused(400, "Model Not Exist"), "Model Not Exist", "/model"),
        (refused(400, "maximum context length is 131072 tokens"), "longer than the model takes", "/new"),
        (refused(400, "bad field"), "bad field", "/new"),
        (refused(404, "not found"), "404", "/server"),
        (transport_error(OSError("unknown name"), "api.deepseek.com"), "api.deepseek.com", "/server"),
        (closed_error(), "before the answer was complete", "Send again"),
        (malformed("<html>"), "<html>", "/server"),
        (LlmError("No API key.", code="MISSING_CREDENTIAL"), "No API key", "/key"),
        (LlmError("Something new.", code="NEVER_SEEN"), "Something new", "Send again"),
    ],
)  # fmt: skip
def test_a_failed_request_says_what_happened_and_what_to_do(
    error: LlmError, names: str, next_step: str
) -> None:
    notice = end_notice(1, {"kind": "error", "step": 1, "message": error.message, "code": error.code})
    assert notice is not None
    assert notice.tone == "error"
    assert names in notice.text
    assert next_step in notice.hint
