"""What is known of a model. Advisory: ids that nobody listed are passed on all the same.

Source: capabilities A2; design §3.8.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """One model of one provider. ``None`` means nobody knows."""

    id: str
    provider: str
    context_window: int | None = None
    """Tokens that prompt and answer may have together."""
    max_output: int | None = None
    """Tokens that one answer may have."""
    efforts: tuple[str, ...] = ()
    default_effort: str | None = None
