"""The providers a person could use, whether their keys are there, and whether they answer."""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.config.layers import Loaded
from ouroboros.app.config.view import without_credentials
from ouroboros.app.providers.keys import Keys
from ouroboros.app.providers.own import entries, plan_of
from ouroboros.app.settings import Settings
from ouroboros.core.clock import Clock
from ouroboros.core.errors import ModelUnknown, OuroborosError
from ouroboros.llm.auth.plan import CommandPlan, OAuthPlan
from ouroboros.llm.extras import how_to_add
from ouroboros.llm.providers.choice import bridge_keys
from ouroboros.llm.providers.entry import Entry
from ouroboros.llm.providers.table import ENTRIES
from ouroboros.llm.stream import Finished

_LOGGED_OUT = "not logged in"
_NO_BRIDGE = f"not installed: {how_to_add('litellm')}"


class Listed(Struct, frozen=True, kw_only=True):
    """One provider.

    Attributes:
        keys: For each variable where its key was found, if anywhere.
        proof: What proves who asks where it is no key.
        is_own: It stands in the settings.
        is_ready: It can be asked now, as far as can be told without asking.
    """

    name: str
    title: str
    protocol: str
    base_url: str
    keys: dict[str, str]
    proof: str
    is_own: bool
    is_ready: bool


class Answer(Struct, frozen=True, kw_only=True):
    """What a provider said to a tiny request."""

    model: str
    text: str
    seconds: float
    input_tokens: int | None
    output_tokens: int | None


def listed(loaded: Loaded, environment: Mapping[str, str]) -> list[Listed]:
    """Every provider, the person's own first; raises ``Misuse`` for one that is not whole."""
    keys = Keys(environment, loaded.dotenv, loaded.home)
    return [_row(entry, loaded, environment, keys) for entry in entries(loaded.settings)]


def key_states(loaded: Loaded, environment: Mapping[str, str]) -> dict[str, str]:
    """For each credential that could be used, where it was found; empty if nowhere."""
    keys = Keys(environment, loaded.dotenv, loaded.home)
    names = [*_names(loaded.settings, ENTRIES), *keys.names()]
    return {name: _source(keys, name) for name in dict.fromkeys(names)}


