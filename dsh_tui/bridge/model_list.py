"""The models that the picker offers: what is known at once, and what the providers say behind it.

Source: design §3.8 (``GET /models`` fills the picker; any id passes).
"""

from __future__ import annotations

from collections.abc import Sequence

from dsh_tui.engine.llm.models import ModelInfo
from dsh_tui.engine.llm.service import LlmService
from dsh_tui.engine.projection.views import ModelRow, StatusView


class ModelList:
    """Rows for the picker. `ask` replaces what is known by what the providers offer."""

    def __init__(self, llm: LlmService, known: Sequence[ModelInfo]) -> None:
        self._llm = llm
        self._models = known

    def rows(self, status: StatusView) -> list[ModelRow]:
        """What is known now; the one in use is marked."""
        return [
            ModelRow(
                provider=model.provider,
                model=model.id,
                efforts=model.efforts,
                default_effort=model.default_effort or "",
                context_window=model.context_window,
                current=(model.provider, model.id) == (status.provider, status.model),
            )
            for model in self._models
        ]

    async def ask(self) -> None:
        """Ask every provider; one that fails leaves the list as it was."""
        llm = self._llm
        self._models = [model for name in llm.list_providers() for model in await llm.list_models(name)]
