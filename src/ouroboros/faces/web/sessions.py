"""The routes of sessions: the list, one of them, its events, and commands."""

from functools import partial
from pathlib import Path
from typing import Literal

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from ouroboros import __version__
from ouroboros.app.hub import Room
from ouroboros.app.past import sessions
from ouroboros.app.past.searching import talks
from ouroboros.core.commands import Command, Mode
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope
from ouroboros.faces.web.frames import read_command
from ouroboros.faces.web.routing import (
    Described,
    Refused,
    described,
    is_true,
    number,
    read,
    read_by,
    reply,
)
from ouroboros.faces.web.site import Site
from ouroboros.faces.web.snapshots import Listed, Snapshot, listed, snapshot

_MOST = 1000


class Standing(Struct, frozen=True, kw_only=True):
    """The server: its version, the version of this API, and what is open.

    Attributes:
        cwd: The folder of a new session that names none.
        model: What a new session asks; empty where none is chosen.
    """

    version: str
    api: int
    cwd: str
    home: str
    model: str
    mode: Mode
    sessions: tuple[Listed, ...]


class Open(Struct, frozen=True, kw_only=True):
    """How a session is opened; what is empty is as before, or as the settings say.

    Attributes:
        at: Go on after this message, an id or a number of its tree.
    """

    cwd: str = ""
    resume: str = ""
    at: str = ""
    mind: Literal["", "tools", "rlm"] = ""
    browser: bool = False
    model: str = ""
    mode: Mode | Literal[""] = ""


class Opened(Struct, frozen=True, kw_only=True):
    """The session that is open now."""

    session: str


class Past(Struct, frozen=True, kw_only=True):
    """A session in the list of all; ``open`` means here, ``node`` is where words were found."""

    id: str
    title: str
    cwd: str
    model: str
    status: str
    turns: int
    created: float
    updated: float
    parent: str = ""
    open: bool = False
    running: bool = False
    asks: int = 0
    excerpt: str = ""
    node: str = ""


class PastSessions(Struct, frozen=True, kw_only=True):
    """The latest first."""

    sessions: tuple[Past, ...]


class Accepted(Struct, frozen=True, kw_only=True):
    """The number of the session's last event when the command had begun."""

    seq: int


class SomeEvents(Struct, frozen=True, kw_only=True):
    """Events in order; ``seq`` is the session's last one, so that more are there while it is larger."""

    events: tuple[Envelope, ...]
    seq: int


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    return [
        described("GET", "/state", seat.standing, "The server.", answer=Standing),
        described(
            "GET",
            "/sessions",
            seat.past,
            "Sessions that are kept, the latest first.",
            query={
                "query": "only those in which these words were said, or whose title has them",
                "all": "1: of all folders, not only the server's",
                "archived": "1: those that were put away, and no others",
                "limit": "how many at most",
            },
            answer=PastSessions,
        ),
        described(
            "POST",
            "/sessions",
            seat.open,
            "Open a session: a new one, or one that is kept.",
            body=Open,
            answer=Opened,
            status=201,
        ),
        described(
            "GET", "/sessions/{session}", seat.one, "A session as it stands.", answer=Snapshot
        ),
        described(
            "DELETE",
            "/sessions/{session}",
            seat.close,
            "Stop what runs in a session and close it; it is kept.",
            answer=Opened,
        ),
        described(
            "POST",
            "/sessions/{session}/commands",
            seat.command,
            "Carry out a command; 202 means that it has begun, 409 that it does not fit the moment.",
            body=Command,
            answer=Accepted,
            status=202,
        ),
        described(
            "GET",
            "/sessions/{session}/events",
            seat.events,
            "Events that are on record.",
            query={"after": "number of the last event that is known", "limit": "500 at most"},
            answer=SomeEvents,
        ),
    ]


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def standing(self, request: Request) -> Response:
        del request
        site = self._site
        settings = site.loaded.settings
        return reply(
            Standing(
                version=__version__,
                api=1,
                cwd=str(site.outfit.cwd),
                home=str(site.home),
                model=settings.model,
                mode=settings.mode,
                sessions=tuple(listed(room) for room in site.hub.rooms()),
            )
        )

    async def past(self, request: Request) -> Response:
        words = request.query_params.get("query", "")[:1000]
        limit = number(request, "limit", 100, most=_MOST)
        cwd = None if is_true(request, "all") else str(self._site.outfit.cwd)
        away = is_true(request, "archived")
        find = partial(_past, self._site.home, words, cwd, limit, away=away)
        found = await to_thread.run_sync(find)
        rooms = {room.id: room for room in self._site.hub.rooms()}
        return reply(PastSessions(sessions=tuple(_with(each, rooms) for each in found)))

    async def open(self, request: Request) -> Response:
        wish = await read(request, Open)
        folder = Path(wish.cwd) if wish.cwd else None
        if folder is not None and not (folder.is_absolute() and folder.is_dir()):
            raise Misuse(f"there is no folder {wish.cwd!r}", hint="give the whole path of one")
        room = await self._site.hub.open(
            cwd=folder,
            resume=wish.resume,
            at=wish.at,
            mind=wish.mind,
            browser=wish.browser,
            model=wish.model,
            mode=wish.mode,
        )
        return reply(Opened(session=room.id), 201)

    async def one(self, request: Request) -> Response:
        return reply(snapshot(await self._site.room(request.path_params["session"])))

    async def close(self, request: Request) -> Response:
        id = request.path_params["session"]
        await self._site.hub.close(id)
        return reply(Opened(session=id))

    async def command(self, request: Request) -> Response:
        command = await read_by(request, read_command)
        room = await self._site.room(request.path_params["session"])
        try:
            await room.send(command)
        except Misuse as problem:
            raise Refused(409, problem.message, hint=problem.hint) from problem
        return reply(Accepted(seq=room.state.seq), 202)

    async def events(self, request: Request) -> Response:
        room = await self._site.room(request.path_params["session"])
        found = await room.past(number(request, "after"), number(request, "limit", 500, most=500))
        return reply(SomeEvents(events=tuple(found), seq=room.state.seq))


def _past(home: Path, words: str, cwd: str | None, limit: int, *, away: bool) -> list[Past]:
    """Those that were put away, or the others; blocking."""
    if words.strip():
        found = talks(home, words, cwd=cwd, archived=away, limit=limit)
        return [replace(_plain(x.session), excerpt=x.excerpt, node=x.node) for x in found]
    if away:
        listed = sessions.put_away(home, cwd=cwd, limit=limit)
    else:
        listed = sessions.list_sessions(home, cwd=cwd, limit=limit)
    return [_plain(each) for each in listed]


def _plain(one: sessions.Session) -> Past:
    return Past(
        id=one.id,
        title=one.title,
        cwd=one.cwd,
        model=one.model,
        status=one.status,
        turns=one.turns,
        created=one.created,
        updated=one.updated,
        parent=one.parent,
    )


def _with(one: Past, rooms: dict[str, Room]) -> Past:
    room = rooms.get(one.id)
    if room is None:
        return one
    now = listed(room)
    return replace(
        one, open=True, running=now.running, asks=now.asks, status=now.status, title=now.title
    )
