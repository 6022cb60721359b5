"""Routes that describe themselves, so that the API's document is made from them."""

from collections.abc import Awaitable, Callable, Mapping

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.ipc.lines import decoded
from ouroboros.faces.web.access import SUBPROTOCOL

API = "/api/v1"
BODY_BYTES = 24 * 1_048_576
"""The longest body of a request, and the longest message of a websocket."""

_CLOSING = frozenset({408, 413})
"""The rest of the request is not waited for."""

_json = "application/json"


class Refused(OuroborosError):
    """A request that is answered with this status."""

    def __init__(self, status: int, message: str, *, hint: str = "") -> None:
        """``status`` is one of HTTP."""
        super().__init__(message, hint=hint)
        self.status = status


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """What the document says of a route.

    Attributes:
        query: Names of parameters and what they mean.
        body: The type of what is sent, None for nothing.
        answer: The type of what comes back as JSON, None for something else.
        media: The content type of the answer, where it is not JSON.
        status: Of a request that went well.
        sent: Types of the frames that the server of a websocket sends.
        received: Types of those that it understands.
    """

    summary: str
    query: Mapping[str, str] = {}
    body: object = None
    answer: object = None
    media: str = _json
    status: int = 200
    sent: tuple[object, ...] = ()
    received: tuple[object, ...] = ()


class Described(Route):
    """A route with its description."""

    description: Description
    method: str


class DescribedSocket(WebSocketRoute):
    """A websocket with its description."""

    description: Description


def described(
    method: str,
    path: str,
    endpoint: Callable[[Request], Awaitable[Response]],
    summary: str,
    *,
    query: Mapping[str, str] | None = None,
    body: object = None,
    answer: object = None,
    media: str = _json,
    status: int = 200,
) -> Described:
    """A route below ``/api/v1`` for one method; ``path`` may hold ``{session}`` and other names."""
    route = Described(API + path, endpoint, methods=[method])
    route.method = method
    route.description = Description(
        summary=summary, query=query or {}, body=body, answer=answer, media=media, status=status
    )
    return route


def described_socket(
    path: str,
    endpoint: Callable[[WebSocket], Awaitable[None]],
    summary: str,
    *,
    query: Mapping[str, str] | None = None,
    sent: tuple[object, ...] = (),
    received: tuple[object, ...] = (),
    root: str = API,
) -> DescribedSocket:
    """A websocket below ``/api/v1``, or below another root."""
    route = DescribedSocket(root + path, endpoint)
    route.description = Description(
        summary=summary, query=query or {}, sent=sent, received=received
    )
    return route


async def welcome(socket: WebSocket) -> None:
    """Accepts it, as what a page names it."""
    offered = socket.scope.get("subprotocols", [])
    await socket.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in offered else None)


def reply(value: object, status: int = 200) -> Response:
    """A value as JSON; paths and other values without a form in it as their text."""
    return Response(
        msgspec.json.encode(value, enc_hook=str),
        status_code=status,
        media_type=_json,
        headers={"cache-control": "no-store"},
    )


async def read[T](request: Request, kind: type[T]) -> T:
    """The body as a value of a type.

    Raises:
        Refused: It is not JSON (400), too long (413), or does not fit (400).
    """
    return await read_by(request, msgspec.json.Decoder(kind))


async def read_by[T](request: Request, decoder: msgspec.json.Decoder[T]) -> T:
    """As ``read``, for what is no single type."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _json:
        raise Refused(400, "the body is not JSON", hint=f"send it as {_json}")
    body = await request.body()
    try:
        return decoded(decoder, body or b"{}")
    except (msgspec.DecodeError, RecursionError) as wrong:
        raise Refused(400, f"the body does not fit: {wrong}") from wrong


def number(request: Request, name: str, usual: int = 0, *, most: int = 1 << 53) -> int:
    """A parameter that is a number of 0 or more.

    Raises:
        Refused: It is none.
    """
    given = request.query_params.get(name, "")
    if not given:
        return usual
    if not (given.isascii() and given.isdigit() and len(given) <= 16):
        raise Refused(400, f"{name} is not a number: {given[:40]!r}")
    return min(int(given), most)


def problem(error: OuroborosError) -> Response:
    """An error as its status and words."""
    from ouroboros.core.errors import SessionBusy, SessionUnknown, StoreFailed

    match error:
        case Refused(status=status):
            pass
        case SessionUnknown():
            status = 404
        case SessionBusy():
            status = 409
        case Misuse():
            status = 400
        case StoreFailed():
            status = 507
        case _:
            status = 500
    answer = reply({"error": error.message, "hint": error.hint}, status)
    if status in _CLOSING:
        answer.headers["connection"] = "close"
    return answer


def is_true(request: Request, name: str) -> bool:
    """Whether a parameter says yes."""
    return request.query_params.get(name, "").lower() in {"1", "true", "yes"}
