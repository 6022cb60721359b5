"""How the tree of a session grows, in step with its history."""

from msgspec.structs import replace

from ouroboros.core.parts import Message
from ouroboros.core.state.present import Present
from ouroboros.core.state.tree import Mark, Node


def say(state: Present, message: Message, *, steered: bool = False) -> None:
    """Adds a message to the history, as a node after the head."""
    _grow(state, message, steered=steered)
    state.history.append(message)


def say_again(state: Present, message: Message) -> None:
    """Puts a message in the place of the last one, of which it is a later state."""
    state.history[-1] = message
    head = state.tree.nodes.get(state.tree.head)
    if head is not None and head.base is None:
        head.message = message
    elif head is not None and head.base:
        head.base = (*head.base[:-1], message)


def summarise(state: Present, history: tuple[Message, ...]) -> None:
    """Puts a shorter history in the place of the one so far."""
    summaries = [message for message in history if message.kind == "summary"]
    told = summaries[0] if summaries else Message(id="summary", role="user", kind="summary")
    _grow(state, told, base=history)
    state.history = list(history)


def hear_queued(state: Present) -> None:
    """What was said while a reply was under way joins the history."""
    for message in state.queued:
        say(state, message, steered=True)
    state.queued.clear()


def _grow(
    state: Present,
    message: Message,
    *,
    steered: bool = False,
    base: tuple[Message, ...] | None = None,
) -> None:
    tree = state.tree
    leave(state)
    id = message.id or "message"
    if id in tree.nodes:
        id = f"{id}@{len(tree.nodes)}"
    while id in tree.nodes:  # somebody wrote such an id
        id = f"{id}+"
    tree.nodes[id] = Node(
        message=message, parent=tree.head, seq=state.seq, steered=steered, base=base
    )
    tree.head = id


def leave(state: Present) -> None:
    """Notes at the head how things stand, before the conversation goes on from it."""
    tree = state.tree
    node = tree.nodes.get(tree.head)
    if node is None:
        return
    node.until = node.until or max(node.seq, state.seq - 1)
    node.ended, node.began = state.ended, state.began
    node.iteration, node.iterated = state.iteration, state.iterated
    node.measured_tokens, node.measured_at = state.measured_tokens, state.measured_at
    now = Mark(
        told=state.told,
        plan=state.plan,
        sources=tuple(state.sources),
        goals=() if state.goals is None else state.goals.all,
        held=state.held,
    )
    if not tree.marks or tree.marks[-1] != now:
        tree.marks.append(replace(now, told=dict(state.told)))
    node.mark = len(tree.marks) - 1
