"""From settings to a model that can be asked: which vendor, which address, how big, how dear."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from anyio.lowlevel import checkpoint
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.config.layers import home_folder, keep_bridge_offline
from ouroboros.app.providers import own as own_providers
from ouroboros.app.settings import Network, Settings
from ouroboros.core.clock import Clock
from ouroboros.core.errors import Misuse
from ouroboros.llm import catalog
from ouroboros.llm.catalog import discovery_cache
from ouroboros.llm.client import Client
from ouroboros.llm.opening import Connection, open_client
from ouroboros.llm.price import Price
from ouroboros.llm.providers.choice import Choice, default, find
from ouroboros.llm.retry import Policy
from ouroboros.llm.transport import Proxies
from ouroboros.llm.transport.reach import Tls

if TYPE_CHECKING:
    from ouroboros.llm.cassettes.tap import Tap

_LEAST_REPLY = 4_096


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
    known = _known(choice, settings, environment)
    if choice.entry.protocol in {"script", "echo"}:
        known = replace(known, price=Price(input=0.0, output=0.0))
    if known.tools is False:
        choice = _without_tools(choice)
    if settings.limits.max_cost is not None and known.price is None:
        raise Misuse(
            f"--max-cost needs a price, and none is known for {choice.name!r}",
            hint=f'set input and output in [models."{choice.name}"], or use --max-tokens',
        )
    return Chosen(choice=choice, known=_bounded(known, choice, settings))


def _known(choice: Choice, settings: Settings, environment: Mapping[str, str]) -> catalog.Known:
    """The snapshot, or what the vendor itself said when it was last asked."""
    known = known_of(choice, settings)
    home = home_of(environment)
    if (known.window is not None and known.price is not None) or home is None:
        return known
    listing = discovery_cache.read(home, choice.entry.name, choice.base_url)
    listed = discovery_cache.called(choice.model, listing.models) if listing else None
    return known if listed is None else known_of(choice, settings, listed)


def known_of(
    choice: Choice, settings: Settings, listed: catalog.Known | None = None
) -> catalog.Known:
    """What the person and the snapshot say of a model, with what its vendor ``listed``."""
    name = choice.entry.name
    return catalog.find(
        name,
        choice.model,
        overrides=overrides(settings),
        listed=listed,
        is_custom=choice.is_custom or own_providers.is_elsewhere(settings, name),
    )


def _without_tools(choice: Choice) -> Choice:
    """The choice of a model that is told to write its calls as fenced blocks."""
    dialect = replace(choice.entry.dialect, tools="fenced")
    return replace(choice, entry=replace(choice.entry, dialect=dialect))


def _bounded(known: catalog.Known, choice: Choice, settings: Settings) -> catalog.Known:
    """A largest reply that leaves room for a history just short of being summarised.

    Many servers refuse a request whose input and largest reply together pass the window.
    """
    told = overrides(settings)
    if (told.get(choice.name) or told.get(choice.model) or catalog.Known()).max_output is not None:
        return known
    if choice.entry.limit_counts:
        return replace(known, max_output=None)
    if known.window is None or known.max_output is None:
        return known
    room = round(known.window * (1 - settings.context.threshold))
    return replace(known, max_output=min(known.max_output, max(room, _LEAST_REPLY)))


async def connect(
    choice: Choice,
    network: Network,
    environment: Mapping[str, str],
    clock: Clock,
    tap: "Tap | None" = None,
    *,
    learn: Callable[[str], None] = lambda secret: None,
) -> Client:
    """A client for the choice; nothing is sent yet, and where ``tap`` is offline nothing ever is.

    ``learn`` is told each secret before it is sent.

    Raises:
        Misuse: A script cannot be read.
    """
    if choice.entry.protocol == "litellm":
        keep_bridge_offline()
    linked = replace(connection(network, environment), tap=tap, learn=learn)
    if tap is None or not tap.is_offline:
        return await open_client(choice, clock=clock, random=_chance, connection=linked)
    return await open_client(choice, clock=clock, random=_chance, connection=linked, sleep=_no_wait)


async def _no_wait(seconds: float) -> None:
    """What was waited for when it was recorded need not be waited for again."""
    await checkpoint()


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
            ca_file=_path(network.ca_file, environment) or environment.get("SSL_CERT_FILE", ""),
            client_cert=_path(network.client_cert, environment),
            client_key=_path(network.client_key, environment),
        ),
        home=home_of(environment),
        environment=environment,
    )


def _path(named: str, environment: Mapping[str, str]) -> str:
    """A path as people write it, with ``~`` for their home."""
    return environment.get("HOME", "~") + named[1:] if named.startswith("~/") else named


def home_of(environment: Mapping[str, str]) -> Path | None:
    """Where logins and lists are kept; not every model needs one."""
    try:
        return home_folder(environment)
    except Misuse:
        return None


def _chance() -> float:
    """A number in [0, 1); the module ``random`` costs start-up time that a first request needs."""
    return int.from_bytes(os.urandom(6)) / (1 << 48)


def overrides(settings: Settings) -> dict[str, catalog.Known]:
    """What the person says of models in ``[models."NAME"]``."""
    found: dict[str, catalog.Known] = {}
    for name, told in settings.models.items():
        price = None
        if told.input is not None and told.output is not None:
            price = Price(
                input=told.input,
                cache_read=told.cached,
                cache_write=told.cache_write,
                output=told.output,
            )
        found[name] = catalog.Known(
            window=told.window,
            max_output=told.max_output,
            images=told.images,
            tools=told.tools,
            price=price,
        )
    return found
