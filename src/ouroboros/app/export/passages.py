"""A session cut where its conversation parted: each passage is told from its first message to its last."""

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import islice

from msgspec import Struct, field

from ouroboros.core.events import AgentMessage, Envelope, UserMessage
from ouroboros.core.state import State
from ouroboros.core.state.tree import Node


class Step(Struct, kw_only=True):
    """A message and what came of it.

    Attributes:
        number: As ``/tree`` counts; 0 for context, which is not shown.
        at: When it was said, in seconds.
        deeds: Events until the next message: calls, results, endings.
        parts_into: Numbers of the passages that leave here.
    """

    node: Node | None
    number: int
    at: float
    deeds: list[Envelope] = field(default_factory=list[Envelope])
    parts_into: list[int] = field(default_factory=list[int])


class Passage(Struct, kw_only=True):
    """Messages in a row; the first passage leads to where the conversation goes on.

    Attributes:
        after: Number of the message that it leaves from; 0 for the beginning.
    """

    number: int
    after: int
    steps: list[Step]


def passages(envelopes: Iterable[Envelope], *, only_active: bool = False) -> list[Passage]:
    """All of a session; of its branches only the one that goes on, where that is wanted."""
    state = State()
    steps = {"": Step(node=None, number=0, at=0.0)}
    count = 0
    for envelope in envelopes:
        state.apply(envelope)
        nodes = state.tree.nodes
        for id in [*islice(reversed(nodes), len(nodes) + 1 - len(steps))][::-1]:
            is_shown = nodes[id].message.kind != "context"
            count += is_shown
            steps[id] = Step(node=None, number=count if is_shown else 0, at=envelope.ts)
        if not isinstance(envelope.data, UserMessage | AgentMessage):
            steps[state.tree.head].deeds.append(envelope)
    for id, node in state.tree.nodes.items():
        steps[id].node = node
    return _cut(state, steps, only_active=only_active)


def _cut(state: State, steps: dict[str, Step], *, only_active: bool) -> list[Passage]:
    children: dict[str, list[str]] = {}
    for id, node in state.tree.nodes.items():
        children.setdefault(node.parent, []).append(id)
    way = [*state.tree.way()][::-1]
    found = [Passage(number=1, after=0, steps=[steps[""], *(steps[id] for id in way)])]
    if only_active:
        return found
    waiting = deque(_others(["", *way], children))
    while waiting:
        first = waiting.popleft()
        row = [first]
        while row[-1] in children:
            row.append(children[row[-1]][-1])
        parent = state.tree.nodes[first].parent
        number = len(found) + 1
        steps[parent].parts_into.append(number)
        found.append(
            Passage(
                number=number,
                after=_shown(state, steps, parent),
                steps=[steps[id] for id in row],
            )
        )
        waiting.extend(_others(row, children))
    return found


def _others(row: Sequence[str], children: dict[str, list[str]]) -> list[str]:
    """The beginnings of what leaves a row of messages."""
    inside = set(row)
    return [child for id in row for child in children.get(id, ()) if child not in inside]


def _shown(state: State, steps: dict[str, Step], id: str) -> int:
    while id and not steps[id].number:
        id = state.tree.nodes[id].parent
    return steps[id].number
