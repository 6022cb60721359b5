"""How an authorization server describes itself (RFC 8414, and the older form of OpenID)."""

from urllib.parse import urlunsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.errors import ModelFailed
from ouroboros.llm.auth.oauth.messages import is_safe, unusable
from ouroboros.llm.auth.oauth.pkce import METHOD
from ouroboros.llm.auth.plan import OAuthClient
from ouroboros.llm.fields import UNREADABLE
from ouroboros.llm.transport import split

_NAMES = ("oauth-authorization-server", "openid-configuration")


class _Described(Struct, frozen=True):
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    revocation_endpoint: str = ""
    code_challenge_methods_supported: tuple[str, ...] = (METHOD,)


def addresses(issuer: str) -> tuple[str, ...]:
    """Where the description may lie, the likeliest first."""
    parts = split(issuer)
    path = parts.path.rstrip("/")
    between = [f"/.well-known/{name}{path}" for name in _NAMES]
    after = [f"{path}/.well-known/{_NAMES[1]}"] if path else []
    return tuple(
        urlunsplit((parts.scheme, parts.netloc, place, "", "")) for place in (*between, *after)
    )


def described(client: OAuthClient, body: bytes) -> OAuthClient:
    """The client with the addresses of the description; those of the person's own stay.

    Raises:
        ModelFailed: It describes another server, or one that cannot be used.
    """
    try:
        found = msgspec.json.decode(body, type=_Described)
    except UNREADABLE as error:
        raise unusable("does not describe itself as one") from error
    if found.issuer.rstrip("/") != client.issuer.rstrip("/"):
        raise unusable(f"describes another one than {client.issuer!r}")
    if METHOD not in found.code_challenge_methods_supported:
        raise unusable(f"does not know the {METHOD} proof of who asked")
    known = replace(
        client,
        authorize_url=client.authorize_url or found.authorization_endpoint,
        token_url=client.token_url or found.token_endpoint,
        revoke_url=client.revoke_url or found.revocation_endpoint,
    )
    for url in (known.authorize_url, known.token_url, known.revoke_url):
        if url and not _usable(url):
            raise unusable("describes an address that has no TLS")
    return known


def _usable(url: str) -> bool:
    from ouroboros.core.errors import Misuse

    try:
        return is_safe(url)
    except Misuse:
        return False


def is_absent(error: ModelFailed) -> bool:
    """Whether the next address may hold the description."""
    return error.failure.status is not None and 400 <= error.failure.status < 500
