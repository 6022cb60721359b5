"""From a state to the messages a model sees: the history, and after each reply its results.

A call that has no result (cut off by a cancel or a crash) is answered ``aborted`` here, never by
editing the log. Messages already built are kept, so that a long session costs no more per turn
than a short one, and so that each request extends the last one.
"""

from ouroboros.core.parts import Message, Text, ToolResult
from ouroboros.core.state import State

ABORTED = "aborted"


class Builder:
    """Builds the message list of one session; forgets what it kept when the history shrinks."""

    def __init__(self) -> None:
        """Starts with nothing built."""
        self._built: list[Message] = []
        self._sources: list[Message] = []
        self._compactions = 0

    def build(self, state: State) -> tuple[Message, ...]:
        """The messages for the next request."""
        if state.compactions != self._compactions or not self._extends(state.history):
            self._built, self._sources = [], []
            self._compactions = state.compactions
        for message in state.history[len(self._sources) :]:
            self._sources.append(message)
            if not message.parts:
                continue
            self._built.append(message)
            if message.calls:
                self._built.append(_results(message, state))
        return tuple(self._built)

    def _extends(self, history: list[Message]) -> bool:
        kept = len(self._sources)
        return kept <= len(history) and (not kept or history[kept - 1] is self._sources[-1])


def _results(message: Message, state: State) -> Message:
    answers = tuple(
        state.results.get(call.id)
        or ToolResult(call_id=call.id, name=call.name, parts=(Text(text=ABORTED),), ok=False)
        for call in message.calls
    )
    return Message(id=f"{message.id}.results", role="user", parts=answers)
