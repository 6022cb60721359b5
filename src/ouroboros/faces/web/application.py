"""The application: files of the page, the API, and the guard before both."""

from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from ouroboros.core.errors import OuroborosError
from ouroboros.faces.web import document, earlier, live, login, sessions, streams
from ouroboros.faces.web.assets import Assets
from ouroboros.faces.web.guard import Guard
from ouroboros.faces.web.panels import table as panels
from ouroboros.faces.web.patience import Patience
from ouroboros.faces.web.routing import problem, reply
from ouroboros.faces.web.site import Site

STATIC = Path(__file__).parent / "static"


def described_routes(site: Site) -> list[BaseRoute]:
    """All routes of the API."""
    return document.routes([
        *login.routes(site),
        *sessions.routes(site),
        *panels.routes(site),
        *streams.routes(site),
        *live.routes(site),
        earlier.first.route(site),
        earlier.second.route(site),
    ])


def application(site: Site, patience: Patience) -> Guard:
    """What a server serves."""
    files = Assets(STATIC)
    handlers = {OuroborosError: _told, HTTPException: _missed, Exception: _broken}
    inner = Starlette(routes=[*described_routes(site), *_page(files)], exception_handlers=handlers)
    return Guard(inner, site.access, patience)


def _page(files: ASGIApp) -> Iterable[BaseRoute]:
    from starlette.routing import Mount

    return (Mount("/", files, name="page"),)


async def _told(request: Request, error: Exception) -> Response:
    del request
    return problem(error) if isinstance(error, OuroborosError) else _nothing()


async def _missed(request: Request, error: Exception) -> Response:
    del request
    status = error.status_code if isinstance(error, HTTPException) else 500
    return reply({"error": HTTPStatus(status).phrase.lower(), "hint": ""}, status)


async def _broken(request: Request, error: Exception) -> Response:
    del request, error
    return _nothing()


def _nothing() -> Response:
    return reply({"error": "the server broke", "hint": "its log says how"}, 500)
