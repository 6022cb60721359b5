"""From a state to the messages a model sees: the history, and after each reply its results.

A call that has no result (cut off by a cancel or a crash) is answered ``aborted`` here, never by
editing the log. Messages already built are kept, so that a long session costs no more per turn
than a short one, and so that each request extends the last one.
"""

import sys
from collections.abc import Sequence

from ouroboros.agent.context import images
from ouroboros.core.limits import IMAGE_TOKENS
from ouroboros.core.parts import Message, Text, ToolResult
from ouroboros.core.state import State

ABORTED = "aborted"


class Builder:
    """Builds the message list of one session; forgets what it kept when the history shrinks."""

    def __init__(self) -> None:
        """Starts with nothing built."""
        self._compactions = 0
        self._forget()

    def build(self, state: State, most_images: int = sys.maxsize) -> tuple[Message, ...]:
        """The messages for the next request, with so many images at the most.

        Old images go first, in blocks: ``context.images`` says which. With 0 none is sent at all.
        """
        is_new = state.compactions != self._compactions or not self._extends(state.history)
        if is_new or self._is_early:
            self._forget()
            self._compactions = state.compactions
        for message in state.history[len(self._sources) :]:
            # What comes of an open call is not there yet: it is looked for again.
            self._is_early |= any(call.id in state.calls for call in message.calls)
            self._sources.append(message)
            self._whole += exchange(message, state)
            self._ends.append(len(self._whole))
        self._counts += map(images.count, self._whole[len(self._counts) :])
        dropped = images.dropped(self._counts, most_images)
        is_blind = most_images == 0
        if (dropped, is_blind) != (self._dropped, self._is_blind):
            self._dropped, self._is_blind = dropped, is_blind
            self._built = _lightened(self._whole, self._counts, dropped, blind=is_blind)
        else:
            self._built += self._whole[len(self._built) :]
        return tuple(self._built)

    def relief(self, state: State, most_images: int) -> int:
        """Tokens of the images that the last report counted and the next request leaves out.

        Without a report, of all the images that are left out.
        """
        self.build(state, most_images)
        place = state.measured_at - 2 if state.measured_tokens is not None else -1
        reported = self._counts[: self._ends[place]] if place >= 0 else ()
        return IMAGE_TOKENS * (self._dropped - images.dropped(reported, most_images))

    def _forget(self) -> None:
        self._sources: list[Message] = []
        self._whole: list[Message] = []
        self._ends: list[int] = []
        self._counts: list[int] = []
        self._built: list[Message] = []
        self._dropped = 0
        self._is_blind = self._is_early = False

    def _extends(self, history: list[Message]) -> bool:
        kept = len(self._sources)
        return kept <= len(history) and (not kept or history[kept - 1] is self._sources[-1])


def exchange(message: Message, state: State) -> tuple[Message, ...]:
    """A message and the results of its calls; an empty one is not sent."""
    if not message.parts:
        return ()
    return (message, _results(message, state)) if message.calls else (message,)


def _lightened(
    messages: Sequence[Message], counts: Sequence[int], dropped: int, *, blind: bool
) -> list[Message]:
    """The messages without the first images."""
    built: list[Message] = []
    for message, count in zip(messages, counts, strict=True):
        gone = min(count, dropped)
        built.append(images.without(message, gone, blind=blind) if gone else message)
        dropped -= gone
    return built


def _results(message: Message, state: State) -> Message:
    answers = tuple(
        state.results.get(call.id)
        or ToolResult(call_id=call.id, name=call.name, parts=(Text(text=ABORTED),), ok=False)
        for call in message.calls
    )
    return Message(id=f"{message.id}.results", role="user", parts=answers)
