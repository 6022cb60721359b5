"""The conversation as a tree, and two of its branches side by side."""

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from ouroboros.app.past import sessions
from ouroboros.app.past.comparing import Compared, compared
from ouroboros.app.past.tree import Twig, forks, twigs
from ouroboros.app.workplace.changed import Changes
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.web.panels.asking import Ground, on_ground
from ouroboros.faces.web.panels.changes import past_of
from ouroboros.faces.web.routing import Described, Refused, described, number, reply
from ouroboros.faces.web.site import Site

_MOST = 2_000


class Tree(Struct, frozen=True, kw_only=True):
    """The messages in the order in which they were said.

    Attributes:
        total: How many there are in all; the last ones are given unless others were asked for.
        start: How many come before the first that is given.
        forks: Sessions that begin like this one, by the message after which they part.
    """

    twigs: tuple[Twig, ...]
    total: int
    start: int
    forks: dict[str, tuple[str, ...]]


class Comparison(Struct, frozen=True, kw_only=True):
    """Two branches, and what differs in files from the left to the right one.

    Attributes:
        trouble: Why nothing is said of files.
    """

    messages: Compared
    files: Changes
    trouble: str = ""


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    return [
        described(
            "GET",
            "/sessions/{session}/tree",
            seat.tree,
            "Every message that was said, on all branches.",
            query={"start": "from this one on, counted from 0", "limit": f"{_MOST} at most"},
            answer=Tree,
        ),
        described(
            "GET",
            "/sessions/{session}/compare",
            seat.compare,
            "Two branches side by side: what was said on each, and how the files differ.",
            query={"left": "the last message of one branch", "right": "that of the other"},
            answer=Comparison,
        ),
    ]


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def tree(self, request: Request) -> Response:
        limit = max(1, number(request, "limit", _MOST, most=_MOST))
        start = number(request, "start") if "start" in request.query_params else None
        return reply(await on_ground(self._site, request, lambda g: _tree(g, start, limit)))

    async def compare(self, request: Request) -> Response:
        left, right = (request.query_params.get(name, "") for name in ("left", "right"))
        if not left or not right:
            raise Refused(400, "two messages are needed", hint="?left=MESSAGE&right=MESSAGE")
        return reply(await on_ground(self._site, request, lambda g: _compared(g, left, right)))


def _tree(ground: Ground, start: int | None, limit: int) -> Tree:
    home, id = ground.site.home, ground.kept.id
    read = sessions.events(home, id).envelopes
    found = twigs(sessions.describe(read))
    first = max(0, len(found) - limit) if start is None else start
    return Tree(
        twigs=found[first : first + limit],
        total=len(found),
        start=first,
        forks=forks(read, id),
    )


def _compared(ground: Ground, left: str, right: str) -> Comparison:
    state = sessions.describe(sessions.events(ground.site.home, ground.kept.id).envelopes)
    found = compared(state, left, right)
    try:
        files = past_of(ground).across(found.left.checkpoint, found.right.checkpoint)
    except OuroborosError as lost:  # words can be compared all the same
        return Comparison(messages=found, files=Changes(), trouble=lost.message)
    return Comparison(messages=found, files=files)
