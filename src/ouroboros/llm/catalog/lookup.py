"""From a provider and a model to what is known of it."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ouroboros.core.parts import Usage
from ouroboros.llm.catalog import snapshot_file
from ouroboros.llm.catalog.known import Known
from ouroboros.llm.price import estimate
from ouroboros.llm.providers.table import ENTRIES

_DATE = r"(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$"
_REGION = r"^(us|eu|apac|global|jp|au|ca|us-gov)\."
_MAKERS = {
    "mistralai": "mistral",
    "moonshotai": "moonshot",
    "x-ai": "xai",
    "z-ai": "zai",
}


def find(
    provider: str,
    model: str,
    *,
    overrides: Mapping[str, Known] = {},
    listed: Known | None = None,
    is_custom: bool = False,
) -> Known:
    """What is known of a model, the person's own settings first.

    Args:
        provider: Its name in the table; an unknown one has no snapshot.
        model: The vendor's name of it.
        overrides: What the person says, keyed by ``provider/model`` or the model alone.
        listed: What the list at the same address said of it.
        is_custom: Behind an address that is not the vendor's own the shipped price does not count.
    """
    known = _shipped(provider, model) or Known()
    if is_custom:
        known = replace(known, price=None)
    if listed is not None:
        known = listed.over(known)
    told = overrides.get(f"{provider}/{model}") or overrides.get(model)
    return known if told is None else told.over(known)


def estimate_cost(
    name: str, usage: Usage | None, *, overrides: Mapping[str, Known] = {}
) -> float | None:
    """US dollars of a usage of ``provider/model``; None where its price is unknown."""
    provider, _, model = name.partition("/")
    return estimate(find(provider, model, overrides=overrides).price, usage)


def models_of(provider: str) -> Iterator[tuple[str, Known]]:
    """Every model of the provider's snapshot with what is known of it."""
    for name, model in snapshot_file.models(_source(provider)).items():
        yield name, snapshot_file.read(model)


def _source(provider: str) -> str:
    return next((entry.catalogue or entry.name for entry in ENTRIES if entry.name == provider), "")


def _shipped(provider: str, model: str) -> Known | None:
    source = _source(provider)
    if source == "makers":
        return _made_by(model)
    return _named(source, model)


def _named(source: str, model: str) -> Known | None:
    models = snapshot_file.models(source)
    if model in models:
        return snapshot_file.read(models[model])
    if not models:
        return None
    import re  # only for a name that is spelled otherwise

    for pattern in (_DATE, _REGION):
        other = re.sub(pattern, "", model)
        if other in models:
            return snapshot_file.read(models[other])
    return None


def _made_by(model: str) -> Known | None:
    """A reseller's model sees what its maker lets it see; its price is the reseller's own."""
    maker, slash, name = model.partition("/")
    if not slash:
        return None
    source, name = _MAKERS.get(maker, maker), name.partition(":")[0]
    known = _named(source, name) or _named(source, name.replace(".", "-"))
    return replace(known, price=None, max_output=None, retires="") if known else None
