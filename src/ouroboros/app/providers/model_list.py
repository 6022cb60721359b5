"""The models a person could choose: what vendors list, what the snapshot knows, what settings say."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Literal

import anyio
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.config.layers import Loaded
from ouroboros.app.providers import models
from ouroboros.app.providers import own as own_providers
from ouroboros.app.providers.keys import Keys
from ouroboros.core.clock import Clock
from ouroboros.core.errors import Misuse, ModelFailed, ModelUnknown, OuroborosError
from ouroboros.llm import catalog
from ouroboros.llm.catalog import Known, discovery_cache
from ouroboros.llm.providers.choice import Choice, find
from ouroboros.llm.providers.entry import Entry

type Origin = Literal["listed", "snapshot", "settings", "nobody"]

_ANY = "any"
"""Stands for a model where only the provider counts."""

_PATIENCE_SECONDS = 30.0


class Model(Struct, frozen=True, kw_only=True):
    """One model; ``origin`` says who named it."""

    name: str
    origin: Origin
    known: Known


class Models(Struct, frozen=True, kw_only=True):
    """What was found, and what the person should know about it."""

    models: tuple[Model, ...]
    warnings: tuple[str, ...] = ()


async def listed(
    loaded: Loaded,
    environment: Mapping[str, str],
    clock: Clock,
    *,
    provider: str = "",
    refresh: bool = False,
) -> Models:
    """The models of one provider, or of every one that could be used now.

    Vendors are asked unless their list was had in the last 300 seconds; one that does not answer
    is a warning and the snapshot stands in, a local server that does not run is left out.

    Raises:
        ModelUnknown: There is no such provider.
    """
    entries = [entry for entry in own_providers.entries(loaded.settings) if is_vendor(entry)]
    if provider:
        entries = [_entry(entries, provider)]
    equipped = await to_thread.run_sync(_equipped, loaded, environment, entries)
    asked = _Asked(loaded, equipped, clock, refresh=refresh)
    rows: dict[str, Sequence[Model]] = {}
    warnings: list[str] = []

    async def ask(entry: Entry) -> None:
        found, warning = await asked.models(entry, is_named=bool(provider))
        rows[entry.name] = found
        warnings.extend([warning] if warning else [])

    async with anyio.create_task_group() as tasks:
        for entry in entries:
            if provider or _is_usable(entry, equipped, loaded):
                tasks.start_soon(ask, entry)
    ordered = [model for entry in entries for model in rows.get(entry.name, ())]
    return Models(models=tuple(ordered), warnings=tuple(sorted(warnings)))


def shown(loaded: Loaded, environment: Mapping[str, str], name: str) -> Model:
    """What is known of one model, without asking anybody.

    Raises:
        ModelUnknown: There is no such provider, or nobody knows of the model.
    """
    entries = own_providers.entries(loaded.settings)
    provider, slash, model = name.partition("/")
    entry = next((each for each in entries if each.name == provider), None)
    if entry is None and not slash:
        entry = next((each for each in entries if name.startswith(each.prefixes or ("\0",))), None)
        model = name
    if entry is None or not model:
        other = f"write PROVIDER/MODEL; `ouro models search {name}` finds it" if name else ""
        entry = _entry(entries, provider, "" if slash else other)
    shelf = _Shelf(loaded, environment, entry)
    row = shelf.model(model)
    if row.origin == "nobody":
        raise ModelUnknown(f"nothing is known of {name!r}", hint=_near(shelf, entry, model))
    return row


def searched(loaded: Loaded, environment: Mapping[str, str], words: Sequence[str]) -> list[Model]:
    """The models whose names hold every word, from the snapshot, kept lists and settings."""
    wanted = [word.lower() for word in words]
    rows: list[Model] = []
    for entry in own_providers.entries(loaded.settings):
        shelf = _Shelf(loaded, environment, entry)
        for model in shelf.names():
            name = f"{entry.name}/{model}".lower()
            if all(word in name for word in wanted):
                rows.append(shelf.model(model))
    return rows


class _Shelf:
    """All that is kept at hand of one provider's models; reads files."""

    def __init__(
        self,
        loaded: Loaded,
        environment: Mapping[str, str],
        entry: Entry,
        found: dict[str, Known] | None = None,
    ) -> None:
        """``found`` is what the vendor has just said, in place of what is kept."""
        self._entry = entry
        self._is_custom = own_providers.is_elsewhere(loaded.settings, entry.name)
        self._told = models.overrides(loaded.settings)
        mine = loaded.settings.providers.get(entry.name)
        named = [name for name in self._told if name.startswith(f"{entry.name}/")]
        self._own = (*(mine.models if mine else ()), *(each.partition("/")[2] for each in named))
        self._kept = _kept(loaded, environment, entry) if found is None else found

    def names(self) -> Iterable[str]:
        """Every name that anybody knows."""
        is_own = self._entry.catalogue in {"", self._entry.name}
        shipped = catalog.models_of(self._entry.name) if is_own else ()
        return dict.fromkeys([*self._own, *self._kept, *(name for name, _ in shipped)])

    def offered(self) -> Iterable[str]:
        """What the vendor lists and settings name; every name where there is no such list."""
        return dict.fromkeys([*self._own, *self._kept]) if self._kept else self.names()

    def model(self, name: str) -> Model:
        """What is known of one of them."""
        known = catalog.find(
            self._entry.name,
            name,
            overrides=self._told,
            listed=self._kept.get(name),
            is_custom=self._is_custom,
        )
        origin: Origin = "nobody"
        if name in self._kept:
            origin = "listed"
        elif name in self._own:
            origin = "settings"
        elif known != Known():
            origin = "snapshot"
        return Model(name=f"{self._entry.name}/{name}", origin=origin, known=known)


