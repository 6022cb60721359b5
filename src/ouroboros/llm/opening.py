"""From a choice to a client that is ready to stream."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.core.errors import Failure
from ouroboros.llm.client import Client, Route
from ouroboros.llm.providers.choice import Choice
from ouroboros.llm.retry import Policy
from ouroboros.llm.transport import Proxies, Transport

_FORMAT_HEADERS = {"anthropic-messages": {"anthropic-version": "2023-06-01"}}


class Connection(Struct, frozen=True, kw_only=True):
    """How to reach providers: patience, proxies, and whose certificates to trust."""

    policy: Policy = Policy()
    connect_timeout: float = 5.0
    idle_timeout: float = 120.0
    proxies: Proxies = Proxies()
    ca_file: str = ""


async def open_client(
    choice: Choice,
    *,
    clock: Clock,
    random: Callable[[], float],
    connection: Connection,
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
) -> Client:
    """A client for the choice; nothing is sent yet. Raises ``Misuse`` for a broken script."""
    route = await _route(choice, clock=clock, connection=connection, sleep=sleep)
    return Client(route, policy=connection.policy, sleep=sleep, random=random)


def open_transport(url: str, connection: Connection) -> Transport:
    """The quick transport, or the one that goes through a proxy where one is set for ``url``."""
    proxy = connection.proxies.proxy_for(url)
    if proxy:
        from ouroboros.llm.httpx_transport import Proxied

        return Proxied(proxy, ca_file=connection.ca_file)
    from ouroboros.llm.http1 import Http1

    return Http1(ca_file=connection.ca_file)


async def _route(
    choice: Choice,
    *,
    clock: Clock,
    connection: Connection,
    sleep: Callable[[float], Awaitable[None]],
) -> Route:
    match choice.entry.protocol:
        case "echo":
            from ouroboros.llm.echo import EchoRoute

            return EchoRoute()
        case "script":
            from ouroboros.llm.script import ScriptRoute
            from ouroboros.llm.turns import Player, load

            turns = await to_thread.run_sync(load, Path(choice.model))
            return ScriptRoute(Player(turns, name=choice.model), sleep)
        case _:
            return _http_route(choice, clock=clock, connection=connection)


def _http_route(choice: Choice, *, clock: Clock, connection: Connection) -> Route:
    from ouroboros.llm.auth import KeyHeader
    from ouroboros.llm.http_route import Endpoint, HttpRoute
    from ouroboros.llm.protocols import by_name

    endpoint = Endpoint(
        origin=choice.origin,
        base_url=choice.base_url,
        dialect=choice.entry.dialect,
        url=choice.url,
        headers={**_FORMAT_HEADERS.get(choice.entry.protocol, {}), **choice.entry.headers},
        auth=KeyHeader(choice.entry.auth, choice.credential),
        connect_timeout=connection.connect_timeout,
        idle_timeout=connection.idle_timeout,
        explain=lambda failure: advice(choice, failure),
    )
    transport = open_transport(choice.base_url, connection)
    return HttpRoute(endpoint, by_name(choice.entry.protocol), transport, clock=clock)


def advice(choice: Choice, failure: Failure) -> str:
    """What the person can do about a failure of this choice."""
    match failure.kind:
        case "auth" | "permission":
            if choice.credential is None:
                return f"No key was sent; set {' or '.join(choice.entry.keys)}."
            return f"The key came from {choice.credential.source}; check it at the provider."
        case "quota":
            return "Add credit at the provider, or choose another model with --model."
        case "model_not_found":
            if choice.entry.name == "ollama":
                return f"Fetch it with: ollama pull {choice.model}"
            return f"Check the name {choice.model!r} and the base URL {choice.base_url}."
        case "context_overflow":
            return "The history no longer fits; compact it with /compact."
        case "rate_limit" | "overloaded" | "server" | "timeout" | "transport":
            return "The session is kept; resume it and try again later, or choose another model."
        case _:
            return ""
