"""What a reply costs, where the price is known."""

from msgspec import Struct

from ouroboros.core.parts import Usage


class Rates(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """US dollars for a million tokens of each disjoint kind; thoughts cost what words cost.

    A cache price of None means that these tokens are billed as ordinary input.
    """

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None


class Tier(Rates, frozen=True, kw_only=True, omit_defaults=True):
    """What every token of a request costs whose input is larger than ``above`` tokens."""

    above: int


class Price(Rates, frozen=True, kw_only=True, omit_defaults=True):
    """What a model costs; ``tiers`` go from small to large requests."""

    tiers: tuple[Tier, ...] = ()


def estimate(price: Price | None, usage: Usage | None) -> float | None:
    """US dollars, or None where the price or the usage is unknown; never a guess of 0."""
    if price is None or usage is None:
        return None
    rates: Rates = price
    for tier in price.tiers:
        if usage.input_total > tier.above:
            rates = tier
    read = rates.input if rates.cache_read is None else rates.cache_read
    write = rates.input if rates.cache_write is None else rates.cache_write
    dollars = (
        usage.input_uncached * rates.input
        + (usage.cache_read or 0) * read
        + (usage.cache_write or 0) * write
        + usage.output_total * rates.output
    )
    return dollars / 1_000_000
