"""Which blocks of a transcript are open: all or none of them, but for those that were toggled one by one.

Source: UX spec §4 (expand block / all).
"""

from __future__ import annotations


class Folds:
    """Kept while the transcript is drawn anew at another width."""

    def __init__(self) -> None:
        self.all_open = False
        self._other: set[int] = set()
        """Blocks that are not as the rest."""

    def is_open(self, block: int, *, by_itself: bool = False) -> bool:
        """Whether a block shows more than its first line; ``by_itself``: it does until it is folded."""
        return (self.all_open or by_itself) != (block in self._other)

    def toggle(self, block: int) -> None:
        """Open or fold one."""
        self._other ^= {block}

    def toggle_all(self) -> bool:
        """Open all or fold all, whatever was toggled; says whether they are open now."""
        self.all_open = not self.all_open
        self._other.clear()
        return self.all_open
