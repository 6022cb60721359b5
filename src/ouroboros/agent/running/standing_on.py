"""A command after a change of files in one reply is meant for the changed files: without it it is left."""

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

_CHANGES = frozenset({"apply_patch", "edit", "multi_edit", "write"})
_COMMANDS = frozenset({"exec_command", "shell"})


class StandingOn:
    """Hands that leave a command whose reply has a change before it that was refused or failed."""

    def __init__(self, hands: Hands, journal: Journal, state: State) -> None:
        """``state`` has the replies, and what came of their calls."""
        self._hands, self._journal, self._state = hands, journal, state

    def may_overlap(self, call: ToolCall) -> bool:
        """As the hands say."""
        return self._hands.may_overlap(call)

    async def do(self, call: ToolCall) -> object:
        """Carries the call out, or says why not."""
        is_command = canonical(call.name) in _COMMANDS
        missing = missing_before(call, self._state) if is_command else ""
        if not missing:
            return await self._hands.do(call)
        text = Text(text=LEFT.format(change=missing))
        left = ToolResulted(call_id=call.id, name=call.name, status="denied", parts=(text,))
        self._journal.record(left)
        return left


def missing_before(call: ToolCall, state: State) -> str:
    """The name of a call before this one in its reply that should have changed files and did not."""
    reply = next((said for said in reversed(state.history) if call in said.calls), None)
    if reply is None:
        return ""
    for earlier in reply.calls[: reply.calls.index(call)]:
        result = state.results.get(earlier.id)
        if canonical(earlier.name) in _CHANGES and result is not None and not result.ok:
            return earlier.name
    return ""
