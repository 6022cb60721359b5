"""Everything that was ever said in a session, as a tree; the history is the path to its head.

A node is never removed and never moves. Where a summary stands for what came before it, its node
has the whole history that replaced the older one, so that going back behind it brings all back.
"""

from collections.abc import Iterator

from msgspec import Struct, field

from ouroboros.core.events import PlanStep
from ouroboros.core.parts import Message, ToolResult
from ouroboros.core.state.goals import Goal


class Held(Struct, frozen=True, kw_only=True):
    """The REPL's variables as they were kept last.

    Attributes:
        name: Of what was kept; empty while nothing was.
        names: What they are called.
        is_older: They have changed since.
    """

    name: str = ""
    names: tuple[str, ...] = ()
    is_older: bool = False


class Mark(Struct, frozen=True, kw_only=True):
    """What was true besides the words when the conversation went on; nodes in a row share one."""

    told: dict[str, str] = {}
    plan: tuple[PlanStep, ...] = ()
    sources: tuple[str, ...] = ()
    goals: tuple[Goal, ...] = ()
    held: Held = Held()


class Node(Struct, kw_only=True):
    """A message in its place.

    Attributes:
        parent: The node before it; empty for the first.
        seq: The event that made it.
        until: The last event before the conversation first went on from here; 0 while it has not.
        steered: Said while a run was under way.
        by_itself: Began a turn without the person, towards a goal.
        base: Of a summary: the messages that took the place of the path up to here.
        mark: Which of the tree's marks holds here, once the conversation has gone on.
        ended: How the run had ended by then; empty within one.
        iteration: Of the REPL mind, within its run, ``iterated`` with it.
    """

    message: Message
    parent: str
    seq: int
    until: int = 0
    steered: bool = False
    by_itself: bool = False
    base: tuple[Message, ...] | None = None
    mark: int = -1
    ended: str = ""
    began: int = 0
    iteration: int = 0
    iterated: int = 0
    measured_tokens: int | None = None
    measured_at: int = 0

    @property
    def is_beginning(self) -> bool:
        """A person's words, or what began a turn in their place."""
        said = self.message
        return self.by_itself or (said.role == "user" and said.kind == "plain")


class Tree(Struct, kw_only=True):
    """The nodes by id, in the order they were made.

    Attributes:
        head: The node that the conversation goes on from; empty at the beginning.
        answers: The result of every call there was, by call id.
    """

    head: str = ""
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    answers: dict[str, ToolResult] = field(default_factory=dict[str, ToolResult])
    marks: list[Mark] = field(default_factory=list[Mark])

    def way(self, node: str = "") -> Iterator[str]:
        """The ids from ``node``, by default the head, up to the first message."""
        at = node or self.head
        while at:
            yield at
            at = self.nodes[at].parent

    def history(self, node: str) -> list[Message]:
        """What a model would see that goes on from there."""
        messages: list[Message] = []
        for id in self.way(node) if node else ():
            found = self.nodes[id]
            if found.base is not None:
                messages += reversed(found.base)
                break
            messages.append(found.message)
        return messages[::-1]

    def before(self, node: str) -> str:
        """Where the conversation stood before these words: what was told along with them goes too."""
        parent = self.nodes[node].parent
        while parent and self.nodes[parent].message.kind == "context":
            parent = self.nodes[parent].parent
        return parent

    def turns(self) -> list[str]:
        """What began a turn, on the way to the head, the latest first."""
        return [
            id for id in self.way() if (node := self.nodes[id]).is_beginning and not node.steered
        ]

    def answered(self, history: list[Message]) -> dict[str, ToolResult]:
        """The results of the calls in a history."""
        made = (call.id for message in history for call in message.calls)
        return {id: self.answers[id] for id in made if id in self.answers}
