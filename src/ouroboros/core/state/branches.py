"""What becomes of a session when the conversation goes on from elsewhere.

Not taken back, whatever branch is left: what was spent, ids of calls, what the person granted, and
where text came from that was read.
"""

from ouroboros.core.events import Event
from ouroboros.core.events.session import (
    SessionBranched,
    SessionForked,
    SessionImported,
    SessionRolledBack,
)
from ouroboros.core.parts import Message
from ouroboros.core.state.growth import hear_queued, leave
from ouroboros.core.state.present import Present
from ouroboros.core.state.spent import Spent
from ouroboros.core.state.tree import Mark, Node

IMPORTED = "imported session"


def apply(state: Present, event: Event) -> None:
    """Takes in that the conversation goes on from another place."""
    match event:
        case SessionBranched(message_id=node) | SessionRolledBack(message_id=node):
            _move(state, node)
        case SessionForked(message_id=node, child=child, parent=parent) if child == state.session:
            _disown(state)
            state.parent = parent
            _move(state, node)
            _pause(state)
        case SessionImported(cwd=cwd):
            _disown(state)
            state.taint((IMPORTED,))
            state.mode, state.browser = "ask", None
            state.cwd = cwd or state.cwd
            _move(state, state.tree.head)
            _pause(state)
        case _:
            pass


def _move(state: Present, node: str) -> None:
    tree = state.tree
    if node and node not in tree.nodes:
        return
    # What nobody had heard stays with the branch on which it was said.
    hear_queued(state)
    leave(state)
    tree.head = node
    state.history = tree.history(node)
    state.results = tree.answered(state.history)
    state.moves += 1
    state.status = "idle"
    state.final = state.stop_reason = ""
    state.silent = 0
    state.proposed = ""
    state.finished_by_tool = False
    state.calls.clear()
    state.approvals.clear()
    state.asked.clear()
    _recall(state, node)


def _recall(state: Present, node: str) -> None:
    """What the node noted; what text was read by a branch that is left has been read all the same."""
    tree = state.tree
    found = (
        tree.nodes[node] if node else Node(message=Message(id="", role="user"), parent="", seq=0)
    )
    mark = tree.marks[found.mark] if found.mark >= 0 else Mark()
    state.told, state.plan = dict(mark.told), mark.plan
    state.held, state.variables = mark.held, ""
    if state.goals is not None:
        state.goals.go_back(mark.goals)
    state.taint(state.unread)
    state.taint(mark.sources)
    state.unread.clear()
    state.ended = found.ended or ("cancelled" if node else "completed")
    state.measured_tokens, state.measured_at = found.measured_tokens, found.measured_at
    state.began = found.began
    state.iteration, state.iterated = found.iteration, found.iterated
    path = ((id, tree.nodes[id].iteration) for id in tree.way(node)) if node else ()
    run = dict(path) if found.iteration else {}
    here = {message.id for message in state.history[found.began :]}
    state.numbers = {id: number for id, number in run.items() if number and id in here}
    said = [message for message in state.history if message.role == "assistant"]
    state.final = said[-1].text if said else ""


def _pause(state: Present) -> None:
    if state.goals is not None:
        state.goals.pause()


def _disown(state: Present) -> None:
    """What another session paid for, and what the person allowed in it, is not this one's."""
    state.spent = Spent()
    state.granted, state.remembered, state.grants = [], [], []
    state.visited.clear()
    state.queued.clear()
    state.later.clear()
    state.processes.clear()
    state.children.clear()
    state.lost.clear()
