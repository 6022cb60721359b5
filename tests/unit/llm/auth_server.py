"""A real authorization server on loopback that is also a vendor, strict about every rule of PKCE."""

import contextlib
import hashlib
import secrets
import socket
from base64 import urlsafe_b64encode
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import anyio
import msgspec
from anyio.abc import SocketAttribute, SocketStream

from ouroboros.core.clock import SystemClock
from ouroboros.llm.auth.plan import OAuthClient
from ouroboros.testing.wire import Closed, Exchange, Wire

CLIENT = "ouroboros-test"
REPLY = (
    b'data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"ready"}}]}\n\n'
    b'data: {"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)
LIST = b'{"data":[{"id":"m"}]}'
type Answer = tuple[int, object]


class AuthServer:
    """Hands out codes, tokens and keys; a refresh token that was used is worthless, and so is its family.

    Attributes:
        lifetime: ``expires_in`` of the access tokens; None says nothing of it.
        wait: How long a token request is kept waiting.
        broken: Answers that come instead of the right ones, next first.
        metadata: What the server says of itself besides its addresses.
    """

    def __init__(self) -> None:
        self.url = ""
        self.lifetime: float | None = 3600.0
        self.rotates = True
        self.wait = 0.0
        self.broken: list[Answer] = []
        self.metadata: dict[str, object] = {}
        self.denies = ""
        self.exchanges: list[Exchange] = []
        self.refreshes = 0
        self.reused = 0
        self.revoked: list[str] = []
        self.live: set[str] = set()
        self.refresh_tokens: set[str] = set()
        self.codes: dict[str, dict[str, str]] = {}
        self.token_asked, self.renewed = anyio.Event(), anyio.Event()
        self._number = 0

    def client(self, **changes: object) -> OAuthClient:
        words = {
            "client_id": CLIENT,
            "authorize_url": f"{self.url}/authorize",
            "token_url": f"{self.url}/token",
            "revoke_url": f"{self.url}/revoke",
            **changes,
        }
        return msgspec.convert(words, OAuthClient)

    def key_client(self) -> OAuthClient:
        return OAuthClient(authorize_url=f"{self.url}/auth", key_url=f"{self.url}/keys")

    def grant(self) -> dict[str, object]:
        """A new pair of tokens."""
        self._number += 1
        access, refresh = f"access-{self._number:04}-aaaa", f"refresh-{self._number:04}-rrrr"
        self.live.add(access)
        self.refresh_tokens.add(refresh)
        given: dict[str, object] = {"access_token": access, "token_type": "Bearer"}
        if self.rotates or self._number == 1:
            given["refresh_token"] = refresh
        return given if self.lifetime is None else {**given, "expires_in": self.lifetime}

    async def handle(self, stream: SocketStream) -> None:
        try:
            async with stream:
                wire = Wire(stream, SystemClock())
                while True:
                    exchange = await wire.read(len(self.exchanges) + 1, 0)
                    self.exchanges.append(exchange)
                    await self.answer(wire, exchange)
        except (Closed, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass

    async def answer(self, wire: Wire, exchange: Exchange) -> None:
        parts = urlsplit(exchange.path)
        asked = dict(parse_qsl(parts.query or exchange.body))
        routes: dict[str, Callable[[], Answer]] = {
            "/.well-known/oauth-authorization-server": self.describe,
            "/token": lambda: self.token(asked),
            "/revoke": lambda: self.revoke(asked),
            "/keys": lambda: self.key(msgspec.json.decode(exchange.body)),
        }
        if parts.path in {"/authorize", "/auth"}:
            place = self.agree(asked)
            await wire.whole(302, b"", {"location": place})
        elif parts.path.endswith("/chat/completions"):
            await self.vouch(wire, exchange, REPLY, "text/event-stream")
        elif parts.path.endswith("/models"):
            await self.vouch(wire, exchange, LIST, "application/json")
        elif parts.path in routes:
            if parts.path == "/token":
                self.token_asked.set()
            await anyio.sleep(self.wait)
            is_broken = self.broken and parts.path != "/revoke"
            status, body = self.broken.pop(0) if is_broken else routes[parts.path]()
            content = body if isinstance(body, bytes) else msgspec.json.encode(body)
            await wire.whole(status, content, {"content-type": "application/json"})
        else:
            await wire.whole(404, b"{}", {})

    def describe(self) -> Answer:
        return 200, {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "revocation_endpoint": f"{self.url}/revoke",
            "code_challenge_methods_supported": ["S256"],
            **self.metadata,
        }

    def agree(self, asked: dict[str, str]) -> str:
        """Where the browser is sent once the person agreed."""
        redirect = asked.get("redirect_uri") or asked["callback_url"]
        given = {"state": asked["state"]} if "state" in asked else {}
        if self.denies:
            return f"{redirect}?{urlencode({**given, 'error': self.denies})}"
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return f"{redirect}?{urlencode({**given, 'code': code})}"

    def proves(self, asked: dict[str, str]) -> bool:
        """Whether the code and the verifier belong together; a code counts once."""
        begun = self.codes.pop(asked.get("code", ""), None)
        if begun is None or begun["code_challenge_method"] != "S256":
            return False
        digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
        return urlsafe_b64encode(digest).rstrip(b"=").decode() == begun["code_challenge"]

    def token(self, asked: dict[str, str]) -> Answer:
        if asked.get("client_id") != CLIENT:
            return 401, {"error": "invalid_client"}
        match asked.get("grant_type"):
            case "authorization_code":
                return (200, self.grant()) if self.proves(asked) else _refused(asked)
            case "refresh_token":
                return self.refresh(asked)
            case _:
                return 400, {"error": "unsupported_grant_type"}

    def refresh(self, asked: dict[str, str]) -> Answer:
        token = asked["refresh_token"]
        if token not in self.refresh_tokens:
            self.reused += 1
            self.refresh_tokens.clear()
            self.live.clear()
            return _refused(asked)
        self.refreshes += 1
        self.renewed.set()
        if self.rotates:
            self.refresh_tokens.discard(token)
        return 200, self.grant()

    def revoke(self, asked: dict[str, str]) -> Answer:
        if self.broken:
            return self.broken.pop(0)
        self.revoked.append(asked["token"])
        return 200, {}

    def key(self, asked: dict[str, str]) -> Answer:
        if asked.get("code_challenge_method") != "S256" or not self.proves(asked):
            return 403, {"error": "Invalid code or code_verifier"}
        return 200, {"key": "sk-key-from-the-page"}

    async def vouch(self, wire: Wire, exchange: Exchange, body: bytes, kind: str) -> None:
        token = exchange.headers.get("authorization", "").removeprefix("Bearer ")
        if token in self.live or token == "sk-key-from-the-page":
            await wire.whole(200, body, {"content-type": kind})
            return
        error = {"error": {"message": f"the token {token} is not valid", "code": "invalid_token"}}
        await wire.whole(401, msgspec.json.encode(error), {"content-type": "application/json"})


def _refused(asked: dict[str, str]) -> Answer:
    secret = asked.get("refresh_token") or asked.get("code", "")
    return 400, {"error": "invalid_grant", "error_description": f"{secret} is not known"}


@asynccontextmanager
async def authorizing() -> AsyncGenerator[AuthServer]:
    """A running server on 127.0.0.1."""
    server = AuthServer()
    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as tasks,
    ):
        port = listener.extra_attributes[SocketAttribute.local_port]()
        server.url = f"http://127.0.0.1:{port}"
        tasks.start_soon(listener.serve, server.handle)
        yield server
        tasks.cancel_scope.cancel()


async def browse(address: str) -> tuple[int, str]:
    """What a browser gets, led on from the page of the vendor: the last status and page."""
    status, headers, body = await fetched(address)
    if status == 302:
        status, headers, body = await fetched(headers["location"])
    return status, body


async def fetched(address: str, **changes: str) -> tuple[int, dict[str, str], str]:
    """One GET, as a browser sends it."""
    parts = urlsplit(address)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    given = {"host": parts.netloc, "accept": "text/html", **changes}
    lines = [f"GET {target} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
    content = b""
    async with await anyio.connect_tcp(parts.hostname or "", parts.port or 80) as stream:
        await stream.send("\r\n".join([*lines, "", ""]).encode())
        with anyio.fail_after(60):
            while b"\r\n\r\n" not in content:
                content += await stream.receive()
            head, _, body = content.partition(b"\r\n\r\n")
            first, *rest = head.decode().split("\r\n")
            pairs = (line.partition(": ") for line in rest)
            headers = {name.lower(): value for name, _, value in pairs}
            while len(body) < int(headers.get("content-length", "0")):
                body += await stream.receive()
    return int(first.split(" ")[1]), headers, body.decode()


def query(address: str) -> dict[str, str]:
    """The parameters of an address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def spare_port() -> int:
    """A port that is free, and that no connection of another test is given by chance."""
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as trial, contextlib.suppress(OSError):
            trial.bind(("127.0.0.1", port))
            return port
