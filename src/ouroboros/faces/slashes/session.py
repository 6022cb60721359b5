"""``/help``, ``/compact``, ``/diff``, ``/cost``, ``/sessions``, ``/resume``, ``/clear`` and ``/quit``."""

from functools import partial

from anyio import to_thread

from ouroboros.app.past import sessions
from ouroboros.app.review.changes import steering_in_diff
from ouroboros.core.commands import Compact
from ouroboros.core.errors import Misuse
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import NEW, ON_SCREEN, SLASHES, Seat, slash_named
from ouroboros.faces.wording.files import steering_told
from ouroboros.faces.wording.words import count, money, one_line

_SHOWN = 15


async def show_help(seat: Seat, rest: str) -> Control:
    """Lists the commands, or tells of one."""
    if rest:
        name = rest.removeprefix("/").strip()
        slash = slash_named(name)
        if slash is None or (slash in ON_SCREEN.values() and seat.web is None):
            raise Misuse(f"there is no command /{name[:40]}", hint="/help lists them")
        seat.say(slash.usage, slash.meaning, _moment(waits=slash.waits))
        return "stay"
    rows = (
        f"{slash.usage:<24} {slash.meaning}{' *' if slash.waits else ''}"
        for slash in SLASHES.values()
    )
    seat.say(*rows, f"* {_moment(waits=True)}")
    return "stay"


def _moment(*, waits: bool) -> str:
    return "has to wait until a turn ends" if waits else "may be used while a turn runs"


async def compact(seat: Seat, rest: str) -> Control:
    """Summarises the conversation now."""
    return partial(seat.session.send, Compact(focus=rest))


async def diff(seat: Seat, _rest: str) -> Control:
    """Shows what the latest turn changed."""
    await seat.session.settle()
    found = await to_thread.run_sync(sessions.latest_diff, seat.loaded.home, seat.session.id)
    seat.say(found.rstrip() or "no tool changed a file in the latest turn")
    if steering := steering_in_diff(found):
        seat.say(steering_told(tuple(steering)))
    return "stay"


async def cost(seat: Seat, _rest: str) -> Control:
    """Tells what the session has used."""
    spent = seat.session.state.spent
    rate = spent.cache_hit_rate
    cached = "cache unknown" if rate is None else f"{rate:.0%} of the input from the cache"
    seat.say(
        f"{money(spent.cost)} for {count(spent.requests, 'request')}",
        f"{count(spent.input_tokens, 'token')} in, {count(spent.output_tokens, 'token')} out; {cached}",
    )
    if spent.unpriced and spent.requests > spent.unpriced:
        seat.say(
            f"{money(spent.known_cost)} is known; {count(spent.unpriced, 'request')} have no price"
        )
    return "stay"


async def list_sessions(seat: Seat, _rest: str) -> Control:
    """Lists the latest sessions of this folder."""
    home, cwd = seat.loaded.home, str(seat.cwd)
    found = await to_thread.run_sync(partial(sessions.list_sessions, home, cwd=cwd, limit=_SHOWN))
    seat.say(*(f"{each.id}  {one_line(each.title)}" for each in found))
    if not found:
        seat.say("there are no sessions of this folder")
    return "stay"


async def resume(seat: Seat, rest: str) -> Control:
    """Goes on with another session."""
    if not rest:
        raise Misuse("/resume needs a session's name", hint="/sessions lists them")
    found = await to_thread.run_sync(sessions.find, seat.loaded.home, rest)
    if found.id == seat.session.id:
        raise Misuse("this is that session already", hint="/sessions lists others")
    seat.next = found.id
    return "leave"


async def clear(seat: Seat, _rest: str) -> Control:
    """Begins anew in this folder; this session is kept."""
    seat.next = NEW
    return "leave"


async def leave(_seat: Seat, _rest: str) -> Control:
    """Leaves; the session is kept."""
    return "leave"