def equipped(loaded: Loaded, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with the keys that the chosen model, and what may replace it, can need.

    Raises:
        ConfigBroken: The key file can be read by others, or is no valid file.
    """
    chosen = loaded.settings.model
    if chosen.startswith(("echo", "script:", "script/")) and not loaded.settings.fallback:
        return dict(environment)
    wanted = (chosen, *loaded.settings.fallback)
    named = [entry for entry in ENTRIES if any(_is_meant(entry, name) for name in wanted)]
    own = any(name.partition("/")[0] in loaded.settings.providers for name in wanted)
    usual = ENTRIES if chosen else [entry for entry in ENTRIES if entry.default_model]
    names = list(_names(loaded.settings, named if named or own else usual))
    for name in wanted:
        provider, _, model = name.partition("/")
        names += bridge_keys(model) if provider == "litellm" else ()
    if not any(wanted) and any(environment.get(name) for name in names):
        return dict(environment)
    return Keys(environment, loaded.dotenv, loaded.home).with_keys(names)


async def ask(loaded: Loaded, environment: Mapping[str, str], name: str, clock: Clock) -> Answer:
    """Sends one tiny request, without retries.

    Args:
        loaded: Settings, and where keys may be.
        environment: Variables, as from ``app.config.environment()``.
        name: A provider, or ``provider/model``; the vendor is asked for a model where none is usual.
        clock: For the duration.

    Raises:
        ModelFailed: The provider refused or cannot be reached.
        ModelUnknown: There is none of that name, or no model of it is known.
        KeyMissing: It needs a key.
    """
    from anyio import to_thread

    from ouroboros.app.providers import models
    from ouroboros.core.parts import Message, Text
    from ouroboros.llm.request import Request

    settings = replace(
        loaded.settings,
        model=_usual(loaded.settings, name) or await _offered(loaded, environment, name, clock),
        limits=replace(loaded.settings.limits, max_cost=None),
        network=replace(loaded.settings.network, request_retries=0, stream_retries=0),
    )
    variables = await to_thread.run_sync(equipped, replace(loaded, settings=settings), environment)
    choice = (await to_thread.run_sync(models.choose, settings, variables)).choice
    client = await models.connect(choice, settings.network, variables, clock)
    words = Message(id="test", role="user", parts=(Text(text="Reply with one word: ready"),))
    request = Request(model=choice.model, messages=(words,), max_output_tokens=256)
    started = clock.monotonic()
    try:
        async with client.stream(request) as events:
            async for event in events:
                if isinstance(event, Finished):
                    return _answer(choice.name, event, clock.monotonic() - started)
    finally:
        await client.close()
    raise OuroborosError(f"{choice.name} ended without an answer", hint="try it again")


def _answer(model: str, finished: Finished, seconds: float) -> Answer:
    from ouroboros.core.parts import Text

    usage = finished.usage
    return Answer(
        model=model,
        text="".join(part.text for part in finished.parts if isinstance(part, Text)),
        seconds=round(seconds, 3),
        input_tokens=usage.input_total if usage else None,
        output_tokens=usage.output_total if usage else None,
    )


def _usual(settings: Settings, name: str) -> str:
    """The model that settings or the table name; empty where they name none."""
    if "/" in name or ":" in name:
        return name
    if settings.model.startswith(f"{name}/"):
        return settings.model
    mine = settings.providers.get(name)
    if mine and mine.models:
        return f"{name}/{mine.models[0]}"
    default = next((entry.default_model for entry in ENTRIES if entry.name == name), "")
    return f"{name}/{default}" if default else ""


async def _offered(loaded: Loaded, environment: Mapping[str, str], name: str, clock: Clock) -> str:
    """A model from the vendor's own list, one that calls tools if it says so."""
    from ouroboros.app.providers import model_list

    vendors = {entry.name for entry in entries(loaded.settings) if model_list.is_vendor(entry)}
    if name not in vendors:
        return name
    found = await model_list.listed(loaded, environment, clock, provider=name)
    if not found.models:
        why = ": ".join([f"no model of {name!r} is known", *found.warnings])
        raise ModelUnknown(why, hint=f"ouro providers test {name}/MODEL")
    return max(found.models, key=lambda model: model.known.tools is True).name


def _is_meant(entry: Entry, model: str) -> bool:
    provider, slash, _ = model.partition("/")
    return provider == entry.name or (
        not slash and bool(model) and model.startswith(entry.prefixes)
    )


def _names(settings: Settings, entries: Iterable[Entry]) -> tuple[str, ...]:
    own = [entry.key_env for entry in settings.providers.values() if entry.key_env]
    return tuple(dict.fromkeys([*own, *(name for entry in entries for name in entry.keys)]))


def _row(entry: Entry, loaded: Loaded, environment: Mapping[str, str], keys: Keys) -> Listed:
    given = (environment.get(name, "") for name in entry.base_url_variables)
    address = next((each for each in given if each), entry.base_url)
    states = {each: _source(keys, each) for each in entry.keys}
    proof = _proof(entry, loaded)
    lacks = proof in {_LOGGED_OUT, _NO_BRIDGE}
    needs_none = entry.is_keyless and bool(address or not entry.keys) and not lacks
    return Listed(
        name=entry.name,
        title=entry.title or entry.name,
        protocol=entry.protocol,
        base_url=without_credentials(address),
        keys=states,
        proof=proof,
        is_own=entry.name in loaded.settings.providers,
        is_ready=needs_none or any(states.values()) or proof == "logged in",
    )


def _proof(entry: Entry, loaded: Loaded) -> str:
    """What proves who asks where it is no key."""
    match plan_of(loaded.settings, entry.name):
        case CommandPlan(command=command):
            return f"command {_program(command)}"
        case OAuthPlan(name=name):
            from ouroboros.app.providers.logins import is_logged_in

            return "logged in" if is_logged_in(loaded.home, name) else _LOGGED_OUT
        case None if entry.key_command:
            return f"command {_program(entry.key_command)}"
        case None if entry.protocol == "litellm":
            from importlib.util import find_spec

            return "the vendor's own key" if find_spec("litellm") else _NO_BRIDGE
        case None:
            return "AWS credentials" if entry.auth == "aws" else ""


def _program(command: tuple[str, ...] | str) -> str:
    """The program alone: its arguments may hold a secret."""
    words = command.split() if isinstance(command, str) else command
    return words[0] if words else ""


def _source(keys: Keys, name: str) -> str:
    found = keys.find(name)
    return found.source if found else ""
