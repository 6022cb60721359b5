"""What a session has used of its models."""

from msgspec import Struct

from ouroboros.core.parts import Usage


class Spent(Struct, kw_only=True):
    """What a session has used; ``cost`` turns None for good once one price is unknown.

    ``known_cost`` goes on without the ``unpriced`` requests; ``cacheable_tokens`` are the input of
    those whose vendor said how much of it came from its cache.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    cacheable_tokens: int = 0
    output_tokens: int = 0
    requests: int = 0
    cost: float | None = 0.0
    known_cost: float = 0.0
    unpriced: int = 0

    def add(self, usage: Usage | None, cost: float | None) -> None:
        """Counts one request."""
        self.requests += 1
        if usage is not None:
            self.input_tokens += usage.input_total
            self.cached_tokens += usage.cache_read or 0
            self.cacheable_tokens += usage.input_total if usage.cache_read is not None else 0
            self.output_tokens += usage.output_total
        self.known_cost += cost or 0.0
        self.unpriced += cost is None
        self.cost = None if self.unpriced else self.known_cost

    @property
    def cache_hit_rate(self) -> float | None:
        """Share of the input that came from the vendor's cache; None when no vendor said."""
        return self.cached_tokens / self.cacheable_tokens if self.cacheable_tokens else None

    @property
    def billable(self) -> int:
        """Input that came from no cache, and output."""
        return self.input_tokens - self.cached_tokens + self.output_tokens

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens
