"""What a person does with sessions that are kept: call them otherwise, put away, fork, delete, write out."""

from collections.abc import AsyncGenerator, Iterator
from functools import partial
from itertools import islice

from anyio import to_thread
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ouroboros.app.export.writing import ENDINGS, STYLES, Wish, written
from ouroboros.app.past import forking, sessions
from ouroboros.app.rewind import offline
from ouroboros.core.commands import SetTitle
from ouroboros.core.errors import Misuse, SessionBusy
from ouroboros.faces.web.panels.asking import Ground, on_ground, quickly, session_of
from ouroboros.faces.web.panels.kept import disposition
from ouroboros.faces.web.routing import Described, Refused, described, is_true, read, reply
from ouroboros.faces.web.site import Site

_LONGEST_TITLE = 200
_PIECES = 64
_TYPES = {"jsonl": "application/jsonl", "markdown": "text/markdown", "html": "text/html"}
_SANDBOX = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"


class Title(Struct, frozen=True, kw_only=True):
    """What a session is called."""

    title: str


class Node(Struct, frozen=True, kw_only=True):
    """A message; empty for the last one."""

    message: str = ""


class Forked(Struct, frozen=True, kw_only=True):
    """The new session."""

    session: str


class Away(Struct, frozen=True, kw_only=True):
    """Whether a session is off the list."""

    archived: bool


class Confirmed(Struct, frozen=True, kw_only=True):
    """The name of the session once more: what is deleted is gone."""

    confirm: str


class Gone(Struct, frozen=True, kw_only=True):
    """What was deleted."""

    session: str


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    place = "/sessions/{session}"
    return [
        described(
            "PUT",
            f"{place}/title",
            seat.rename,
            "Call a session otherwise.",
            body=Title,
            answer=Title,
        ),
        described(
            "POST",
            f"{place}/fork",
            seat.fork,
            "Make another session of all that was said up to a message.",
            body=Node,
            answer=Forked,
            status=201,
        ),
        described(
            "PUT",
            f"{place}/archived",
            seat.archive,
            "Take a session off the list, or put it back.",
            body=Away,
            answer=Away,
        ),
        described(
            "POST",
            f"{place}/delete",
            seat.delete,
            "Delete a session for good, with what was kept with it; the body repeats its name.",
            body=Confirmed,
            answer=Gone,
        ),
        described(
            "GET",
            f"{place}/export",
            seat.export,
            "Write a session out, with secrets taken out.",
            query={
                "format": "jsonl, md or html",
                "full": "1: in md and html what was in files, too",
                "active": "1: in md and html only the branch that goes on",
            },
            media="text/plain",
        ),
    ]


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def rename(self, request: Request) -> Response:
        wish = await read(request, Title)
        title = " ".join(wish.title.split())[:_LONGEST_TITLE]
        if not title:
            raise Refused(400, "a title needs a word")
        room = self._site.hub.room(session_of(request))
        if room is not None:
            await room.send(SetTitle(title=title))
        else:
            await on_ground(
                self._site, request, lambda g: sessions.rename(g.site.home, g.kept.id, title)
            )
        return reply(Title(title=title))

    async def fork(self, request: Request) -> Response:
        wish = await read(request, Node)
        room = self._site.hub.room(session_of(request))
        if room is not None:
            return reply(Forked(session=await room.session.fork(wish.message)), 201)

        def job(ground: Ground) -> str:
            home, id = ground.site.home, ground.kept.id
            state = sessions.describe(sessions.events(home, id).envelopes)
            node = wish.message or state.tree.head
            return forking.fork_aside(home, id, node)

        return reply(Forked(session=await on_ground(self._site, request, job)), 201)

    async def archive(self, request: Request) -> Response:
        wish = await read(request, Away)

        def job(ground: Ground) -> None:
            act = sessions.archive if wish.archived else sessions.unarchive
            act(ground.site.home, ground.kept.id)

        await on_ground(self._site, request, job)
        return reply(wish)

    async def delete(self, request: Request) -> Response:
        wish = await read(request, Confirmed)
        id = session_of(request)
        await on_ground(self._site, request, lambda _: None)
        if wish.confirm != id:
            raise Refused(400, "nothing was deleted", hint="repeat the whole name as `confirm`")
        room = self._site.hub.room(id)
        if room is not None and room.running:
            raise SessionBusy("a run of this session is under way", hint="stop it first")
        await self._site.hub.close(id)
        home = self._site.home
        gone = partial(offline.forget, home)
        await quickly(partial(sessions.delete, home, id, beside=(gone,)))
        return reply(Gone(session=id))

    async def export(self, request: Request) -> Response:
        style = STYLES.get(request.query_params.get("format", "jsonl"))
        if style is None:
            raise Misuse("there is no such format", hint="jsonl, md or html")
        wish = Wish(
            style=style,
            contents=is_true(request, "full"),
            only_active=is_true(request, "active"),
        )

        def job(ground: Ground) -> tuple[Iterator[str], str]:
            kept = ground.kept
            envelopes = sessions.events(ground.site.home, kept.id).envelopes
            return written(envelopes, kept.title, wish, ground.clean()), kept.id

        pieces, id = await on_ground(self._site, request, job)
        return StreamingResponse(
            _sent(pieces),
            media_type=f"{_TYPES[style]}; charset=utf-8",
            headers={
                "content-disposition": disposition(f"{id}{ENDINGS[style]}"),
                "content-security-policy": _SANDBOX,
                "cache-control": "no-store",
            },
        )


async def _sent(pieces: Iterator[str]) -> AsyncGenerator[bytes]:
    while some := await to_thread.run_sync(lambda: "".join(islice(pieces, _PIECES))):
        yield some.encode("utf-8", "surrogateescape")