def _kept(loaded: Loaded, environment: Mapping[str, str], entry: Entry) -> dict[str, Known]:
    try:
        choice = _choice(loaded, environment, entry)
    except OuroborosError:  # no address: then there is no list of it either
        return {}
    listing = discovery_cache.read(loaded.home, entry.name, choice.base_url)
    return listing.models if listing else {}


def _choice(loaded: Loaded, environment: Mapping[str, str], entry: Entry) -> Choice:
    """The provider with any model; its key is not missed."""
    return find(
        f"{entry.name}/{_ANY}",
        environment=environment,
        entries=(replace(entry, is_keyless=True, families={}),),
        plan_of=lambda name: own_providers.plan_of(loaded.settings, name),
    )


class _Asked:
    """Vendors, asked at most once every 300 seconds."""

    def __init__(
        self, loaded: Loaded, environment: Mapping[str, str], clock: Clock, *, refresh: bool
    ) -> None:
        self._loaded, self._environment, self._clock = loaded, environment, clock
        self._refresh = refresh

    async def models(self, entry: Entry, *, is_named: bool) -> tuple[Sequence[Model], str]:
        """The provider's models, and a warning or nothing."""
        warning, found = "", None
        try:
            found = await self._fetch(entry)
            if found is not None:
                await self._keep(entry, found)
        except OSError as error:
            warning = f"the list of {entry.name} cannot be kept: {error.strerror}"
        except (ModelFailed, Misuse) as error:
            if entry.is_keyless and not is_named:
                return (), ""
            place = self._place(entry) if isinstance(error, ModelFailed) else ""
            warning = f"{entry.name} did not list its models{place}: {error.message}"
        return await to_thread.run_sync(self._rows, entry, found), warning

    def _place(self, entry: Entry) -> str:
        """Where it was asked, if it has an address."""
        try:
            return f" at {_choice(self._loaded, self._environment, entry).base_url}"
        except OuroborosError:
            return ""

    async def _fetch(self, entry: Entry) -> dict[str, Known] | None:
        """What the vendor says now; None where there is no need or no way to ask."""
        if not entry.models_path:
            return None
        choice = _choice(self._loaded, self._environment, entry)
        kept = await to_thread.run_sync(
            discovery_cache.read, self._loaded.home, entry.name, choice.base_url
        )
        if kept is not None and kept.is_fresh(self._clock.now()) and not self._refresh:
            return None
        has_proof = choice.credential is not None or choice.plan is not None
        if not has_proof and not entry.is_keyless and entry.auth != "aws":
            raise Misuse(f"{' or '.join(entry.keys)} is not set.")
        return await _discovered(choice, self._loaded, self._environment, self._clock)

    async def _keep(self, entry: Entry, found: Mapping[str, Known]) -> None:
        base_url = _choice(self._loaded, self._environment, entry).base_url
        write = partial(discovery_cache.write, self._loaded.home, entry.name, base_url, found)
        await to_thread.run_sync(write, self._clock.now())

    def _rows(self, entry: Entry, found: dict[str, Known] | None) -> list[Model]:
        shelf = _Shelf(self._loaded, self._environment, entry, found)
        return [shelf.model(name) for name in shelf.offered()]


async def _discovered(
    choice: Choice, loaded: Loaded, environment: Mapping[str, str], clock: Clock
) -> dict[str, Known]:
    from ouroboros.llm import opening
    from ouroboros.llm.catalog import discovery

    linked = models.connection(loaded.settings.network, environment)
    path = choice.entry.models_path
    is_elsewhere = choice.is_custom or own_providers.is_elsewhere(
        loaded.settings, choice.entry.name
    )
    source = discovery.Source(
        protocol=choice.entry.protocol,
        base_url=choice.base_url,
        # A key for the person's own address does not go to the vendor's.
        path="/models" if is_elsewhere and "://" in path else path,
        headers=opening.headers(choice),
        connect_timeout=linked.connect_timeout,
        idle_timeout=min(linked.idle_timeout, _PATIENCE_SECONDS),
    )
    transport = opening.open_transport(source.url, linked)
    auth = opening.authorizer(choice, clock=clock, connection=linked)
    try:
        return await discovery.discover(source, auth, transport, clock)
    finally:
        await transport.close()


def _equipped(
    loaded: Loaded, environment: Mapping[str, str], entries: Sequence[Entry]
) -> dict[str, str]:
    names = dict.fromkeys(key for entry in entries for key in entry.keys)
    return Keys(environment, loaded.dotenv, loaded.home).with_keys(names)


def is_vendor(entry: Entry) -> bool:
    """Whether it is a server that has models of its own."""
    return entry.protocol not in {"echo", "script", "litellm"} and entry.name != "compatible"


def _is_usable(entry: Entry, environment: Mapping[str, str], loaded: Loaded) -> bool:
    """Whether there is a key for it, or it needs none."""
    has_key = any(environment.get(key) for key in entry.keys)
    own = entry.name in loaded.settings.providers
    return has_key or own or (entry.is_keyless and bool(entry.models_path))


def _entry(entries: Iterable[Entry], name: str, other: str = "") -> Entry:
    known = {entry.name: entry for entry in entries}
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else other or "`ouro providers list` names them"
        raise ModelUnknown(f"there is no provider {name!r}", hint=hint)
    return known[name]


def _near(shelf: _Shelf, entry: Entry, model: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(model, list(shelf.names()), n=3, cutoff=0.5)
    if near:
        return "did you mean " + " or ".join(f"{entry.name}/{name}" for name in near) + "?"
    return f"ouro models list --provider {entry.name} --refresh"
