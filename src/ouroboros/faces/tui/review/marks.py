"""What a person has said of each file and hunk so far; pure."""

from collections.abc import Sequence
from typing import Literal

from ouroboros.app.paws.dogs.choosing import Offer

type Verdict = Literal["", "accept", "reject"]


class Marks:
    """A verdict for each part that can be taken by itself; none counts as no."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        """Nothing is said yet."""
        self._offers = offers
        self._verdicts: list[list[Verdict]] = [[""] * parts_of(offer) for offer in offers]

    def say(self, file: int, verdict: Verdict, part: int | None = None) -> None:
        """Says it of one part, or of the whole file."""
        parts = self._verdicts[file]
        for number in range(len(parts)) if part is None else (part,):
            parts[number] = verdict

    def of(self, file: int, part: int) -> Verdict:
        """What was said of a part."""
        return self._verdicts[file][part]

    def sign(self, file: int) -> str:
        """A file in one letter: ``a`` and ``r`` for all of it, ``~`` for some of it, a blank for nothing."""
        said = set(self._verdicts[file])
        if len(said) > 1:
            return "~"
        return {"accept": "a", "reject": "r"}.get(said.pop(), " ")

    @property
    def taken(self) -> tuple[frozenset[int], ...]:
        """The accepted hunks of each file by number; of one that is taken whole it is 0 alone."""
        return tuple(
            frozenset(number for number, verdict in enumerate(parts) if verdict == "accept")
            for parts in self._verdicts
        )

    @property
    def accepted(self) -> int:
        """Files of which anything was accepted."""
        return sum(bool(parts) for parts in self.taken)


def parts_of(offer: Offer) -> int:
    """How many parts of a file can be taken by themselves."""
    return 1 if offer.why_whole else max(len(offer.hunks), 1)
