"""A model that makes the same call again and again, and reads the same from it each time.

The third time a person is asked; where nobody is to be asked the model is told once, and then stopped.
"""

import re
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Protocol

from msgspec import Struct

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

MOST_BLOCKS = 6
"""The same for a block of code: what it gives is told by kind only, so that it may well be new."""

MOST_ERRORS = 4
"""So often a tool may fail with the same words, whatever it is called with, before that is told."""

LONGEST_TURN = 3
"""So many calls are seen to come in turns: A, B, C, A, B, C."""

REPEATED = "This call was not carried out: it was made before, and the same came of it each time. "
ADVICE = (
    "Look at what it said, and do something else: other arguments, another tool, or tell the user "
    "what is in the way."
)

FAILING = (
    "This call was not carried out: the calls before it failed with the same words, whatever their "
    "arguments were. "
)

_BLOCK = "repl"
_VARYING = re.compile(r"^(?:Chunk ID: [0-9a-f]{6}|Wall time: [\d.]+ seconds)\n", re.MULTILINE)


class Confirming(Hands, Protocol):
    """Hands that can have a person confirm what rules would let through."""

    async def do(self, call: ToolCall) -> ToolResulted: ...
    async def confirm(self, call: ToolCall, *, action: str, reason: str) -> None:
        """Raises ``Denied`` when the answer is no."""
        ...


class Careful:
    """Hands that see when nothing new comes of a call, or of two or three in turns."""

    def __init__(self, hands: Confirming, journal: Journal, *, may_ask: Callable[[], bool]) -> None:
        """``may_ask`` says whether a person is there who wants to be asked."""
        self._hands, self._journal, self._may_ask = hands, journal, may_ask
        self._past: deque[_Made] = deque(maxlen=LONGEST_TURN * MOST_POLLS)

    def may_overlap(self, call: ToolCall) -> bool:
        """As the hands say."""
        return self._hands.may_overlap(call)

    async def do(self, call: ToolCall) -> object:
        """Carries the call out, unless it is one time too many."""
        loop = self._loop(call)
        if loop is not None:
            refused = await self._objection(call, loop)
            if refused is not None:
                self._journal.record(refused)
                # The others of its turn are refused as well.
                self._past.append(self._past[-loop.length])
                return refused
            self._past.clear()
        elif self._is_failing(call):
            self._past.clear()
            refused = _refused(call, FAILING + ADVICE)
            self._journal.record(refused)
            return refused
        result = await self._hands.do(call)
        self._past.append(_Made.of(call, result))
        return result

    def _loop(self, call: ToolCall) -> "_Loop | None":
        """The turn that this call would begin, or go on with, once too often."""
        past = list(self._past)
        for length in range(1, LONGEST_TURN + 1):
            turn = past[-length:]
            if len(turn) < length or not turn[0].is_same(call):
                continue
            most = max(made.most for made in turn)
            if past[-length * most :] == turn * most:
                return _Loop(length=length, times=most)
        return None

    def _is_failing(self, call: ToolCall) -> bool:
        """Whether the same error came each time, whatever the arguments were."""
        latest = list(self._past)[-MOST_ERRORS:]
        return len(latest) == MOST_ERRORS and all(
            made.name == call.name and made.came == latest[0].came and made.has_failed
            for made in latest
        )

    async def _objection(self, call: ToolCall, loop: "_Loop") -> ToolResulted | None:
        """What is told in the place of a result; None when somebody wants the call."""
        if not self._may_ask():
            return _refused(call, REPEATED + ADVICE)
        again = (
            f"it was done {loop.times} times in a row, and the same came of it"
            if loop.length == 1
            else f"{loop.length} calls were made in turns {loop.times} times, and the same came of each"
        )
        try:
            await self._hands.confirm(
                call, action=f"Do {call.name} again with the same arguments", reason=again
            )
        except Denied as denied:
            return _refused(call, denied.message)
        return None


class _Loop(Struct, frozen=True, kw_only=True):
    """So many calls, made in turns so many times."""

    length: int
    times: int


class _Made(Struct, frozen=True, kw_only=True):
    """A call that was made, and what came of it; ``most`` is how often that may be."""

    name: str
    arguments: str
    came: str
    most: int

    @classmethod
    def of(cls, call: ToolCall, result: ToolResulted) -> "_Made":
        said = "".join(part.text for part in result.parts if isinstance(part, Text))
        came = f"{result.status} {_VARYING.sub('', said)}"
        most = MOST
        if result.status == "done" and call.name == _BLOCK:
            most = MOST_BLOCKS
        elif _is_poll(call):
            most = MOST_POLLS
        return cls(name=call.name, arguments=call.arguments, came=came, most=most)

    @property
    def has_failed(self) -> bool:
        return self.came.startswith("failed ")

    def is_same(self, call: ToolCall) -> bool:
        return (self.name, self.arguments) == (call.name, call.arguments)


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
