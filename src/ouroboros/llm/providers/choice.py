"""From the words a person types to a vendor, an address and a key."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.errors import KeyMissing, Misuse, ModelUnknown
from ouroboros.core.parts import Origin
from ouroboros.llm import auth
from ouroboros.llm.auth import Credential
from ouroboros.llm.auth.plan import AuthPlan, CommandPlan
from ouroboros.llm.providers.address import filled, join, normalised
from ouroboros.llm.providers.entry import Entry
from ouroboros.llm.providers.table import ENTRIES


class Choice(Struct, frozen=True, kw_only=True):
    """A model of a vendor, ready to be spoken to.

    Attributes:
        model: The vendor's name of it; for ``script`` the path of the file.
        base_url: Where requests go, without the path of the wire format.
        is_custom: The address is not the vendor's own, so its prices are not known either.
        plan: How the proof is to be had, where there is no ``credential``.
    """

    entry: Entry
    model: str
    base_url: str = ""
    is_custom: bool = False
    credential: Credential | None = None
    plan: AuthPlan | None = None

    @property
    def name(self) -> str:
        """What a person would type to choose it again."""
        joint = ":" if self.entry.protocol == "script" else "/"
        return f"{self.entry.name}{joint}{self.model}" if self.model else self.entry.name

    @property
    def origin(self) -> Origin:
        """Who writes the replies."""
        return Origin(provider=self.entry.name, protocol=self.entry.protocol, model=self.model)

    def url(self, path: str) -> str:
        """The address for a wire format's path."""
        return join(self.base_url, path)


def find(
    text: str,
    *,
    environment: Mapping[str, str],
    base_url: str = "",
    entries: Sequence[Entry] = ENTRIES,
    plan_of: Callable[[str], AuthPlan | None] = lambda name: None,
) -> Choice:
    """The choice that ``provider/name``, ``script:PATH``, ``echo`` or a bare name stands for.

    A ``base_url`` of the person's own beats the vendor's variables, which beat its address; with
    one of those the key is optional. A bare name with a ``base_url`` is a model of whatever
    compatible server is there. A provider that is not among ``entries`` is looked for among
    the installed packages. ``plan_of`` says of a provider how its proof is had.

    Raises ``ModelUnknown``, ``KeyMissing`` or ``Misuse``.
    """
    entry, model = _entry(text.strip(), base_url=base_url, entries=entries)
    if entry.protocol == "echo":
        return Choice(entry=entry, model="")
    if not model:
        raise ModelUnknown(
            f"{text!r} names a provider and no model.",
            hint=_nameless(entry),
        )
    if entry.protocol == "script":
        return Choice(entry=entry, model=str(Path(model).expanduser()))
    if entry.families:
        entry = replace(entry, dialect=entry.dialect_of(model))
    if entry.protocol == "litellm":  # it knows addresses, and the variables that hold keys
        return Choice(
            entry=entry,
            model=model,
            base_url=base_url.strip() or entry.base_url,
            credential=auth.find(entry.keys or bridge_keys(model), environment),
        )
    address, is_custom = _address(entry, environment, base_url)
    credential = auth.find(entry.keys, environment)
    plan = plan_of(entry.name)
    if plan is None and entry.key_command:
        plan = CommandPlan(command=entry.key_command)
    needs_key = not entry.is_keyless and not is_custom and entry.auth != "aws"
    if credential is None and plan is None and needs_key:
        raise _key_missing(entry)
    return Choice(
        entry=entry,
        model=model,
        base_url=address,
        is_custom=is_custom,
        credential=credential,
        plan=plan if credential is None else None,
    )


def bridge_keys(model: str) -> tuple[str, ...]:
    """The variable that holds the key of a vendor behind the bridge, by its usual name."""
    vendor, slash, _ = model.partition("/")
    return (f"{vendor.upper().replace('-', '_')}_API_KEY",) if slash else ()


def default(environment: Mapping[str, str]) -> str:
    """What to use when the person chose nothing: the first vendor whose key is set."""
    for entry in ENTRIES:
        if entry.default_model and any(environment.get(key, "").strip() for key in entry.keys):
            return f"{entry.name}/{entry.default_model}"
    raise KeyMissing("No model is chosen and no provider's key is set.", hint=_ways())


