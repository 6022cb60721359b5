"""Where a conversation goes on when it leaves its end, and how what is open there is closed first."""

from collections.abc import Awaitable, Callable

from ouroboros.agent.roles import Journal
from ouroboros.agent.running.ending import UNKNOWN, ended
from ouroboros.core.commands import Branch, Fork, Rewind, Rollback
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Event, PermissionAnswered, TaskCancelled
from ouroboros.core.events.question import UserAnswered
from ouroboros.core.events.session import SessionBranched, SessionForked, SessionRolledBack
from ouroboros.core.state import State
from ouroboros.core.state.tree import Node

LEFT = "aborted: the conversation went on from elsewhere before this call ended."


async def no_fork(_: str) -> str:
    """Where nobody can make another session."""
    raise Misuse("this session cannot be forked")


class Branches:
    """Carries out wishes to go on from elsewhere, here or in another session."""

    def __init__(
        self, state: State, journal: Journal, fork: Callable[[str], Awaitable[str]]
    ) -> None:
        """``fork`` makes a session of what is on disk up to a message, and gives its id."""
        self._state, self._journal, self._fork = state, journal, fork

    async def handle(self, command: Branch | Rewind | Rollback | Fork, *, running: bool) -> None:
        """Returns when it is on disk; raises ``Misuse`` where it does not fit."""
        if isinstance(command, Fork):
            return await self._fork_off(command.message_id or self._state.tree.head)
        if running:
            raise Misuse("the conversation cannot go on from elsewhere now", hint="stop it first")
        move = moved(self._state, command)
        for event in (*closings(self._state, "branched"), move):
            self._journal.record(event)
        await self._journal.settle()

    async def _fork_off(self, node: str) -> None:
        node_of(self._state, node)
        await self._journal.settle()
        child = await self._fork(node)
        self._journal.record(SessionForked(message_id=node, child=child))
        await self._journal.settle()


def moved(state: State, command: Branch | Rewind | Rollback) -> Event:
    """What a wish to go on from elsewhere comes to.

    Raises:
        Misuse: There is no such message, or there are not so many turns.
    """
    match command:
        case Branch(message_id=id):
            if id:
                node_of(state, id)
            return SessionBranched(message_id=id)
        case Rewind(message_id=id):
            node = node_of(state, id)
            if not node.is_beginning:
                raise Misuse(f"{id!r} is not something you said", hint="name words of your own")
            return SessionBranched(message_id=state.tree.before(id))
        case Rollback(turns=wanted):
            turns = state.tree.turns()
            if not 1 <= wanted <= len(turns):
                there = "is one turn" if len(turns) == 1 else f"are {len(turns)} turns"
                raise Misuse(f"cannot go back {wanted} turns", hint=f"there {there} to go back")
            before = state.tree.before(turns[wanted - 1])
            return SessionRolledBack(turns=wanted, message_id=before)


def node_of(state: State, id: str) -> Node:
    """A node of the tree by its id; raises ``Misuse`` for one that is not there."""
    node = state.tree.nodes.get(id)
    if node is None:
        raise Misuse(f"this session has no message {id!r}", hint="/tree shows every message")
    return node


def closings(state: State, reason: str, *, text: str = LEFT) -> list[Event]:
    """The events that close every question, call and run that is open."""
    events: list[Event] = [
        PermissionAnswered(
            request_id=asked.request_id, call_id=asked.call_id, allowed=False, decider="cancelled"
        )
        for asked in state.approvals.values()
    ]
    events += [UserAnswered(request_id=id, call_id=call) for id, call in state.asked.items()]
    waited = state.awaited
    events += [
        ended(id, call, UNKNOWN, "unknown-after-crash")
        if call.phase == "attempted" and id not in waited
        else ended(id, call, text)
        for id, call in state.calls.items()
    ]
    if events or (state.turn and not state.ended):
        events.append(TaskCancelled(reason=reason))
    return events
