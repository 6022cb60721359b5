"""What was changed: by the whole session, by a turn, and what going back would change."""

from collections.abc import Callable

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from ouroboros.app.rewind.points import Point
from ouroboros.app.workplace.changed import Back, Changes, Past
from ouroboros.faces.web.panels.asking import Ground, on_ground
from ouroboros.faces.web.routing import Described, described, reply
from ouroboros.faces.web.site import Site

_ONLY = "only these files, a parameter for each"


class Points(Struct, frozen=True, kw_only=True):
    """The turns that can be gone back to, the latest first.

    Attributes:
        undone: How many times in a row something was taken back that can be had again.
        undoable: So many turns ``undo`` can still take back; ``restore`` and ``rewind`` go further.
        running: Nothing can be taken back while this is so.
    """

    points: tuple[Point, ...]
    undone: int
    undoable: int
    running: bool


class PointDiff(Struct, frozen=True, kw_only=True):
    """What a turn changed in files, and what going back to before it would.

    Attributes:
        back: What ``restore`` would do, which brings all files back.
        undo: What ``undo`` would, which leaves alone what no turn touched; null for the same.
    """

    made: Changes
    back: Back
    undo: Back | None = None


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    return [
        described(
            "GET",
            "/sessions/{session}/points",
            seat.points,
            "The turns that can be gone back to.",
            answer=Points,
        ),
        described(
            "GET",
            "/sessions/{session}/points/{message}/diff",
            seat.point,
            "What a turn changed in files, and what bringing them back would change.",
            query={"path": _ONLY},
            answer=PointDiff,
        ),
        described(
            "GET",
            "/sessions/{session}/changes",
            seat.changes,
            "What the session changed in files, by file and hunk.",
            query={
                "turn": "only what the turn did that began with this message",
                "start": "from this checkpoint on, by the beginning of its name",
                "end": "up to this one; without, up to the files as they are",
                "path": _ONLY,
            },
            answer=Changes,
        ),
    ]


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def points(self, request: Request) -> Response:
        found, undone, undoable = await self._past(
            request, lambda past: (past.points(), past.undone, past.undoable)
        )
        room = self._site.hub.room(request.path_params["session"])
        running = room is not None and room.running
        points = tuple(found)
        return reply(Points(points=points, undone=undone, undoable=undoable, running=running))

    async def point(self, request: Request) -> Response:
        message = request.path_params["message"]
        only = request.query_params.getlist("path")

        def job(past: Past) -> PointDiff:
            back, undo = past.back(message)
            return PointDiff(made=past.made(message, only), back=back, undo=undo)

        return reply(await self._past(request, job))

    async def changes(self, request: Request) -> Response:
        asked = request.query_params
        turn, start, end = (asked.get(name, "") for name in ("turn", "start", "end"))
        only = asked.getlist("path")

        def job(past: Past) -> Changes:
            if turn:
                return past.of_turn(turn, only)
            return past.between(start, end, only) if start else past.since_the_start(only)

        return reply(await self._past(request, job))

    async def _past[T](self, request: Request, job: Callable[[Past], T]) -> T:
        return await on_ground(self._site, request, lambda ground: job(past_of(ground)))


def past_of(ground: Ground) -> Past:
    """The checkpoints of a session; blocking."""
    return Past(ground.site.home, ground.kept.id, ground.loaded().settings, ground.clean())
