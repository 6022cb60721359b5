"""What a reply costs, where the price is known."""

from msgspec import Struct

from ouroboros.core.parts import Usage


class Price(Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens of each disjoint kind; thoughts cost what words cost.

    A cache price of None means that these tokens are billed as ordinary input.
    """

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None


def estimate(price: Price | None, usage: Usage | None) -> float | None:
    """US dollars, or None where the price or the usage is unknown; never a guess of 0."""
    if price is None or usage is None:
        return None
    read = price.input if price.cache_read is None else price.cache_read
    write = price.input if price.cache_write is None else price.cache_write
    dollars = (
        usage.input_uncached * price.input
        + (usage.cache_read or 0) * read
        + (usage.cache_write or 0) * write
        + usage.output_total * price.output
    )
    return dollars / 1_000_000
