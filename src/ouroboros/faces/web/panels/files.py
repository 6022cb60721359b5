"""The folders of a session as a tree that can only be read, with marks of what changed."""

from pathlib import Path
from typing import Literal

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from ouroboros.app.past import sessions
from ouroboros.app.workplace import explorer, git_marks
from ouroboros.app.workplace.explorer import Folder, Preview
from ouroboros.core.errors import OuroborosError
from ouroboros.core.limits import WRITE_BYTES
from ouroboros.faces.web.panels.asking import Ground, on_ground, session_of
from ouroboros.faces.web.panels.changes import past_of
from ouroboros.faces.web.routing import Described, Refused, described, is_true, number, reply
from ouroboros.faces.web.site import Site

_MARKS = 5_000


class Root(Struct, frozen=True, kw_only=True):
    """A folder that a session works in: its own, or a workspace that was brought in."""

    number: int
    path: str
    kind: Literal["own", "visited"] = "own"
    is_there: bool = True


class Listing(Struct, frozen=True, kw_only=True):
    """A page of a folder, and which folders there are."""

    roots: tuple[Root, ...]
    root: int
    folder: Folder


class Marks(Struct, frozen=True, kw_only=True):
    """What changed, by path below the root.

    Attributes:
        session: Since before the session's first effect.
        git: Against what git has last; ``branch`` is empty without git.
        trouble: Why nothing is said of the session's changes.
    """

    session: dict[str, str]
    git: dict[str, str]
    branch: str
    trouble: str = ""
    is_cut: bool = False


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    path = {"path": "relative to the root, / between names"}
    root = {"root": "number of the root; 0 is the session's own folder"}
    return [
        described(
            "GET",
            "/sessions/{session}/files",
            seat.folder,
            "A page of a folder; links are shown and not followed.",
            query={**path, **root, "start": "names to leave out", "limit": "1000 at most"},
            answer=Listing,
        ),
        described(
            "GET",
            "/sessions/{session}/files/marks",
            seat.marks,
            "Which files the session, and git, say are changed.",
            query=root,
            answer=Marks,
        ),
        described(
            "GET",
            "/sessions/{session}/file",
            seat.file,
            "The beginning of a file; `raw=1` gives the bytes of a picture.",
            query={**path, **root, "raw": "1: a picture as it is"},
            answer=Preview,
        ),
    ]


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def folder(self, request: Request) -> Response:
        name, root = _asked(request)
        start = number(request, "start")
        limit = number(request, "limit", explorer.PAGE, most=1_000)

        visited = self._visited(request)

        def job(ground: Ground) -> Listing:
            found = roots(ground, visited)
            place = _place(found, root)
            shown = explorer.folder(place, name, start=start, limit=limit)
            return Listing(roots=found, root=root, folder=shown)

        return reply(await on_ground(self._site, request, job))

    async def file(self, request: Request) -> Response:
        name, root = _asked(request)
        visited = self._visited(request)
        if is_true(request, "raw"):
            data, mime = await on_ground(
                self._site,
                request,
                lambda ground: explorer.picture(
                    _place(roots(ground, visited), root), name, WRITE_BYTES
                ),
            )
            headers = {
                "cache-control": "no-store",
                "content-security-policy": "default-src 'none'; sandbox",
            }
            return Response(data, media_type=mime, headers=headers)

        def job(ground: Ground) -> Preview:
            return explorer.preview(_place(roots(ground, visited), root), name, ground.clean())

        return reply(await on_ground(self._site, request, job))

    async def marks(self, request: Request) -> Response:
        _, root = _asked(request)
        visited = self._visited(request)

        def job(ground: Ground) -> tuple[Path, dict[str, str], str]:
            place = _place(roots(ground, visited), root)
            if root:
                return place, {}, ""
            try:
                return place, dict(past_of(ground).marks(_MARKS)), ""
            except OuroborosError as lost:
                return place, {}, lost.message

        place, session, trouble = await on_ground(self._site, request, job)
        git = await git_marks.marks(place, self._site.outfit.environment, most=_MARKS)
        return reply(
            Marks(
                session=session,
                git=dict(git.files),
                branch=git.branch,
                trouble=trouble,
                is_cut=git.is_cut or len(session) >= _MARKS,
            )
        )

    def _visited(self, request: Request) -> tuple[str, ...] | None:
        """The workspaces that were brought in, where the session is open."""
        room = self._site.hub.room(session_of(request))
        return None if room is None else tuple(room.state.visited)


def roots(ground: Ground, visited: tuple[str, ...] | None) -> tuple[Root, ...]:
    """The folders of a session, its own first; ``visited`` is None where it is not open. Blocking."""
    if visited is None:
        read = sessions.events(ground.site.home, ground.kept.id).envelopes
        visited = tuple(sessions.describe(read).visited)
    return tuple(
        Root(
            number=number,
            path=path,
            kind="visited" if number else "own",
            is_there=Path(path).is_dir(),
        )
        for number, path in enumerate(dict.fromkeys((str(ground.cwd), *visited)))
    )


def _place(found: tuple[Root, ...], root: int) -> Path:
    if root >= len(found):
        raise Refused(404, f"there is no folder {root} of this session")
    return Path(found[root].path).resolve()


def _asked(request: Request) -> tuple[str, int]:
    return request.query_params.get("path", ""), number(request, "root")
