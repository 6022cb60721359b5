"""Opens the review on the terminal, and gives the terminal back as it was."""

import sys
from collections.abc import Mapping, Sequence

from ouroboros.app.paws.dogs.choosing import Offer
from ouroboros.app.terminal import kept
from ouroboros.faces.tui.first import ENTER, LEAVE

_INPUT = 0


async def reviewed(
    offers: Sequence[Offer], name: str, *, look: str, environment: Mapping[str, str]
) -> tuple[frozenset[int], ...] | None:
    """The hunks of each file that the person accepts; None where it was broken off."""
    with kept(_INPUT, LEAVE):
        _write(ENTER)
        try:
            from ouroboros.faces.tui.review.app import ReviewApp

            return await ReviewApp(offers, name, look=look, environment=environment).run_async(
                mouse=False
            )
        finally:
            _write(LEAVE)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
