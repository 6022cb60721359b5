"""Who may speak to the server: this machine's own page, and programs that hold the token.

Pure: it judges headers and never awaits.
"""

import secrets
from collections.abc import Mapping
from hmac import compare_digest
from typing import Literal

from msgspec import Struct

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Names by which a page of ours may be open; any other is somebody's who rebinds a name to us."""

SAFE = frozenset({"GET", "HEAD"})

KEY_HEADER = "x-ouroboros-key"
SUBPROTOCOL = "ouroboros"
"""Of a page's websockets; the other one that it names is ``key.`` and its key."""

ONCE = "once"
"""The part of a question that holds a ticket for one address, where no header can be sent."""

ONCE_SECONDS = 60.0

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self' {sockets}; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)

type Refusal = Literal["host", "origin", "token"]


class Asker(Struct, frozen=True, kw_only=True):
    """Who asks, as far as a request says; each field is a header, empty where it is missing."""

    method: str
    host: str
    origin: str
    site: str
    authorization: str
    cookie: str
    key: str


class Access:
    """The token of this server, and the one place where it is compared.

    A cookie goes to every server of this machine, whatever its port, so it counts only with the key that
    the page alone has: the browser keeps that for this port, and the page says it with each request.
    """

    def __init__(self, port: int, *, token: str = "", cookie: str = "", key: str = "") -> None:
        """``token``, ``cookie`` and ``key`` are made where they are empty; none is ever logged."""
        self.token = token or secrets.token_urlsafe(32)
        self._cookie = cookie or secrets.token_urlsafe(32)
        self.key = key or secrets.token_urlsafe(32)
        self._tickets: list[str] = []
        self._once: dict[str, tuple[str, float]] = {}
        self._hosts = frozenset(f"{name}:{port}" for name in LOOPBACK)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)
        # Cookies know no ports: two servers on this machine must not overwrite each other's.
        self.cookie_name = f"ouro-{port}"
        sockets = " ".join(sorted(f"ws://{host}" for host in self._hosts if "[" not in host))
        self.headers = {
            **HEADERS,
            "content-security-policy": _POLICY.format(sockets=sockets),
        }

    def set_cookie(self) -> str:
        """The header that lets a browser in; scripts cannot read it, other sites cannot send it."""
        return f"{self.cookie_name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"

    def drop_cookie(self) -> str:
        """The header that makes a browser forget it."""
        return f"{self.cookie_name}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"

    def ticket(self) -> str:
        """A word that lets in once, as the token does: for where others may read along."""
        made = secrets.token_urlsafe(32)
        self._tickets.append(made)
        return made

    def once(self, target: str, now: float) -> str:
        """A ticket for one GET of ``target``, a path with its question, within ``ONCE_SECONDS``."""
        self._once = {each: kept for each, kept in self._once.items() if kept[1] > now}
        made = secrets.token_urlsafe(32)
        self._once[made] = (target, now + ONCE_SECONDS)
        return made

    def opens_once(self, ticket: str, target: str, now: float) -> bool:
        """Whether the ticket is for this address; it is spent then."""
        wanted, until = self._once.pop(ticket, ("", 0.0))
        return bool(ticket) and wanted == target and now < until

    def is_token(self, given: str) -> bool:
        """Whether it is the token; takes as long for a wrong one."""
        return compare_digest(given.encode(), self.token.encode())

    def enters(self, given: str) -> bool:
        """Whether it is the token, or a ticket that nobody has used; that is spent then."""
        spent = [each for each in self._tickets if compare_digest(given.encode(), each.encode())]
        for each in spent:
            self._tickets.remove(each)
        return self.is_token(given) or bool(spent)

    def refuses_place(self, asker: Asker) -> Refusal | None:
        """Whether the request comes from a page of another place, or under another name."""
        if asker.host.lower() not in self._hosts:
            return "host"
        if asker.origin and asker.origin.lower() != f"http://{asker.host.lower()}":
            return "origin"
        return None

    def refuses(
        self, asker: Asker, *, is_socket: bool = False, is_once: bool = False
    ) -> Refusal | None:
        """Why a request to the API is refused; None where it is not. ``is_once``: by a ticket for it.

        A browser has the cookie, its page the key, and it says where the page is from; a program has
        the token.
        """
        if (place := self.refuses_place(asker)) is not None:
            return place
        if asker.site not in {"", "same-origin", "none"}:
            return "origin"
        scheme, _, given = asker.authorization.partition(" ")
        if scheme.lower() == "bearer" and self.is_token(given.strip()):
            return None
        if not compare_digest(
            _crumb(asker.cookie, self.cookie_name).encode(), self._cookie.encode()
        ):
            return "token"
        if not (is_once or compare_digest(asker.key.encode(), self.key.encode())):
            return "token"
        # Only a page sends a cookie, and a page says where it is from when it changes something.
        if (is_socket or asker.method not in SAFE) and not (
            asker.origin or asker.site == "same-origin"
        ):
            return "origin"
        return None


def asker(method: str, headers: Mapping[str, str]) -> Asker:
    """Reads the headers; names are in lower case."""
    return Asker(
        method=method,
        host=headers.get("host", ""),
        origin=headers.get("origin", ""),
        site=headers.get("sec-fetch-site", ""),
        authorization=headers.get("authorization", ""),
        cookie=headers.get("cookie", ""),
        key=headers.get(KEY_HEADER, "") or _spoken(headers.get("sec-websocket-protocol", "")),
    )


def _spoken(header: str) -> str:
    """The key among the subprotocols that a websocket names: a page can send it no other header."""
    words = (each.strip() for each in header.split(","))
    return next((each.removeprefix("key.") for each in words if each.startswith("key.")), "")


def _crumb(header: str, name: str) -> str:
    for crumb in header.split(";"):
        key, _, value = crumb.strip().partition("=")
        if key == name:
            return value
    return ""
