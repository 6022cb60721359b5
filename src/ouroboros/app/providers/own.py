"""``[providers.NAME]`` as entries of the vendor table: new ones, and known ones with changes."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from ouroboros.app.providers.auth_plans import planned
from ouroboros.app.settings import Provider, Settings
from ouroboros.core.errors import Misuse
from ouroboros.llm.auth import AuthStyle
from ouroboros.llm.auth.plan import AuthPlan, OAuthPlan
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.providers.address import normalised
from ouroboros.llm.providers.entry import Entry, Variable, revised
from ouroboros.llm.providers.table import ENTRIES

_FORMAT_AUTH: Mapping[str, AuthStyle] = {
    "anthropic-messages": "x-api-key",
    "gemini": "x-goog-api-key",
    "bedrock-converse": "aws",
    "bedrock-invoke-stream": "aws",
}


def entries(settings: Settings) -> Sequence[Entry]:
    """Every vendor, the person's own first; raises ``Misuse`` for one that is not whole."""
    if not settings.providers:
        return ENTRIES
    known = {entry.name: entry for entry in ENTRIES}
    own = [entry_of(name, mine, known) for name, mine in settings.providers.items()]
    rest = [entry for entry in ENTRIES if entry.name not in settings.providers]
    return (*own, *rest)


def plan_of(settings: Settings, name: str) -> AuthPlan | None:
    """How the proof is had of a provider that takes no plain key; raises ``Misuse``."""
    mine = settings.providers.get(name)
    plan = planned(name, mine) if mine else None
    if isinstance(plan, OAuthPlan):
        return replace(plan, store=settings.secrets.store)
    return plan


def is_elsewhere(settings: Settings, name: str) -> bool:
    """Whether the person named an address, so that the vendor's prices need not hold."""
    mine = settings.providers.get(name)
    return mine is not None and bool(mine.base_url)


def entry_of(name: str, mine: Provider, known: Mapping[str, Entry]) -> Entry:
    """One provider as an entry; raises ``Misuse``."""
    entry = known.get(name) or _new(name, mine, known)
    if mine.protocol:
        entry = replace(entry, protocol=mine.protocol)
    if mine.base_url:
        entry = replace(
            entry, base_url=_address(mine, entry), base_url_variables=(), is_keyless=True
        )
    if mine.key_env:
        entry = replace(entry, keys=(mine.key_env,), is_keyless=False)
    if mine.auth:
        entry = _proven(entry, mine)
    if mine.dialect:
        entry = _changed(entry, mine)
    told = {
        key: replace(_variable(entry, key), names=(), default=value)
        for key, value in mine.variables.items()
    }
    return replace(
        entry,
        headers={**entry.headers, **mine.headers},
        variables={**entry.variables, **told},
    )


def _variable(entry: Entry, name: str) -> Variable:
    if name in entry.variables:
        return entry.variables[name]
    if f"{{{name}}}" in entry.base_url:
        return Variable()
    known = ", ".join(entry.variables) or "none"
    raise Misuse(
        f"[providers.{entry.name}.variables]: the address has no {{{name}}}",
        hint=f"it has these: {known}",
    )


def _address(mine: Provider, entry: Entry) -> str:
    """The address, whole; one that cannot be used says so when it is chosen, not before."""
    try:
        return normalised(mine.base_url, entry)
    except Misuse:
        return mine.base_url


def _new(name: str, mine: Provider, known: Mapping[str, Entry]) -> Entry:
    protocol = mine.protocol or "openai-chat"
    dialect = known["compatible"].dialect if protocol == "openai-chat" else Dialect()
    return Entry(
        name=name,
        protocol=protocol,
        auth=_FORMAT_AUTH.get(protocol, "bearer"),
        is_keyless=True,
        models_path="/api/tags" if protocol == "ollama-chat" else "/models",
        dialect=dialect,
    )


def _proven(entry: Entry, mine: Provider) -> Entry:
    match mine.auth:
        case "none":
            return replace(entry, auth="none", keys=(), key_command=(), is_keyless=True)
        case "oauth":
            return replace(entry, auth="bearer", keys=(), key_command=())
        case "command" | "bearer" | "":
            return replace(entry, auth="bearer")
        case style:
            return replace(entry, auth=style)


def _changed(entry: Entry, mine: Provider) -> Entry:
    """What the person says counts for every model, also for those that differ."""
    try:
        dialect = revised(entry.dialect, mine.dialect)
    except msgspec.ValidationError as error:
        raise Misuse(f"[providers.{entry.name}.dialect] cannot be used: {error}") from None
    families = {family: {**each, **mine.dialect} for family, each in entry.families.items()}
    return replace(entry, dialect=dialect, families=families)
