"""The models of one open session: found, connected when needed, tuned, and closed together."""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.agent.context import images
from ouroboros.agent.context.compaction import Keep
from ouroboros.agent.speaking.speaker import Model, Speaker, Tuning
from ouroboros.app.config.layers import home_folder
from ouroboros.app.providers import models
from ouroboros.app.providers import own as own_providers
from ouroboros.app.settings import Settings
from ouroboros.core.clock import Clock
from ouroboros.core.commands import Effort
from ouroboros.core.errors import KeyMissing, OuroborosError
from ouroboros.core.limits import CONTEXT_WINDOW
from ouroboros.core.parts import Usage
from ouroboros.llm import price
from ouroboros.llm.auth import HIDDEN
from ouroboros.llm.catalog import Known
from ouroboros.llm.client import Client
from ouroboros.llm.providers.table import ENTRIES
from ouroboros.safety.leaks import Leaks

if TYPE_CHECKING:
    from ouroboros.llm.cassettes.tap import Tap


_SETTLING_SECONDS = 0.5
"""By then a first request is on its way, and shares its start with nothing."""


class Speakers:
    """Opens the models that settings name.

    Attributes:
        first: The one that settings choose.
        others: Names of those that may take its place, in order; the ones without a key left out.
        warnings: What the person should know of those.
    """

    def __init__(
        self,
        settings: Settings,
        environment: Mapping[str, str],
        clock: Clock,
        tap: "Tap | None" = None,
        leaks: Leaks | None = None,
    ) -> None:
        """Reads what is known of the models; raises ``Misuse`` for one that cannot be chosen.

        Connects nothing, but may read files: not for the event loop. ``leaks`` learns each secret
        that is sent.
        """
        self._leaks = leaks or Leaks({})
        self._settings, self._environment, self._clock = settings, environment, clock
        self._tap = tap
        self._choose = choose_keyless if tap is not None and tap.is_offline else models.choose
        self._clients: list[Client] = []
        self.first = self._choose(settings, environment)
        self.warnings: list[str] = []
        self.others: tuple[str, ...] = ()
        if settings.service_tier and not _takes_tier(self.first):
            told = f"no service tier can be asked of {self.first.choice.name}"
            self.warnings.append(f"{told}, so {settings.service_tier!r} is left out")
        for name in settings.fallback:
            try:
                found = self._choose(self._instead(name), environment).choice.name
            except KeyMissing as missing:
                self.warnings.append(f"{name} cannot take over: {missing.message}")
                continue
            if found != self.first.choice.name and found not in self.others:
                self.others += (found,)
        if tap is not None:
            from ouroboros.llm.cassettes.tap import Setup  # a run without one need not know

            choice = self.first.choice
            base_url = choice.base_url if choice.is_custom else ""
            tap.chosen(Setup(model=choice.name, base_url=base_url, fallback=self.others))

    async def leader(self) -> Speaker:
        """The model that settings choose."""
        return await self._speaker(self._settings, self.first)

    async def another(self, name: str) -> Speaker:
        """A model that is asked instead of the first one; raises ``Misuse``."""
        settings = self._instead(name)
        chosen = await to_thread.run_sync(self._choose, settings, self._environment)
        return await self._speaker(settings, chosen)

    async def warm(self, learn: Callable[[str, Tuning], None], keep: bool = True) -> None:
        """Connects to the first model before there is anything to say; what fails fails then.

        Then asks its server how large the window is, where nobody else says so, and lets ``learn``
        know; what the server says is kept for later sessions where ``keep`` says so. Not where
        replies may come from elsewhere, so that nothing is sent at all.
        """
        if not self._clients or self._tap is not None or self._settings.cache_replies:
            return
        client, first = self._clients[0], self.first
        with suppress(OuroborosError):
            await client.warm()
        if not is_unsure(first, self._settings):
            return
        await anyio.sleep(_SETTLING_SECONDS)
        from ouroboros.app.providers import window

        found = await window.asked(
            client, first.choice, self._settings, self._environment, self._clock, keep=keep
        )
        if found is not None:
            chosen = replace(first, known=replace(first.known, window=found))
            learn(first.choice.name, self._tuning(self._settings, chosen))

    async def close(self) -> None:
        """Lets go of every connection."""
        async with AsyncExitStack() as ending:
            for client in self._clients:
                ending.push_async_callback(client.close)

    def _instead(self, name: str) -> Settings:
        """The settings for another model: the address of one vendor is not that of another."""
        provider = name.partition("/")[0]
        known = {entry.name for entry in ENTRIES} | self._settings.providers.keys()
        if provider in known and provider != self.first.choice.entry.name:
            return replace(self._settings, model=name, base_url="")
        return replace(self._settings, model=name)

    async def _speaker(self, settings: Settings, chosen: models.Chosen) -> Speaker:
        client = await models.connect(
            chosen.choice,
            settings.network,
            self._environment,
            self._clock,
            self._tap,
            learn=partial(self._leaks.learn, "key"),
        )
        self._clients.append(client)

        def cost(usage: Usage) -> float | None:
            return price.estimate(chosen.known.price, usage)

        tuning = self._tuning(settings, chosen)
        model = self._cached(client, chosen) if settings.cache_replies else client
        return Speaker(name=chosen.choice.name, model=model, tuning=tuning, cost=cost)

    def _cached(self, client: Client, chosen: models.Chosen) -> Model:
        """The model with a shelf before it; what is recorded or played needs the model itself."""
        if self._tap is not None:
            return client
        from ouroboros.llm.reply_cache import CachedModel, Shelf

        folder = home_folder(self._environment) / "cache" / "replies"
        return CachedModel(client, Shelf(folder, leaks=self._leaks), address=chosen.choice.base_url)

    def _tuning(self, settings: Settings, chosen: models.Chosen) -> Tuning:
        context, known = settings.context, chosen.known
        is_first = chosen.choice.name == self.first.choice.name
        # The window a person set is that of the model they chose.
        windows = (context.window, known.window) if is_first else (known.window, context.window)
        window = windows[0] or windows[1]
        dialect = chosen.choice.entry.dialect
        is_kin = chosen.choice.entry.name == self.first.choice.entry.name
        return Tuning(
            window=window or CONTEXT_WINDOW,
            known_window=window,
            threshold=context.threshold,
            fixed_limit=context.fixed_limit,
            scope=context.scope,
            keep=Keep(user_tokens=context.keep_user_tokens, messages=context.keep_messages),
            effort=settings.effort,
            efforts=None if is_first else _efforts(known),
            takes_tier=_takes_tier(chosen),
            service_tier=settings.service_tier or None if is_kin else None,
            temperature=settings.temperature,
            max_output_tokens=settings.max_output_tokens or known.max_output,
            takes_images=_takes_images(known),
            most_images=0
            if _takes_images(known) is False
            else images.most(
                context.image_tokens, window or CONTEXT_WINDOW, vendor=dialect.max_images
            ),
            cuts_silently=dialect.cuts_silently,
            web_search=settings.tools.web_search,
        )


