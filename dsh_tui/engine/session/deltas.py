"""The texts and times of a run: two lists while it grows, one string and two arrays from then on.

Sealed, a token costs some 16 bytes instead of 80. Both forms answer the same questions, and
neither changes what it has told: a reader in another thread may hold on to either.
Source: design §6 (memory).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise


class GrowingDeltas:
    """Deltas of a run that may still get more."""

    __slots__ = ("texts", "times")

    def __init__(self, text: str, time: int) -> None:
        self.texts: Sequence[str] = [text]
        self.times: Sequence[int] = [time]

    def __len__(self) -> int:
        return len(self.texts)

    def add(self, text: str, time: int) -> None:
        """Take one more."""
        self.texts.append(text)  # type: ignore[attr-defined]  # a list, whatever readers may see in it
        self.times.append(time)  # type: ignore[attr-defined]  # as above

    def text(self, at: int) -> str:
        """One of them."""
        return self.texts[at]


class SealedDeltas:
    """Deltas of a run that is over."""

    __slots__ = ("_ends", "_joined", "times")

    def __init__(self, texts: Iterable[str], times: Iterable[int]) -> None:
        texts = tuple(texts)
        self._joined = "".join(texts)
        self._ends = array("I", accumulate(map(len, texts), initial=0))
        times = tuple(times)
        try:
            self.times: Sequence[int] = array("q", times)
        except OverflowError:  # no time of any clock, but a log may hold it
            self.times = times

    def __len__(self) -> int:
        return len(self.times)

    @property
    def texts(self) -> Sequence[str]:
        """All of them, cut anew each time."""
        joined = self._joined
        return [joined[start:end] for start, end in pairwise(self._ends)]

    def text(self, at: int) -> str:
        """One of them."""
        ends = self._ends
        return self._joined[ends[at] : ends[at + 1]]
