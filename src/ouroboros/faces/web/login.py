"""The one route that is open to who has no cookie yet: it takes the token and gives one."""

import anyio
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from ouroboros.faces.web.access import ONCE
from ouroboros.faces.web.routing import API, Described, Refused, described, read, reply
from ouroboros.faces.web.site import Site

_FIRST_SECONDS, _MOST_SECONDS = 0.25, 4.0
_WAITING = 8


class Login(Struct, frozen=True, kw_only=True):
    """The token that the server printed."""

    token: str


class Entered(Struct, frozen=True, kw_only=True):
    """Whether the cookie counts, and the key that the page says with it."""

    ok: bool
    key: str = ""


class TicketRequest(Struct, frozen=True, kw_only=True):
    """What the browser itself is to get, such as a file to keep: a path below the API, with its question."""

    path: str


class TicketAddress(Struct, frozen=True, kw_only=True):
    """The whole path, which can be got once and soon."""

    address: str


def routes(site: Site) -> list[Described]:
    """The routes."""
    gate = _Gate(site)
    return [
        described(
            "POST",
            "/login",
            gate.enter,
            "Give the token, get a cookie; wrong ones are answered slowly.",
            body=Login,
            answer=Entered,
        ),
        described(
            "POST",
            "/once",
            gate.once,
            "An address that the browser may get once without the page's key.",
            body=TicketRequest,
            answer=TicketAddress,
        ),
        described("POST", "/logout", gate.leave, "Forget the cookie.", answer=Entered),
    ]


class _Gate:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._wrong = self._waiting = 0

    async def enter(self, request: Request) -> Response:
        """A wrong token waits, longer each time, and only a few may wait; a right one never does."""
        given = await read(request, Login)
        if self._site.access.enters(given.token):
            self._wrong = 0
            answer = reply(Entered(ok=True, key=self._site.access.key))
            answer.headers["set-cookie"] = self._site.access.set_cookie()
            return answer
        if self._waiting >= _WAITING:
            raise Refused(429, "too many wrong tokens", hint="wait a few seconds")
        self._wrong += 1
        self._waiting += 1
        try:
            await anyio.sleep(min(_MOST_SECONDS, _FIRST_SECONDS * 2 ** min(self._wrong, 8)))
        finally:
            self._waiting -= 1
        raise Refused(401, "this is not the token", hint="open the address that `ouro web` printed")

    async def once(self, request: Request) -> Response:
        given = await read(request, TicketRequest)
        target = f"{API}{given.path}"
        sign = "&" if "?" in target else "?"
        ticket = self._site.access.once(target, anyio.current_time())
        return reply(TicketAddress(address=f"{target}{sign}{ONCE}={ticket}"))

    async def leave(self, request: Request) -> Response:
        del request
        answer = reply(Entered(ok=False))
        answer.headers["set-cookie"] = self._site.access.drop_cookie()
        return answer
