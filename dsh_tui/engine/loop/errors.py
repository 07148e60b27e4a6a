"""Errors of the loop: how a turn stops short.

LoopError
└── RequestFailedError      the model gave no answer, and nobody wanted to try again
"""

from __future__ import annotations

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.llm.chunks import Failure


class LoopError(HarnessError):
    """A turn could not go on."""

    code = "LOOP"


class RequestFailedError(LoopError):
    """Carries the provider's failure, which the log keeps in ``turn/end``."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure["message"], code=failure["code"])
        self.failure = failure
