"""From settings to a model that can be asked: which vendor, which address, how big, how dear."""

import os
from collections.abc import Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app import own_providers
from ouroboros.app.config import home_folder
from ouroboros.app.settings import Network, Settings
from ouroboros.core.clock import Clock
from ouroboros.core.errors import Misuse
from ouroboros.llm import catalog
from ouroboros.llm.client import Client
from ouroboros.llm.opening import Connection, open_client
from ouroboros.llm.price import Price
from ouroboros.llm.providers.choice import Choice, default, find
from ouroboros.llm.reach import Tls
from ouroboros.llm.retry import Policy
from ouroboros.llm.transport import Proxies


class Chosen(Struct, frozen=True, kw_only=True):
    """A vendor and model, and what is known of it."""

    choice: Choice
    known: catalog.Known


def choose(settings: Settings, environment: Mapping[str, str]) -> Chosen:
    """The model that settings and environment name.

    Raises:
        ModelUnknown: No provider or model of that name.
        KeyMissing: It needs a key and none is set.
        Misuse: A cap on cost is set and the price is not known.
    """
    name = settings.model or default(environment)
    choice = find(
        name,
        environment=environment,
        base_url=settings.base_url,
        entries=own_providers.entries(settings),
        plan_of=partial(own_providers.plan_of, settings),
    )
    known = catalog.find(
        choice.entry.name,
        choice.model,
        overrides=_overrides(settings),
        is_custom=choice.is_custom or own_providers.is_elsewhere(settings, choice.entry.name),
    )
    if choice.entry.protocol in {"script", "echo"}:
        known = replace(known, price=Price(input=0.0, output=0.0))
    if settings.limits.max_cost is not None and known.price is None:
        raise Misuse(
            f"--max-cost needs a price, and none is known for {choice.name!r}",
            hint=f'set input and output in [models."{choice.name}"], or use --max-tokens',
        )
    return Chosen(choice=choice, known=known)


async def connect(
    choice: Choice, network: Network, environment: Mapping[str, str], clock: Clock
) -> Client:
    """A client for the choice; nothing is sent yet.

    Raises:
        Misuse: A script cannot be read.
    """
    linked = connection(network, environment)
    return await open_client(choice, clock=clock, random=_chance, connection=linked)


def connection(network: Network, environment: Mapping[str, str]) -> Connection:
    """How the settings and the environment want servers to be reached."""
    return Connection(
        policy=Policy(
            request_retries=network.request_retries, stream_retries=network.stream_retries
        ),
        connect_timeout=network.connect_timeout,
        idle_timeout=network.idle_timeout,
        proxies=Proxies.of(environment),
        tls=Tls(
            ca_file=network.ca_file or environment.get("SSL_CERT_FILE", ""),
            client_cert=network.client_cert,
            client_key=network.client_key,
        ),
        home=home_folder(environment),
        environment=environment,
    )


def _chance() -> float:
    """A number in [0, 1); the module ``random`` costs start-up time that a first request needs."""
    return int.from_bytes(os.urandom(6)) / (1 << 48)


def _overrides(settings: Settings) -> dict[str, catalog.Known]:
    found: dict[str, catalog.Known] = {}
    for name, told in settings.models.items():
        price = None
        if told.input is not None and told.output is not None:
            price = Price(input=told.input, cache_read=told.cached, output=told.output)
        found[name] = catalog.Known(window=told.window, price=price)
    return found
