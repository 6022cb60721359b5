"""``/tree``, ``/branch``, ``/rollback``, ``/fork`` and ``/rename``: where it goes on, and its name."""

from ouroboros.app.past.tree import node_named, twigs
from ouroboros.core.commands import Branch, Rollback, SetTitle
from ouroboros.core.errors import Misuse
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import Seat, number
from ouroboros.faces.wording.tree import place, tree_lines


async def tree(seat: Seat, _rest: str) -> Control:
    """Shows every message."""
    seat.say(*(tree_lines(twigs(seat.session.state)) or ["nothing was said yet"]))
    return "stay"


async def branch(seat: Seat, rest: str) -> Control:
    """Goes on after a message."""
    if not rest:
        raise Misuse("/branch needs a message", hint="/tree numbers them")
    await seat.session.send(Branch(message_id=node_named(seat.session.state, rest)))
    tell_place(seat)
    return "stay"


async def rollback(seat: Seat, rest: str) -> Control:
    """Leaves the latest turns."""
    turns = number(rest or "1")
    if turns is None:
        raise Misuse(f"{rest[:40]!r} is no number of turns", hint="for example: /rollback 2")
    await seat.session.send(Rollback(turns=turns))
    tell_place(seat)
    return "stay"


async def rename(seat: Seat, rest: str) -> Control:
    """Gives this session another title."""
    await seat.session.send(SetTitle(title=rest))
    return "stay"


async def fork(seat: Seat, rest: str) -> Control:
    """Goes on in a new session that begins like this one."""
    node = node_named(seat.session.state, rest) if rest else ""
    seat.next = await seat.session.fork(node)
    return "leave"


def tell_place(seat: Seat) -> None:
    """Says after which message the conversation goes on, with its number and words."""
    active = [twig for twig in twigs(seat.session.state) if twig.is_active]
    if active:
        seat.say(f"after message {place(active[-1])}")
