"""The tree of a session as people and programs read it: its messages, numbered as they were said."""

from collections.abc import Iterable

from msgspec import Struct

from ouroboros.agent.context.compaction import words_of
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope
from ouroboros.core.events.session import SessionForked
from ouroboros.core.parts import Message, MessageKind, Role
from ouroboros.core.state import State

_SHORTEST = 4
_WORDS = 200


class Twig(Struct, frozen=True, kw_only=True):
    """One message of the tree.

    Attributes:
        number: Counts messages as they were said, without those that only hold context.
        parent: The message before it; empty for a first one.
        text: Its first words, on one line.
        calls: The tools that it calls.
        is_active: It is on the way to where the conversation goes on.
        is_head: The conversation goes on from here.
    """

    number: int
    id: str
    parent: str
    role: Role
    kind: MessageKind
    text: str
    calls: tuple[str, ...] = ()
    is_active: bool = False
    is_head: bool = False


def twigs(state: State) -> tuple[Twig, ...]:
    """Every message that was said, with its place."""
    tree = state.tree
    active = set(tree.way())
    shown: dict[str, str] = {"": ""}
    found: list[Twig] = []
    for id, node in tree.nodes.items():
        is_shown = node.message.kind != "context"
        shown[id] = id if is_shown else shown[node.parent]
        if is_shown:
            found.append(
                Twig(
                    number=len(found) + 1,
                    id=id,
                    parent=shown[node.parent],
                    role=node.message.role,
                    kind=node.message.kind,
                    text=_first_words(node.message),
                    calls=tuple(call.name for call in node.message.calls),
                    is_active=id in active,
                    is_head=id == tree.head,
                )
            )
    return tuple(found)


def forks(envelopes: Iterable[Envelope], session: str) -> dict[str, tuple[str, ...]]:
    """The sessions that begin like this one, by the message after which they part."""
    found: dict[str, tuple[str, ...]] = {}
    for envelope in envelopes:
        event = envelope.data
        if isinstance(event, SessionForked) and event.child != session:
            found[event.message_id] = (*found.get(event.message_id, ()), event.child)
    return found


def node_named(state: State, name: str) -> str:
    """The id of the message that a person meant: its number, its id, or a unique part of that.

    Raises:
        Misuse: None or more than one is meant.
    """
    if name in state.tree.nodes:
        return name
    if name.isdecimal() and len(name) < _SHORTEST + 3:
        numbered = {twig.number: twig.id for twig in twigs(state)}
        if int(name) in numbered:
            return numbered[int(name)]
    ends = (id for id in state.tree.nodes if id.startswith(name) or id.endswith(name))
    meant = list(ends) if len(name) >= _SHORTEST else []
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise Misuse(f"{name!r} could be any of {len(meant)} messages", hint="add more of its name")
    raise Misuse(
        f"this session has no message {name!r}",
        hint="`/tree` or `ouro sessions tree` numbers every message",
    )


def _first_words(message: Message) -> str:
    text = words_of(message) if message.kind == "summary" else message.text
    return " ".join(text[:_WORDS].split())
