"""Heights of many blocks: change one, append one, find the block at a row, all in O(log n).

A Fenwick tree over row counts. Source: design §3 row 18.
"""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """Row counts by block index, with their running sums."""

    __slots__ = ("_tree", "_values")

    def __init__(self, values: Iterable[int] = ()) -> None:
        self._values = list(values)
        self._tree = [0, *self._values]
        tree = self._tree
        size = len(tree)
        for index in range(1, size):
            parent = index + (index & -index)
            if parent < size:
                tree[parent] += tree[index]

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        return self._values[index]

    def __setitem__(self, index: int, value: int) -> None:
        change = value - self._values[index]
        if not change:
            return
        self._values[index] = value
        node, size = index + 1, len(self._tree)
        while node < size:
            self._tree[node] += change
            node += node & -node

    def append(self, value: int) -> None:
        """Add a block at the end."""
        node = len(self._tree)
        total, child = value, node - 1
        stop = node - (node & -node)
        while child > stop:
            total += self._tree[child]
            child -= child & -child
        self._values.append(value)
        self._tree.append(total)

    def truncate(self, length: int) -> None:
        """Forget the blocks from ``length`` on."""
        del self._values[length:]
        del self._tree[length + 1 :]

    def before(self, index: int) -> int:
        """Rows above block ``index``; ``before(len(self))`` is all of them."""
        total = 0
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    @property
    def total(self) -> int:
        """All rows."""
        return self.before(len(self._values))

    def find(self, row: int) -> int:
        """The block that row belongs to; the last one for rows beyond the end, -1 if there is none."""
        index, size = 0, len(self._tree)
        step = 1 << (size.bit_length())
        while step:
            following = index + step
            if following < size and self._tree[following] <= row:
                index = following
                row -= self._tree[following]
            step >>= 1
        return min(index, len(self._values) - 1)
