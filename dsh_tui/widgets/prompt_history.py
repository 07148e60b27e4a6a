"""Earlier prompts, and the draft that was being written when one steps into them.

Invariant: stepping back to the newest position gives the stashed draft again, unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

LIMIT = 500
"""Most prompts that are kept."""


class PromptHistory:
    """Prompts in order, oldest first, without repetitions in a row."""

    def __init__(self) -> None:
        self._prompts: list[str] = []
        self._at: int | None = None
        self._stash = ""

    def __len__(self) -> int:
        return len(self._prompts)

    @property
    def stepping(self) -> bool:
        """Whether an earlier prompt is shown in place of the draft."""
        return self._at is not None

    def seed(self, prompts: Iterable[str]) -> None:
        """Put the prompts of an opened session before those of this run."""
        known = set(self._prompts)
        self._prompts = [p for p in prompts if p not in known][-LIMIT:] + self._prompts
        self._at = None

    def recall(self, earlier: Sequence[str]) -> bool:
        """Put prompts of earlier sessions before all; where one is in them stays. False if all were known."""
        known = set(self._prompts)
        new = [prompt for prompt in dict.fromkeys(earlier) if prompt.strip() and prompt not in known]
        new = new[len(new) - min(len(new), LIMIT - len(self._prompts)) :]
        self._prompts = new + self._prompts
        if self._at is not None:
            self._at += len(new)
        return bool(new)

    def add(self, prompt: str) -> None:
        """Remember what was sent or cleared; the position goes back to the newest."""
        self._at = None
        if prompt.strip() and (not self._prompts or self._prompts[-1] != prompt):
            self._prompts.append(prompt)
            del self._prompts[:-LIMIT]

    def older(self, draft: str) -> str | None:
        """The prompt before; ``draft`` is kept at the first step. None at the oldest."""
        at = len(self._prompts) if self._at is None else self._at
        if at == 0:
            return None
        if self._at is None:
            self._stash = draft
        self._at = at - 1
        return self._prompts[self._at]

    def newer(self) -> str | None:
        """The prompt after, or the draft again. None when none is shown."""
        if self._at is None:
            return None
        self._at += 1
        if self._at == len(self._prompts):
            self._at = None
            return self._stash
        return self._prompts[self._at]

    def leave(self) -> None:
        """The shown prompt was edited: it is the draft from now on."""
        self._at = None

    def search(self, words: str, limit: int = 50) -> list[str]:
        """Prompts that hold all words, newest first, each once."""
        wanted = words.lower().split()
        found: dict[str, None] = {}
        for prompt in reversed(self._prompts):
            if all(word in prompt.lower() for word in wanted):
                found[prompt] = None
                if len(found) == limit:
                    break
        return list(found)