def is_unsure(chosen: models.Chosen, settings: Settings) -> bool:
    """Whether only the server itself can say how large the model's window is.

    A hosted vendor's name at another address stands for a gateway, which lists what it likes.
    """
    choice, path = chosen.choice, chosen.choice.entry.models_path
    if settings.context.window is not None or not path or "://" in path:
        return False
    if choice.is_custom and not choice.entry.is_keyless:
        return False
    return models.known_of(choice, settings).window is None


def _takes_tier(chosen: models.Chosen) -> bool:
    """Whether a tier would be sent; what only plays a model takes any."""
    entry = chosen.choice.entry
    return entry.dialect.service_tier or entry.protocol in {"script", "echo"}


def _takes_images(known: Known) -> bool | None:
    """Whether it sees pictures; of a model that is listed in full, what is not said is no."""
    if known.images is not None or "image" in known.inputs:
        return known.images is not False
    return False if known.tools is not None and known.max_output is not None else None


def _efforts(known: Known) -> tuple[Effort, ...] | None:
    """The levels of a model that was not chosen with the effort in mind.

    Where the catalogue lists a model and does not say that it reasons, it is not asked to.
    """
    is_listed = known.tools is not None and known.max_output is not None
    return known.efforts or (() if is_listed and not known.reasoning else None)


def choose_keyless(settings: Settings, environment: Mapping[str, str]) -> models.Chosen:
    """As ``models.choose``, for when nothing is sent: a key that is not set is not missed."""
    try:
        return models.choose(settings, environment)
    except KeyMissing:
        if not settings.model:
            raise
    keys = [name for entry in own_providers.entries(settings) for name in entry.keys]
    return models.choose(settings, {**dict.fromkeys(keys, HIDDEN), **environment})
