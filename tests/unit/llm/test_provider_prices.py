"""What is known of models, and what a reply costs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.parts import Usage
from ouroboros.llm.catalog import Known, find
from ouroboros.llm.price import Price, estimate

COUNTS = st.integers(0, 10_000_000)


def test_each_disjoint_count_has_its_price() -> None:
    price = Price(input=3.0, cache_read=0.3, cache_write=3.75, output=15.0)
    usage = Usage(
        input_uncached=1_000_000,
        cache_read=1_000_000,
        cache_write=1_000_000,
        output_text=600_000,
        reasoning=400_000,
    )
    assert estimate(price, usage) == pytest.approx(3.0 + 0.3 + 3.75 + 15.0)


def test_a_cache_without_a_price_of_its_own_costs_what_input_costs() -> None:
    price = Price(input=2.0, output=8.0)
    assert estimate(price, Usage(cache_read=500_000, cache_write=500_000)) == pytest.approx(2.0)


def test_unknown_is_unknown_and_never_zero() -> None:
    usage = Usage(input_uncached=10)
    assert estimate(find("openai", "gpt-99-unheard-of", overrides={}).price, usage) is None
    assert estimate(Price(input=1.0, output=1.0), None) is None


@given(first=COUNTS, second=COUNTS, third=COUNTS)
def test_costs_add_up(first: int, second: int, third: int) -> None:
    price = find("anthropic", "claude-sonnet-4-5", overrides={}).price
    whole = estimate(price, Usage(input_uncached=first, cache_read=second, output_text=third))
    pieces = [
        estimate(price, Usage(input_uncached=first)),
        estimate(price, Usage(cache_read=second)),
        estimate(price, Usage(output_text=third)),
    ]
    assert whole == pytest.approx(sum(piece or 0.0 for piece in pieces))


def test_a_dated_name_is_its_model() -> None:
    known = find("anthropic", "claude-sonnet-4-5", overrides={})
    assert known.window == 200_000
    assert find("anthropic", "claude-sonnet-4-5-20250929", overrides={}) == known
    assert find("openai-chat", "gpt-4o-2024-08-06", overrides={}) == find(
        "openai", "gpt-4o", overrides={}
    )


def test_another_seller_has_no_price_from_the_table() -> None:
    assert find("compatible", "gpt-5", overrides={}) == Known()
    assert find("openai", "gpt-5", overrides={}, is_custom=True).price is None
    assert find("openai", "gpt-5", overrides={}, is_custom=True).window == 400_000


def test_the_persons_settings_come_first() -> None:
    told = Known(window=32_000, price=Price(input=1.0, output=2.0))
    known = find("ollama", "qwen3", overrides={"ollama/qwen3": told})
    assert (known.window, known.price) == (32_000, told.price)
    merged = find("openai", "gpt-5", overrides={"gpt-5": Known(window=1_000)}, is_custom=True)
    assert (merged.window, merged.max_output) == (1_000, 128_000)
