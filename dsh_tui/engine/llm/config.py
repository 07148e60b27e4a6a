"""What a request asks of the model beside its content. Recorded in ``request/header``.

Source: core spec §8.3; capabilities A2.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class CallConfig(TypedDict):
    """Provider route, model and sampling. Absent means the provider's default."""

    provider: str
    model: str
    reasoningEffort: NotRequired[str]
    temperature: NotRequired[float]
    maxTokens: NotRequired[int]
    stop: NotRequired[tuple[str, ...]]


class ToolSchema(TypedDict):
    """One tool as the model sees it. ``parameters`` is a JSON schema object."""

    name: str
    description: str
    parameters: dict[str, object]
