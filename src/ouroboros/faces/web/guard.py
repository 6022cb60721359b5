"""What stands before every request and every websocket: places, tokens, sizes, headers."""

import logging

from anyio import current_time, fail_after, move_on_after
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ouroboros.faces.web.access import ONCE, SAFE, Access, Refusal, asker
from ouroboros.faces.web.patience import Patience
from ouroboros.faces.web.routing import API, BODY_BYTES, Refused, problem

_OPEN = frozenset({f"{API}/login"})
SOCKETS = 400
"""Websockets that may be open at once."""

_SKIP_SECONDS = 2.0
_SINGLE = frozenset({"host", "origin", "authorization"})
_WORDS: dict[Refusal, tuple[int, str, str]] = {
    "host": (403, "this name is not one of this server", "open the address that it printed"),
    "origin": (403, "a page of another place asked", "only this server's own page may"),
    "token": (401, "nobody is logged in", "open the address that `ouro web` printed"),
}

_logger = logging.getLogger(__name__)


class Guard:
    """Lets through what may come in, and bounds it."""

    def __init__(self, inner: ASGIApp, access: Access, patience: Patience) -> None:
        """``inner`` is what is guarded."""
        self._inner, self._access, self._patience = inner, access, patience
        self._sockets = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or websocket."""
        if scope["type"] not in {"http", "websocket"}:
            await self._inner(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            status, words, hint = _WORDS[refusal]
            await self._refuse(scope, receive, send, Refused(status, words, hint=hint))
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._sockets >= SOCKETS:
            full = Refused(503, "too many websockets are open", hint="close some of them")
            await self._refuse(scope, receive, send, full)
            return
        self._sockets += 1
        try:
            await self._inner(scope, receive, send)
        finally:
            self._sockets -= 1

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = _Body(receive, self._patience.body)
        if _announced(scope) > BODY_BYTES:
            await body.skip()
            await self._refuse(scope, receive, send, _too_long())
            return
        try:
            await self._inner(scope, body.receive, self._headed(send))
        except TimeoutError:  # of a reader who does not read; nothing can be told it
            _logger.info("a reader of %s was given up", scope["path"])

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
            return self._access.refuses(who, is_once=self._is_once(scope))
        return self._access.refuses_place(who)

    def _is_once(self, scope: Scope) -> bool:
        """Whether a ticket comes with it that was given for this one address."""
        question, found, ticket = scope["query_string"].decode("latin-1").rpartition(f"{ONCE}=")
        if not found or scope["method"] not in SAFE:
            return False
        path = scope.get("raw_path", b"").decode("latin-1")
        target = f"{path}?{question}".removesuffix("?").removesuffix("&")
        return self._access.opens_once(ticket, target, current_time())

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
            with fail_after(self._patience.reading):
                await send(message)

        return sent


class _Body:
    """A body that ends with an error where it is too long, or does not come."""

    def __init__(self, receive: Receive, seconds: float) -> None:
        self._receive = receive
        self._size = 0
        self._until = current_time() + seconds
        self._is_whole = False

    async def receive(self) -> Message:
        if self._is_whole:  # what is waited for now is the end of the connection
            return await self._receive()
        with move_on_after(self._until - current_time()):
            message = await self._receive()
            self._size += len(message.get("body", b""))
            self._is_whole = not message.get("more_body", False)
            if self._size > BODY_BYTES:
                await self.skip()
                raise _too_long()
            return message
        raise Refused(408, "the rest of the request did not come", hint="send it again")

    async def skip(self) -> None:
        """Reads on for a moment, so that the answer is heard by who still sends."""
        with move_on_after(_SKIP_SECONDS):
            while (await self._receive()).get("more_body", False):
                pass


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:18])
    return 0


def _too_long() -> Refused:
    return Refused(413, f"a request may have {BODY_BYTES:,} bytes", hint="send less at once")
