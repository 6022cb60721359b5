"""What is known of models: window, largest reply, effort levels, price; apart from any protocol."""

import re
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.llm.price import Price
from ouroboros.llm.request import Effort

TABLE_DATE = "2025-11"
"""When the vendors' public pages were last compared with the table."""


class Known(Struct, frozen=True, kw_only=True):
    """What is known of a model; None and empty mean unknown."""

    window: int | None = None
    max_output: int | None = None
    efforts: tuple[Effort, ...] = ()
    price: Price | None = None


_LOW_TO_HIGH: tuple[Effort, ...] = ("low", "medium", "high")
_FROM_MINIMAL: tuple[Effort, ...] = ("minimal", "low", "medium", "high")


def _openai(
    window: int,
    max_output: int,
    prices: tuple[float, float, float],
    efforts: tuple[Effort, ...] = (),
) -> Known:
    fresh, cached, output = prices
    price = Price(input=fresh, cache_read=cached, output=output)
    return Known(window=window, max_output=max_output, efforts=efforts, price=price)


def _claude(max_output: int, fresh: float, output: float, efforts: tuple[Effort, ...]) -> Known:
    price = Price(input=fresh, cache_read=fresh * 0.1, cache_write=fresh * 1.25, output=output)
    return Known(window=200_000, max_output=max_output, efforts=efforts, price=price)


_TABLE: Mapping[str, Known] = {
    "openai/gpt-5": _openai(400_000, 128_000, (1.25, 0.125, 10.0), _FROM_MINIMAL),
    "openai/gpt-5-mini": _openai(400_000, 128_000, (0.25, 0.025, 2.0), _FROM_MINIMAL),
    "openai/gpt-5-nano": _openai(400_000, 128_000, (0.05, 0.005, 0.4), _FROM_MINIMAL),
    "openai/gpt-5-codex": _openai(400_000, 128_000, (1.25, 0.125, 10.0), _LOW_TO_HIGH),
    "openai/gpt-4.1": _openai(1_047_576, 32_768, (2.0, 0.5, 8.0)),
    "openai/gpt-4.1-mini": _openai(1_047_576, 32_768, (0.4, 0.1, 1.6)),
    "openai/gpt-4o": _openai(128_000, 16_384, (2.5, 1.25, 10.0)),
    "openai/gpt-4o-mini": _openai(128_000, 16_384, (0.15, 0.075, 0.6)),
    "openai/o3": _openai(200_000, 100_000, (2.0, 0.5, 8.0), _LOW_TO_HIGH),
    "openai/o4-mini": _openai(200_000, 100_000, (1.1, 0.275, 4.4), _LOW_TO_HIGH),
    "anthropic/claude-opus-4-1": _claude(32_000, 15.0, 75.0, _LOW_TO_HIGH),
    "anthropic/claude-sonnet-4-5": _claude(64_000, 3.0, 15.0, _LOW_TO_HIGH),
    "anthropic/claude-sonnet-4": _claude(64_000, 3.0, 15.0, _LOW_TO_HIGH),
    "anthropic/claude-haiku-4-5": _claude(64_000, 1.0, 5.0, _LOW_TO_HIGH),
    "anthropic/claude-3-5-haiku": _claude(8_192, 0.8, 4.0, ()),
}

_SAME_MODELS = {"openai-chat": "openai"}
_DATE = re.compile(r"(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$")


def find(
    provider: str, model: str, *, overrides: Mapping[str, Known], is_custom: bool = False
) -> Known:
    """What is known of a model, the person's own settings first.

    ``overrides`` is keyed by ``provider/model`` or the model alone. Behind an address that is
    not the vendor's own (``is_custom``) the table's price does not count.
    """
    vendor = _SAME_MODELS.get(provider, provider)
    known = _TABLE.get(f"{vendor}/{model}") or _TABLE.get(f"{vendor}/{_DATE.sub('', model)}")
    known = known or Known()
    if is_custom:
        known = replace(known, price=None)
    told = overrides.get(f"{provider}/{model}") or overrides.get(model)
    if told is None:
        return known
    return Known(
        window=told.window if told.window is not None else known.window,
        max_output=told.max_output if told.max_output is not None else known.max_output,
        efforts=told.efforts or known.efforts,
        price=told.price or known.price,
    )
