"""Rows of many blocks, one below the other: where each begins, in logarithmic time."""

from collections.abc import Iterable


class Heights:
    """Sums over a list of heights that grows at its end and changes anywhere."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        """Takes the heights that there are already."""
        self._each: list[int] = []
        self._sums: list[int] = [0]
        for height in heights:
            self.append(height)

    def __len__(self) -> int:
        """How many blocks there are."""
        return len(self._each)

    @property
    def total(self) -> int:
        """Rows of all of them."""
        return self.top(len(self._each))

    def height(self, index: int) -> int:
        """Rows of one."""
        return self._each[index]

    def append(self, height: int) -> None:
        """Adds one at the end."""
        self._each.append(height)
        index = len(self._each)
        below = index - (index & -index)
        self._sums.append(self.top(index - 1) - self.top(below) + height)

    def change(self, index: int, height: int) -> int:
        """Gives one another height; returns by how much it grew."""
        grown = height - self._each[index]
        self._each[index] = height
        at = index + 1
        while grown and at < len(self._sums):
            self._sums[at] += grown
            at += at & -at
        return grown

    def top(self, index: int) -> int:
        """Rows above one."""
        total = 0
        while index:
            total += self._sums[index]
            index -= index & -index
        return total

    def find(self, row: int) -> tuple[int, int]:
        """The block that a row is in, and which of its rows; past the end the number of blocks."""
        index, rest = 0, row
        step = 1 << len(self._each).bit_length()
        while step:
            if index + step <= len(self._each) and self._sums[index + step] <= rest:
                index += step
                rest -= self._sums[index]
            step >>= 1
        return index, rest
