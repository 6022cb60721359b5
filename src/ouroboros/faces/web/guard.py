"""What stands before every request and every websocket: places, tokens, sizes, headers."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ouroboros.faces.web.access import Access, Refusal, asker
from ouroboros.faces.web.routing import API, BODY_BYTES, Refused, problem

_OPEN = frozenset({f"{API}/login"})
_SINGLE = frozenset({"host", "origin", "authorization"})
_WORDS: dict[Refusal, tuple[int, str, str]] = {
    "host": (403, "this name is not one of this server", "open the address that it printed"),
    "origin": (403, "a page of another place asked", "only this server's own page may"),
    "token": (401, "nobody is logged in", "open the address that `ouro web` printed"),
}


class Guard:
    """Lets through what may come in, and bounds it."""

    def __init__(self, inner: ASGIApp, access: Access) -> None:
        """``inner`` is what is guarded."""
        self._inner, self._access = inner, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or websocket."""
        if scope["type"] not in {"http", "websocket"}:
            await self._inner(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            status, words, hint = _WORDS[refusal]
            await self._refuse(scope, receive, send, Refused(status, words, hint=hint))
            return
        if scope["type"] == "websocket":
            await self._inner(scope, receive, send)
            return
        body = _Body(receive)
        if _announced(scope) > BODY_BYTES:
            await self._refuse(scope, receive, send, _too_long())
            return
        await self._inner(scope, body.receive, self._headed(send))

    def _refusal(self, scope: Scope) -> Refusal | None:
        given: dict[str, str] = {}
        for name, value in scope["headers"]:
            key, said = name.decode("latin-1").lower(), value.decode("latin-1")
            if key in given and key in _SINGLE:
                return "host"  # two that contradict each other: nobody honest sends that
            given[key] = f"{given[key]}; {said}" if key in given else said
        who = asker(scope.get("method", "GET"), given)
        if scope["type"] == "websocket":
            return self._access.refuses(who, is_socket=True)
        path = scope["path"]
        if path.startswith("/api/") and path not in _OPEN:
            return self._access.refuses(who)
        return self._access.refuses_place(who)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, refused: Refused) -> None:
        answer = problem(refused)
        answer.headers["connection"] = "close"
        await answer(scope, receive, self._headed(send))

    def _headed(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"].endswith("response.start"):
                headers = MutableHeaders(raw=list(message.get("headers", [])))
                for name, value in self._access.headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-cache")
                message = {**message, "headers": headers.raw}
            await send(message)

        return sent


class _Body:
    """A body that ends with an error where it is too long."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._size = 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        if self._size > BODY_BYTES:
            raise _too_long()
        return message


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:18])
    return 0


def _too_long() -> Refused:
    return Refused(413, f"a request may have {BODY_BYTES:,} bytes", hint="send less at once")
