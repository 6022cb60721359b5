"""How a proof is to be had where no key lies ready: by a command, or by a login."""

from typing import Literal

from msgspec import Struct

type SecretStore = Literal["auto", "sealed", "plain"]
"""Where secrets are kept: as the machine allows, in sealed files alone, or as plain text."""


class CommandPlan(Struct, frozen=True, kw_only=True):
    """A command whose first line of output is the token.

    Attributes:
        command: Program and arguments; a single text is shell text.
        ttl_seconds: How long its token is used before the command runs again.
    """

    command: tuple[str, ...] | str
    ttl_seconds: float = 300.0
    timeout_seconds: float = 30.0


class OAuthClient(
    Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """``[providers.NAME.oauth]``: what an authorization server must be told, and where it is.

    Attributes:
        client_id: Under what id the server knows us; it is public and no secret.
        issuer: Where the server describes itself, in place of the addresses.
        authorize_url: The page where the person agrees.
        token_url: Where a code or a refresh token becomes an access token.
        key_url: Where a code becomes a lasting key, at vendors that hand out keys instead.
        revoke_url: Where a token is given back.
        resource: What the token is for, at servers that ask (RFC 8707).
        redirect_port: The port of 127.0.0.1 that the server sends back to; 0 takes a free one.
    """

    client_id: str = ""
    issuer: str = ""
    authorize_url: str = ""
    token_url: str = ""
    key_url: str = ""
    revoke_url: str = ""
    scopes: tuple[str, ...] = ()
    resource: str = ""
    redirect_port: int = 0


class OAuthPlan(Struct, frozen=True, kw_only=True):
    """A login kept under ``name``, in the form that ``store`` says."""

    name: str
    client: OAuthClient
    store: SecretStore = "auto"


type AuthPlan = CommandPlan | OAuthPlan
