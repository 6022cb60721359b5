"""Notices a server that reads less than it was sent and does not say so."""

from ouroboros.core.events.code import Logged
from ouroboros.core.parts import Usage

SHARE = 2
"""Less than one part in so many of the estimate is no matter of counting."""

SLACK_TOKENS = 2_000


class CutWatch:
    """Warns once in a session."""

    def __init__(self) -> None:
        """Has not warned."""
        self._has_warned = False

    def notice(self, usage: Usage, sent: int) -> Logged | None:
        """A warning when the server counted far fewer tokens than the ``sent`` ones; 0: unknown."""
        read = usage.input_total
        if self._has_warned or not read or read * SHARE >= sent or sent - read <= SLACK_TOKENS:
            return None
        self._has_warned = True
        return Logged(
            level="warning",
            text=f"The server cut the history: it read {read:,} of about {sent:,} tokens. "
            "Raise its context length (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx in a Modelfile).",
        )
