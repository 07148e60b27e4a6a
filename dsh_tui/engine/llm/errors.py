"""Errors of the model seam.

LlmError                     a request failed; knows everything a ``Failure`` holds
├── UnknownProviderError     no adapter serves this route
└── DuplicateAdapterError    a route is taken

Codes an adapter may use: capabilities A3 (``AUTH``, ``QUOTA``, ``RATE_LIMIT``, ``SERVER``, ``TRANSPORT`` …).
"""

from __future__ import annotations

from typing import Self

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.chunks import Failure


class LlmError(HarnessError):
    """A model request that failed. The message is for people and never holds a key."""

    code = "LLM"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        status: int | None = None,
        retry_after_ms: int | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.status = status
        self.retry_after_ms = retry_after_ms
        self.request_id = request_id

    def failure(self) -> Failure:
        """The error in the form of the log."""
        failure = Failure(message=self.message, code=self.code)
        if self.status is not None:
            failure["status"] = self.status
        if self.retry_after_ms is not None:
            failure["providerRetryAfterMs"] = self.retry_after_ms
        if self.request_id is not None:
            failure["requestId"] = self.request_id
        return freeze(failure)

    def without(self, secret: str) -> Self:
        """This error with the secret blotted out wherever a server repeated it."""
        if secret:
            self.args = (self.message.replace(secret, "[key]"),)
            self.request_id = self.request_id and self.request_id.replace(secret, "[key]")
        return self


class UnknownProviderError(LlmError):
    """No adapter is registered for the route."""

    code = "UNKNOWN_PROVIDER"


class DuplicateAdapterError(LlmError):
    """Another adapter already serves one of the routes; nothing was registered."""

    code = "DUPLICATE_ADAPTER"
