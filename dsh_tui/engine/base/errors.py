"""Errors of the engine.

HarnessError                 every error of ours; has a stable ``code``
├── KernelError              plugins, services, effects      (kernel.errors)
├── LlmError                 providers and streams           (llm.errors)
├── SessionError             the log and its stores          (session.errors, persistence.errors)
└── ToolError                what a tool tells the model     (tools.errors)

The tree is drawn here and grown by one ``errors.py`` a package.
"""

from __future__ import annotations


class HarnessError(Exception):
    """An error with a code that programs can match and a message that people can read."""

    code: str = "HARNESS"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code

    @property
    def message(self) -> str:
        return str(self.args[0]) if self.args else ""


def error_chain(error: BaseException) -> str:
    """The messages of an error and of its causes, innermost last, joined by ``: ``.

    DNS and TLS details live in causes; repeated messages are printed once.
    """
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        text = str(current).strip() or type(current).__name__
        said = current.strerror if isinstance(current, OSError) and current.strerror else text
        if not any(said in part for part in parts):
            parts.append(text)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return ": ".join(parts)
