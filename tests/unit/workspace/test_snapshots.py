"""The latest snapshots are kept, and no more."""

import pytest

from ouroboros.workspace.snapshots import Snapshots


class Shelf:
    """Snapshots in memory; refuses new ones once it is full."""

    def __init__(self) -> None:
        self.held: dict[int, bytes] = {}
        self.is_full = False

    def numbers(self) -> list[int]:
        return list(self.held)

    def put(self, number: int, data: bytes) -> None:
        if self.is_full:
            raise OSError(28, "No space left on device")
        self.held[number] = data

    def get(self, number: int) -> bytes:
        return self.held[number]

    def remove(self, number: int) -> None:
        del self.held[number]


def test_of_twelve_the_latest_ten_are_left() -> None:
    shelf = Shelf()
    snapshots = Snapshots(shelf)
    assert snapshots.latest() is None
    for number in range(12):
        snapshots.add(b"%d" % number)
    assert sorted(shelf.held) == list(range(3, 13))
    assert snapshots.latest() == b"11"
    Snapshots(shelf, keep=2).add(b"12")
    assert shelf.held == {12: b"11", 13: b"12"}


def test_none_goes_where_a_new_one_cannot_be_kept() -> None:
    shelf = Shelf()
    snapshots = Snapshots(shelf, keep=1)
    snapshots.add(b"one")
    shelf.is_full = True
    with pytest.raises(OSError, match="No space left"):
        snapshots.add(b"two")
    assert snapshots.latest() == b"one"
    with pytest.raises(ValueError, match="at least one"):
        Snapshots(shelf, keep=0)
