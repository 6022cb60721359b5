"""How large a model's window is, asked of its server while nobody waits for the answer."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from anyio import to_thread

from ouroboros.app.providers.models import home_of, known_of
from ouroboros.app.settings import Settings
from ouroboros.core.clock import Clock
from ouroboros.core.errors import OuroborosError
from ouroboros.llm.catalog import discovery_cache
from ouroboros.llm.client import Client
from ouroboros.llm.http_route import HttpRoute
from ouroboros.llm.providers.choice import Choice


async def asked(
    client: Client,
    choice: Choice,
    settings: Settings,
    environment: Mapping[str, str],
    clock: Clock,
    *,
    keep: bool = True,
) -> int | None:
    """The window as the server lists it, in tokens; None where it does not say or was just asked.

    The list is kept for the next session, where ``keep`` says so. Raises nothing: not to know was good enough until now.
    """
    home, provider, route = home_of(environment), choice.entry.name, client.route
    if home is None or not isinstance(route, HttpRoute):
        return None
    kept = await to_thread.run_sync(discovery_cache.read, home, provider, choice.base_url)
    if kept is not None and kept.is_fresh(clock.now()):
        return None
    listed = None
    with suppress(OuroborosError, OSError):
        models = await route.listed(choice.entry.models_path)
        listed = discovery_cache.called(choice.model, models)
        write = partial(discovery_cache.write, home, provider, choice.base_url, models)
        if keep:
            await to_thread.run_sync(write, clock.now())
    return None if listed is None else known_of(choice, settings, listed).window
