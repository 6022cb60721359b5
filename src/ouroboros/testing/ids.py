"""Identifiers a test can foresee."""


class SequentialIds:
    """Counts up for each prefix: ``ses_1``, ``ses_2``, ``msg_1``."""

    def __init__(self) -> None:
        """Starts every prefix at 1."""
        self._made: dict[str, int] = {}

    def new(self, prefix: str) -> str:
        """The next identifier of this prefix."""
        number = self._made.get(prefix, 0) + 1
        self._made[prefix] = number
        return f"{prefix}_{number}"
