"""Two branches of a session side by side: what was said on each after they parted."""

from msgspec import Struct

from ouroboros.app.past.tree import node_named
from ouroboros.core.parts import Message, MessageKind, Role
from ouroboros.core.state import State
from ouroboros.core.state.tree import Node

MESSAGES = 200
"""So many messages of a branch are in one answer, the first ones."""

CHARACTERS = 4_000
"""So much of a message is."""


class Said(Struct, frozen=True, kw_only=True):
    """One message; ``is_cut`` where there is more of it."""

    id: str
    role: Role
    kind: MessageKind
    text: str
    calls: tuple[str, ...] = ()
    is_cut: bool = False


class Arm(Struct, frozen=True, kw_only=True):
    """What was said on one branch after both parted.

    Attributes:
        checkpoint: The files as they were at its end; empty for as they are now.
        more: Messages that are left out.
    """

    node: str
    messages: tuple[Said, ...]
    checkpoint: str = ""
    more: int = 0


class Compared(Struct, frozen=True, kw_only=True):
    """Two branches; ``parted`` is the last message that both have, empty for none."""

    parted: str
    shared: int
    left: Arm
    right: Arm


def compared(state: State, left: str, right: str) -> Compared:
    """The ways to two messages, each by its id, its number or a part of that; raises ``Misuse``."""
    one, other = (node_named(state, name) for name in (left, right))
    ways = [list(_way(state, id)) for id in (one, other)]
    shared = 0
    for first, second in zip(*ways, strict=False):
        if first != second:
            break
        shared += 1
    said = [id for id in ways[0][:shared] if _is_said(state.tree.nodes[id])]
    return Compared(
        parted=said[-1] if said else "",
        shared=len(said),
        left=_arm(state, one, ways[0][shared:]),
        right=_arm(state, other, ways[1][shared:]),
    )


def _arm(state: State, node: str, way: list[str]) -> Arm:
    nodes = state.tree.nodes
    said = [nodes[id].message for id in way if _is_said(nodes[id])]
    return Arm(
        node=node,
        messages=tuple(_said(message) for message in said[:MESSAGES]),
        checkpoint=_files_at(state, nodes[node]),
        more=max(0, len(said) - MESSAGES),
    )


def _files_at(state: State, node: Node) -> str:
    """The first checkpoint after a message has what the files were until something else was done."""
    kept = (each for each in state.files.kept if each.seq > node.seq)
    found = next(kept, None)
    return found.checkpoint if found else ""


def _way(state: State, id: str) -> list[str]:
    found: list[str] = []
    while id:
        found.append(id)
        id = state.tree.nodes[id].parent
    return found[::-1]


def _is_said(node: Node) -> bool:
    return node.message.kind != "context"


def _said(message: Message) -> Said:
    return Said(
        id=message.id,
        role=message.role,
        kind=message.kind,
        text=message.text[:CHARACTERS],
        calls=tuple(call.name for call in message.calls),
        is_cut=len(message.text) > CHARACTERS,
    )
