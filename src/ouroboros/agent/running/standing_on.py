"""A command after a change of files in one reply is meant for the changed files: without it it is left."""

from collections.abc import Callable

from ouroboros.agent.roles import Journal
from ouroboros.agent.running.overlap import Hands
from ouroboros.core.events import ToolResulted
from ouroboros.core.parts import Text, ToolCall
from ouroboros.core.state import State
from ouroboros.tools.registry import canonical

LEFT = (
    "skipped: {change} before it in the same reply was not carried out. See to that first; call "
    "this again if it is of use without."
)

_CHANGES = frozenset({"apply_patch", "dogs", "edit", "multi_edit", "write"})
_COMMANDS = frozenset({"exec_command", "shell"})

type Meant = Callable[[ToolCall], ToolCall]


class StandingOn:
    """Hands that leave a command whose reply has a change before it that was refused or failed."""

    def __init__(self, hands: Hands, journal: Journal, state: State, meant: Meant) -> None:
        """``state`` has the replies, and what came of their calls.

        ``meant`` gives what a call of a tool that calls others stands for, else the call itself.
        """
        self._hands, self._journal, self._state = hands, journal, state
        self._meant = meant

    def may_overlap(self, call: ToolCall) -> bool:
        """As the hands say."""
        return self._hands.may_overlap(call)

    async def do(self, call: ToolCall) -> object:
        """Carries the call out, or says why not."""
        name = self._meant(call).name
        is_command = canonical(name) in _COMMANDS
        missing = missing_before(call, self._state, self._meant) if is_command else ""
        if not missing:
            return await self._hands.do(call)
        text = Text(text=LEFT.format(change=missing))
        left = ToolResulted(call_id=call.id, name=name, status="denied", parts=(text,))
        self._journal.record(left)
        return left


def missing_before(call: ToolCall, state: State, meant: Meant) -> str:
    """The name of a call before this one in its reply that should have changed files and did not."""
    reply = next((said for said in reversed(state.history) if call in said.calls), None)
    if reply is None:
        return ""
    for earlier in reply.calls[: reply.calls.index(call)]:
        name, result = meant(earlier).name, state.results.get(earlier.id)
        if canonical(name) in _CHANGES and result is not None and not result.ok:
            return name
    return ""
