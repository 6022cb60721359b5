"""What an authorization server is asked, and what its answers mean; nothing here is sent."""

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec
from msgspec import Meta, Struct

from ouroboros.core.errors import Failure, Misuse, ModelFailed
from ouroboros.llm.auth.credential import is_sendable
from ouroboros.llm.auth.excerpt import excerpt
from ouroboros.llm.auth.oauth.pkce import METHOD
from ouroboros.llm.auth.plan import OAuthClient
from ouroboros.llm.fields import UNREADABLE
from ouroboros.llm.transport import HttpRequest, split

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

_FORM = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
_JSON = {"content-type": "application/json", "accept": "application/json"}
_MARGIN_SECONDS = 60.0
_CONNECT_SECONDS = 5.0
_ANSWER_SECONDS = 10.0


class Tokens(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a login brought, and what is needed to renew it or to give it back.

    Attributes:
        expires_at: Seconds since the epoch; None where the server did not say.
        obtained_at: When the server gave it.
    """

    access_token: str
    refresh_token: str = ""
    expires_at: float | None = None
    obtained_at: float = 0.0
    client_id: str = ""
    token_url: str = ""
    revoke_url: str = ""

    def __repr__(self) -> str:
        """Without the tokens."""
        return f"Tokens(client_id={self.client_id!r}, expires_at={self.expires_at!r})"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        """As in ``repr``."""
        return [("client_id", self.client_id), ("expires_at", self.expires_at)]

    def is_fresh(self, now: float) -> bool:
        """Whether it will still be taken when the next request arrives."""
        if self.expires_at is None:
            return True
        margin = min(_MARGIN_SECONDS, max(self.expires_at - self.obtained_at, 0.0) / 4)
        return now < self.expires_at - margin


class Grant(Struct, frozen=True, kw_only=True):
    """A code the browser brought, and what has to go with it."""

    code: str
    redirect: str
    verifier: str

    def __repr__(self) -> str:
        """Without code and verifier."""
        return f"Grant(redirect={self.redirect!r})"


def checked(client: OAuthClient) -> OAuthClient:
    """The client, if all its addresses may be used; else ``Misuse``."""
    addresses = (client.authorize_url, client.token_url, client.key_url, client.revoke_url)
    for url in (client.issuer, *addresses):
        if url and not is_safe(url):
            raise Misuse(
                f"The address {url!r} of the login has no TLS, so nothing is sent there.",
                hint="It must begin with https://, unless it is on this machine.",
            )
    return client


def is_safe(url: str) -> bool:
    """Whether secrets may be sent to the address."""
    parts = split(url)
    return parts.scheme == "https" or (parts.hostname or "") in LOOPBACK


def authorize_address(client: OAuthClient, *, redirect: str, state: str, challenge: str) -> str:
    """The page where the person agrees."""
    asked = {"code_challenge": challenge, "code_challenge_method": METHOD}
    if client.key_url:  # such vendors take the state back as part of the address
        asked = {"callback_url": redirect, **asked}
    else:
        asked = {
            "response_type": "code",
            "client_id": client.client_id,
            "redirect_uri": redirect,
            "state": state,
            **asked,
        }
        if client.scopes:
            asked["scope"] = " ".join(client.scopes)
        if client.resource:
            asked["resource"] = client.resource
    parts = urlsplit(client.authorize_url)
    query = [*parse_qsl(parts.query, keep_blank_values=True), *asked.items()]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


def token_request(client: OAuthClient, grant: Grant) -> HttpRequest:
    """Asks for tokens in exchange for a code."""
    asked = {
        "grant_type": "authorization_code",
        "code": grant.code,
        "redirect_uri": grant.redirect,
        "client_id": client.client_id,
        "code_verifier": grant.verifier,
    }
    if client.resource:
        asked["resource"] = client.resource
    return _request(client.token_url, urlencode(asked).encode(), _FORM)


def key_request(client: OAuthClient, grant: Grant) -> HttpRequest:
    """Asks for a lasting key in exchange for a code."""
    asked = {
        "code": grant.code,
        "code_verifier": grant.verifier,
        "code_challenge_method": METHOD,
    }
    return _request(client.key_url, msgspec.json.encode(asked), _JSON)


def refresh_request(tokens: Tokens, client: OAuthClient) -> HttpRequest:
    """Asks for an access token in exchange for a refresh token."""
    asked = {
        "grant_type": "refresh_token",
        "refresh_token": tokens.refresh_token,
        "client_id": client.client_id,
    }
    if client.resource:
        asked["resource"] = client.resource
    return _request(client.token_url or tokens.token_url, urlencode(asked).encode(), _FORM)


def revoke_request(tokens: Tokens) -> HttpRequest:
    """Gives the login back (RFC 7009)."""
    token = tokens.refresh_token or tokens.access_token
    hint = "refresh_token" if tokens.refresh_token else "access_token"
    asked = {"token": token, "token_type_hint": hint, "client_id": tokens.client_id}
    return _request(tokens.revoke_url, urlencode(asked).encode(), _FORM)


class _Given(Struct, frozen=True):
    access_token: str
    token_type: str | None = None
    refresh_token: str | None = None
    expires_in: float | Annotated[str, Meta(pattern=r"^[0-9]{1,12}$")] | None = None


class _Key(Struct, frozen=True):
    key: str


class _Refused(Struct, frozen=True):
    error: str = ""
    error_description: str | None = None


def tokens_of(body: bytes, *, client: OAuthClient, now: float, before: str = "") -> Tokens:
    """The tokens of an answer; ``before`` is the refresh token that stays where none is given.

    Raises:
        ModelFailed: The answer holds no token that can be used.
    """
    try:
        given = msgspec.json.decode(body, type=_Given)
    except UNREADABLE as error:
        raise unusable("answered without an access token") from error
    if (given.token_type or "bearer").lower() != "bearer":
        raise unusable("gave a token of a kind that cannot be sent")
    if not is_sendable(given.access_token):
        raise unusable("gave a token with characters that no token has")
    lifetime = None if given.expires_in is None else float(given.expires_in)
    return Tokens(
        access_token=given.access_token,
        refresh_token=given.refresh_token or before,
        expires_at=None if lifetime is None else now + lifetime,
        obtained_at=now,
        client_id=client.client_id,
        token_url=client.token_url,
        revoke_url=client.revoke_url,
    )


def key_of(body: bytes) -> str:
    """The key of an answer; raises ``ModelFailed`` where there is none."""
    try:
        key = msgspec.json.decode(body, type=_Key).key
    except UNREADABLE as error:
        raise unusable("answered without a key") from error
    if not is_sendable(key):
        raise unusable("gave a key with characters that no key has")
    return key


def refusal(status: int, body: bytes, *, secrets: tuple[str, ...] = ()) -> ModelFailed:
    """Why the server gave nothing: typed, and without what was sent to it."""
    try:
        said = msgspec.json.decode(body, type=_Refused)
    except UNREADABLE:
        said = _Refused()
    is_passing = status == 429 or status >= 500
    reason = excerpt(said.error_description or said.error, secrets=secrets) or f"status {status}"
    return ModelFailed(
        Failure(
            kind="server" if is_passing else "auth",
            message=f"The authorization server refused: {reason.rstrip('.')}.",
            retryable=is_passing,
            status=status,
            code=excerpt(said.error, secrets=secrets),
        )
    )


def unusable(what: str) -> ModelFailed:
    """The failure of an answer that makes no sense."""
    return ModelFailed(Failure(kind="auth", message=f"The authorization server {what}."))


def _request(url: str, body: bytes, headers: Mapping[str, str]) -> HttpRequest:
    return HttpRequest(
        url=url,
        headers=headers,
        body=body,
        connect_timeout=_CONNECT_SECONDS,
        idle_timeout=_ANSWER_SECONDS,
    )
