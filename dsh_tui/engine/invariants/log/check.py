"""What a check of a log is.

`check` judges an event that may come next and changes nothing, so that a refused event leaves no trace;
`advance` moves past one that is in the log and does not judge. Source: core spec §9.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from dsh_tui.engine.invariants.errors import InvariantError
from dsh_tui.engine.session.event import Event


class LogCheck(ABC):
    """The rules of one owner over one log."""

    owner: ClassVar[str]
    tags: ClassVar[frozenset[str] | None] = None
    """Event types it cares for; None: all."""
    judges_imported: ClassVar[bool] = False
    """Whether it can read what another program wrote, before ``session/imported``."""

    def concerns(self, event: Event) -> bool:
        return self.tags is None or event.type in self.tags

    @abstractmethod
    def check(self, event: Event) -> None:
        """Raises: InvariantError: the event must not come next."""

    @abstractmethod
    def advance(self, event: Event) -> None: ...

    def refuse(self, rule: str) -> None:
        """Say that the rule is broken.

        Raises:
            InvariantError: always.
        """
        raise InvariantError(self.owner, rule)

    def require(self, condition: bool, rule: str) -> None:  # noqa: FBT001  # reads as a sentence
        if not condition:
            self.refuse(rule)
