"""A model that makes the same call again and again, and reads the same from it each time.

The third time a person is asked; where nobody is to be asked the model is told once, and then stopped.
"""

import re
from collections.abc import Callable
from itertools import islice
from typing import Protocol

from ouroboros.agent.roles import Journal
from ouroboros.agent.running.overlap import Hands
from ouroboros.core.errors import Denied
from ouroboros.core.events import ToolResulted
from ouroboros.core.parts import Text, ToolCall
from ouroboros.core.state import State

MOST = 2
"""So often the same may come of the same call, one after the other."""

MOST_POLLS = 40
"""The same for waiting: a command may be silent for long."""

REPEATED = "This call was not carried out: it was made before, and the same came of it each time. "
ADVICE = (
    "Look at what it said, and do something else: other arguments, another tool, or tell the user "
    "what is in the way."
)

_VARYING = re.compile(r"^(?:Chunk ID: [0-9a-f]{6}|Wall time: [\d.]+ seconds)\n", re.MULTILINE)


class Confirming(Hands, Protocol):
    """Hands that can have a person confirm what rules would let through."""

    async def do(self, call: ToolCall) -> ToolResulted: ...
    async def confirm(self, call: ToolCall, *, action: str, reason: str) -> None:
        """Raises ``Denied`` when the answer is no."""
        ...


class Careful:
    """Hands that see when nothing new comes of a call."""

    def __init__(self, hands: Confirming, journal: Journal, *, may_ask: Callable[[], bool]) -> None:
        """``may_ask`` says whether a person is there who wants to be asked."""
        self._hands, self._journal, self._may_ask = hands, journal, may_ask
        self._last: tuple[str, str] = ("", "")
        self._came = ""
        self._times = 0

    def may_overlap(self, call: ToolCall) -> bool:
        """As the hands say."""
        return self._hands.may_overlap(call)

    async def do(self, call: ToolCall) -> object:
        """Carries the call out, unless it is one time too many."""
        if self._is_too_often(call):
            refused = await self._objection(call)
            if refused is not None:
                self._journal.record(refused)
                return refused
            self._times = 0
        result = await self._hands.do(call)
        self._note(call, result)
        return result

    def _is_too_often(self, call: ToolCall) -> bool:
        most = MOST_POLLS if _is_poll(call) else MOST
        return (call.name, call.arguments) == self._last and self._times >= most

    async def _objection(self, call: ToolCall) -> ToolResulted | None:
        """What is told in the place of a result; None when somebody wants the call."""
        if not self._may_ask():
            return _refused(call, REPEATED + ADVICE)
        try:
            await self._hands.confirm(
                call,
                action=f"Do {call.name} again with the same arguments",
                reason=f"it was done {self._times} times in a row, and the same came of it",
            )
        except Denied as denied:
            return _refused(call, denied.message)
        return None

    def _note(self, call: ToolCall, result: ToolResulted) -> None:
        said = "".join(part.text for part in result.parts if isinstance(part, Text))
        came = f"{result.status} {_VARYING.sub('', said)}"
        made = (call.name, call.arguments)
        self._times = self._times + 1 if (made, came) == (self._last, self._came) else 1
        self._last, self._came = made, came


def is_stuck(state: State, *, since: str) -> bool:
    """Whether the model went on to repeat itself after it was told; ``since`` a result of before."""
    latest = list(islice(reversed(state.results.items()), 2))
    told = [call_id != since and result.text.startswith(REPEATED) for call_id, result in latest]
    return told == [True, True]


def _refused(call: ToolCall, text: str) -> ToolResulted:
    return ToolResulted(call_id=call.id, name=call.name, status="denied", parts=(Text(text=text),))


def _is_poll(call: ToolCall) -> bool:
    """Whether it only waits for a command."""
    return call.name == "write_stdin" and not re.search(r'"chars"\s*:\s*"[^"]', call.arguments)
