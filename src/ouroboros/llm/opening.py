"""From a choice to a client that is ready to stream."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.core.errors import Failure, Misuse
from ouroboros.llm.auth import HIDDEN, Authorizer, Credential, KeyHeader
from ouroboros.llm.auth.plan import AuthPlan, CommandPlan, OAuthPlan
from ouroboros.llm.client import Client, Route
from ouroboros.llm.providers.choice import Choice
from ouroboros.llm.retry import Policy
from ouroboros.llm.transport import Proxies, Transport
from ouroboros.llm.transport.reach import Tls

_AWS_STREAM = {"accept": "application/vnd.amazon.eventstream, application/json"}
if TYPE_CHECKING:
    from ouroboros.llm.cassettes.tap import Tap

_FORMAT_HEADERS = {
    "anthropic-messages": {"anthropic-version": "2023-06-01"},
    "bedrock-converse": _AWS_STREAM,
    "bedrock-invoke-stream": _AWS_STREAM,
}


class Connection(Struct, frozen=True, kw_only=True):
    """How to reach providers: patience, proxies, certificates, and where proofs come from.

    ``home`` is the folder that keeps logins, ``environment`` what a command sees that prints a token,
    ``tap`` what stands between models and the network, ``learn`` is told each secret that is sent.
    """

    policy: Policy = Policy()
    connect_timeout: float = 5.0
    idle_timeout: float = 120.0
    proxies: Proxies = Proxies()
    tls: Tls = Tls()
    home: Path | None = None
    environment: Mapping[str, str] = {}
    tap: "Tap | None" = None
    learn: Callable[[str], None] = lambda secret: None

    def __repr__(self) -> str:
        """Without what may hold secrets."""
        return "Connection()"


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
        from ouroboros.llm.transport.proxied import Proxied

        return Proxied(proxy, tls=connection.tls)
    from ouroboros.llm.transport.http1 import Http1

    return Http1(tls=connection.tls)


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
    from ouroboros.llm.http_route import Endpoint, HttpRoute
    from ouroboros.llm.protocols import by_name

    endpoint = Endpoint(
        origin=choice.origin,
        base_url=choice.base_url,
        dialect=choice.entry.dialect,
        url=choice.url,
        headers=headers(choice),
        auth=authorizer(choice, clock=clock, connection=connection),
        connect_timeout=connection.connect_timeout,
        idle_timeout=connection.idle_timeout,
        explain=lambda failure: advice(choice, failure),
        learn=connection.learn,
    )
    tap = connection.tap

    is_bridge = choice.entry.protocol == "litellm"

    def network() -> Transport:
        if is_bridge:
            from ouroboros.llm.transport.litellm_bridge import LiteLLM

            return LiteLLM(choice.base_url, ca_file=connection.tls.ca_file)
        return open_transport(choice.base_url, connection)

    transport = tap.transport(network) if tap else network()
    format = "openai-chat" if is_bridge else choice.entry.protocol
    return HttpRoute(endpoint, by_name(format), transport, clock=clock)


def headers(choice: Choice) -> dict[str, str]:
    """What every request of the choice carries besides its proof."""
    return {**_FORMAT_HEADERS.get(choice.entry.protocol, {}), **choice.entry.headers}


def authorizer(choice: Choice, *, clock: Clock, connection: Connection) -> Authorizer:
    """What proves to the provider of the choice who asks; nothing is read or run yet."""
    if connection.tap is not None and connection.tap.is_offline:
        is_proven = choice.credential or choice.plan or choice.entry.auth == "aws"
        style = "bearer" if choice.entry.auth == "aws" else choice.entry.auth
        return KeyHeader(style, Credential(HIDDEN, "nowhere") if is_proven else None)
    match choice.plan:
        case CommandPlan() as plan:
            from ouroboros.llm.auth.command import CommandToken

            style = choice.entry.auth
            return CommandToken(plan, style, environment=connection.environment, clock=clock)
        case OAuthPlan() as plan:
            from ouroboros.llm.auth.oauth import Login, LoginFile

            if connection.home is None:
                raise Misuse(f"There is no home folder to keep the login of {plan.name!r} in.")
            file = LoginFile(connection.home, plan.name, store=plan.store)

            def reach(url: str) -> Transport:
                return open_transport(url, connection)

            return Login(plan, file, reach=reach, clock=clock, learn=connection.learn)
        case None if choice.entry.auth == "aws":
            from ouroboros.llm.auth.aws import AwsSignature

            if choice.credential is not None:
                return KeyHeader("bearer", choice.credential)
            return AwsSignature(connection.environment)
        case None:
            return KeyHeader(choice.entry.auth, choice.credential)


def advice(choice: Choice, failure: Failure) -> str:
    """What the person can do about a failure of this choice."""
    match failure.kind:
        case "auth" | "permission":
            if choice.plan is not None:
                return _plan_advice(choice.plan)
            if choice.credential is None and choice.entry.auth == "aws":
                return "Check what these credentials may do, and that the model is enabled there."
            if choice.credential is None:
                return _key_advice(choice)
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
            return _later_advice(choice, failure)
        case _:
            return _summary_advice(choice, failure)


def _key_advice(choice: Choice) -> str:
    name = choice.entry.name
    if choice.entry.keys:
        return (
            f"No key was sent; set {' or '.join(choice.entry.keys)}, or keep one with: "
            f"ouro providers login {name}"
        )
    return f"No key was sent; if it needs one, name its variable in providers.{name}.key_env."


def _summary_advice(choice: Choice, failure: Failure) -> str:
    if "to generate reasoning summaries" not in failure.message:
        return ""
    name = choice.entry.name
    return f'Or do without: [providers.{name}] dialect = {{ unsupported = ["reasoning.summary"] }}.'


def _later_advice(choice: Choice, failure: Failure) -> str:
    if failure.kind == "timeout" and choice.entry.is_keyless:
        return "A model that is still loading says nothing; raise network.idle_timeout."
    return "The session is kept; resume it and try again later, or choose another model."


def _plan_advice(plan: AuthPlan) -> str:
    match plan:
        case CommandPlan():
            return "The key came from the command of the provider's settings; check what it prints."
        case OAuthPlan(name=name):
            return f"The login was refused; log in again: ouro providers login {name}"
