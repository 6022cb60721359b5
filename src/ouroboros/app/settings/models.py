"""Vendors, models, and the connection to them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from ouroboros.app.settings.kinds import DialectChanges, Positive, ProtocolName, Seconds
from ouroboros.llm.auth.plan import OAuthClient


class Network(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[network]``: how patient the model connection is, whom it trusts and what it shows."""

    request_retries: Annotated[int, Meta(ge=0, le=100)] = 4
    stream_retries: Annotated[int, Meta(ge=0, le=100)] = 5
    connect_timeout: Seconds = 5.0
    idle_timeout: Seconds = 120.0
    ca_file: str = ""
    client_cert: str = ""
    client_key: str = ""


class Provider(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[providers.NAME]``: a vendor of the person's own, or what differs at a known one.

    Attributes:
        base_url: Needed unless NAME is a known vendor.
        protocol: Empty means the known vendor's, or ``openai-chat``.
        auth: Empty means the known vendor's, or what is usual for the wire format.
        models: Names to list besides those that the vendor lists itself.
        variables: What stands for each ``{name}`` in a known vendor's address.
        dialect: Habits, over those of the known vendor.
    """

    base_url: str = ""
    protocol: ProtocolName | Literal[""] = ""
    key_env: str = ""
    auth: Literal[
        "", "bearer", "x-api-key", "api-key", "x-goog-api-key", "aws", "none", "command", "oauth"
    ] = ""
    command: str | tuple[str, ...] = ()
    command_ttl: Seconds = 300.0
    command_timeout: Seconds = 30.0
    oauth: OAuthClient = field(default_factory=OAuthClient)
    headers: dict[str, str] = field(default_factory=dict[str, str])
    models: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict[str, str])
    dialect: DialectChanges = field(default_factory=dict[str, object])


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[models."NAME"]``: what the catalogue does not know; prices per million tokens.

    A model with ``tools = false`` is told to write its calls as fenced blocks, one with
    ``images = false`` is shown no picture files.
    """

    window: Positive | None = None
    max_output: Positive | None = None
    input: Annotated[float, Meta(ge=0)] | None = None
    cached: Annotated[float, Meta(ge=0)] | None = None
    cache_write: Annotated[float, Meta(ge=0)] | None = None
    output: Annotated[float, Meta(ge=0)] | None = None
    tools: bool | None = None
    images: bool | None = None