def _entry(text: str, *, base_url: str, entries: Sequence[Entry]) -> tuple[Entry, str]:
    known = {entry.name: entry for entry in entries}
    if text.startswith("script:") and "script" in known:
        return known["script"], text.removeprefix("script:")
    provider, slash, model = text.partition("/")
    if provider in known and (slash or provider == text):
        return known[provider], model
    if not slash and not base_url:
        for entry in entries if text else ():
            if text.startswith(entry.prefixes or ("\0",)):
                return entry, text
    if slash and provider.isidentifier() and (found := plugged(provider)) is not None:
        return found, model
    if text and base_url and "compatible" in known:
        return known["compatible"], text
    raise ModelUnknown(f"There is no model {text!r}.", hint=_near(text, entries))


def plugged(provider: str) -> Entry | None:
    """The entry an installed package offers as ``[project.entry-points."ouroboros.providers"]``."""
    from importlib.metadata import entry_points  # reads every package's papers, so only when asked

    for point in entry_points(group="ouroboros.providers", name=provider):
        entry: object = point.load()
        if not isinstance(entry, Entry):
            raise Misuse(
                f"The package {point.module!r} offers a provider {provider!r} that is no Entry.",
                hint="It must name an ouroboros.llm.providers.Entry.",
            )
        return entry
    return None


def _near(text: str, entries: Sequence[Entry]) -> str:
    import difflib  # only for this message

    provider = text.partition("/")[0]
    names = {name: entry.name for entry in entries for name in (entry.name, *entry.also)}
    close = difflib.get_close_matches(provider, names, n=3, cutoff=0.6)
    near = dict.fromkeys(names[name] for name in close[: 1 if provider in names else 3])
    if near:
        rest = text.partition("/")[2]
        return "Did you mean " + " or ".join(f"{name}/{rest or 'MODEL'}" for name in near) + "?"
    return "Write PROVIDER/MODEL; `ouro providers list` names the providers."


def _nameless(entry: Entry) -> str:
    if entry.protocol == "script":
        return "Write script:PATH, with the path of a JSON lines file."
    if entry.protocol == "litellm":
        return "Write litellm/VENDOR/MODEL."
    if not entry.base_url:
        return f"Write {entry.name}/MODEL, and its address with --base-url URL."
    written = f"Write {entry.name}/{entry.default_model or 'MODEL'}"
    which = "more" if entry.default_model else "them"
    return f"{written}; `ouro models list --provider {entry.name}` names {which}."


def _address(entry: Entry, environment: Mapping[str, str], base_url: str) -> tuple[str, bool]:
    given = [base_url, *(environment.get(name, "") for name in entry.base_url_variables)]
    for address in given:
        if address.strip():
            found = filled(normalised(address, entry), entry, _told(entry, environment))
            return found, found != entry.base_url
    if not entry.base_url:
        raise Misuse(
            f"The provider {entry.name!r} needs the address of your server.",
            hint="Give it with --base-url http://HOST:PORT/v1 or set OPENAI_BASE_URL.",
        )
    address = normalised(entry.base_url, entry)
    return filled(address, entry, _told(entry, environment)), False


def _told(entry: Entry, environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment, and for AWS the region of the profile behind it."""
    region = entry.variables.get("region")
    if entry.auth != "aws" or region is None or not region.names:
        return environment
    if any(map(environment.get, region.names)):
        return environment
    from ouroboros.llm.auth.aws_profile import region_of_profile

    return {region.names[0]: region_of_profile(environment), **environment}


def _key_missing(entry: Entry) -> KeyMissing:
    is_known = entry.name in {each.name for each in ENTRIES}
    without = f'Without one: auth = "none" in [providers.{entry.name}].'
    return KeyMissing(
        f"The provider {entry.name!r} needs a key and {' or '.join(entry.keys)} is not set.",
        hint=f"Set {entry.keys[0]}, or keep the key: ouro providers login {entry.name}. "
        + (_WITHOUT_KEY if is_known else without),
    )


_WITHOUT_KEY = (
    "Without a key: --model ollama/NAME, or --base-url http://HOST:PORT/v1 --model NAME, "
    "or ./ouro demo."
)


def _ways() -> str:
    """How to get at any model."""
    return (
        "Set one of OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY or "
        f"another provider's (`ouro providers list`). {_WITHOUT_KEY}"
    )
