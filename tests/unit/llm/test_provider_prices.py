"""What is known of models, and what a reply costs."""

import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.parts import Usage
from ouroboros.llm.catalog import TAKEN, Known, estimate_cost, find, models_of, snapshot_file
from ouroboros.llm.price import Price, Tier, estimate
from ouroboros.llm.providers import ENTRIES, Entry
from tests.cases import every

pytestmark = pytest.mark.real

COUNTS = st.integers(0, 10_000_000)


@pytest.mark.proves("H13")
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


@pytest.mark.proves("H13")
def test_a_cache_without_a_price_of_its_own_costs_what_input_costs() -> None:
    price = Price(input=2.0, output=8.0)
    assert estimate(price, Usage(cache_read=500_000, cache_write=500_000)) == pytest.approx(2.0)


@pytest.mark.proves("H13", "divergences-price-of-a-local-server")
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


@pytest.mark.proves("H14")
def test_a_dated_name_is_its_model() -> None:
    known = find("anthropic", "claude-opus-5")
    assert known.window == 1_000_000
    assert find("anthropic", "claude-opus-5-20991231") == known
    assert find("openai-chat", "gpt-5.4-mini-2026-03-17") == find("openai", "gpt-5.4-mini")


def test_another_seller_has_no_price_from_the_table() -> None:
    assert find("compatible", "gpt-5", overrides={}) == Known()
    assert find("openai", "gpt-5", overrides={}, is_custom=True).price is None
    assert find("openai", "gpt-5", overrides={}, is_custom=True).window == 272_000


@pytest.mark.proves("H14")
def test_the_persons_settings_come_first() -> None:
    told = Known(window=32_000, price=Price(input=1.0, output=2.0))
    known = find("ollama", "qwen3", overrides={"ollama/qwen3": told})
    assert (known.window, known.price) == (32_000, told.price)
    merged = find("openai", "gpt-5", overrides={"gpt-5": Known(window=1_000)}, is_custom=True)
    assert (merged.window, merged.max_output) == (1_000, 128_000)
    both = {"gpt-5": Known(window=1_000), "openai/gpt-5": Known(window=2_000)}
    assert find("openai", "gpt-5", overrides=both).window == 2_000


@pytest.mark.proves("H13")
def test_a_large_request_costs_what_its_tier_costs() -> None:
    large = Tier(above=200_000, input=2.5, output=15.0)
    price = Price(input=1.25, output=10.0, tiers=(large,))
    assert estimate(price, Usage(input_uncached=200_000)) == pytest.approx(0.25)
    assert estimate(price, Usage(input_uncached=150_000, cache_read=50_001)) == pytest.approx(
        200_001 * 2.5 / 1_000_000
    )
    assert estimate(price, Usage(output_text=300_000)) == pytest.approx(3.0)
    gemini = find("google", "gemini-2.5-pro").price
    assert gemini is not None
    assert (gemini.input, gemini.tiers[0].above, gemini.tiers[0].input) == (1.25, 200_000, 2.5)


@pytest.mark.proves("H13")
def test_a_cost_is_estimated_by_name_alone() -> None:
    usage = Usage(input_uncached=1_000_000, output_text=100_000)
    assert estimate_cost("anthropic/claude-haiku-4-5", usage) == pytest.approx(1.5)
    assert estimate_cost("anthropic/claude-unheard-of", usage) is None
    assert estimate_cost("ollama/qwen3", usage) is None
    assert estimate_cost("nobody/at-all", usage) is None
    assert estimate_cost("anthropic/claude-haiku-4-5", None) is None
    told = {"ollama/qwen3": Known(price=Price(input=0.0, output=0.0))}
    assert estimate_cost("ollama/qwen3", usage, overrides=told) == 0.0


@pytest.mark.proves("H13")
def test_a_resellers_model_has_its_makers_window_and_no_price() -> None:
    known = find("openrouter", "anthropic/claude-sonnet-5.5")
    assert (known.window, known.price, known.max_output) == (1_000_000, None, None)
    assert find("openrouter", "anthropic/claude-sonnet-5.5:beta").window == 1_000_000
    assert find("openrouter", "somebody/something") == Known()
    assert find("openrouter", "no-slash") == Known()


def test_a_region_before_a_bedrock_model_is_no_other_model() -> None:
    plain = find("bedrock", "mistral.mistral-large-3-675b-instruct")
    assert plain.window
    assert find("bedrock", "eu.mistral.mistral-large-3-675b-instruct") == plain


@pytest.mark.proves("H14")
def test_what_the_vendors_list_says_comes_before_the_snapshot() -> None:
    known = find("google", "gemini-2.5-pro", listed=Known(window=5, max_output=6))
    assert (known.window, known.max_output) == (5, 6)
    assert known.price is not None
    assert find("nobody", "m", listed=Known(window=5)) == Known(window=5)
    own = Price(input=9.0, output=9.0)
    there = find("google", "gemini-2.5-pro", listed=Known(price=own), is_custom=True)
    assert there.price == own
    assert find("google", "gemini-2.5-pro", listed=Known(), is_custom=True).price is None


@pytest.mark.proves("H14")
def test_capabilities_and_levels_are_known() -> None:
    known = find("openai", "gpt-5")
    assert known.efforts == ("minimal", "low", "medium", "high")
    assert (known.tools, known.reasoning) == (True, True)
    assert "image" in known.inputs
    assert find("anthropic", "claude-sonnet-5-5").efforts[-1] == "max"
    assert find("anthropic", "claude-sonnet-4-5").retires == "2026-11-30"


@every("provider", [entry.name for entry in ENTRIES])
def test_every_shipped_model_can_be_read_and_none_is_free(provider: str) -> None:
    for name, known in models_of(provider):
        assert name
        assert known.window is None or known.window > 0
        if known.price is not None:
            assert known.price.input > 0
            assert known.price.output > 0
            above = [tier.above for tier in known.price.tiers]
            assert above == sorted(above)


@every("entry", [entry for entry in ENTRIES if entry.default_model])
def test_a_default_model_is_known_and_not_about_to_retire(entry: Entry) -> None:
    known = find(entry.name, entry.default_model)
    assert known.window
    assert known.tools
    assert not known.retires


@pytest.mark.proves("H14")
def test_whose_work_the_snapshot_is_travels_with_it() -> None:
    shipped = sorted(snapshot_file.FOLDER.glob("*.json"))
    assert len(shipped) >= 20
    for path in shipped:
        snapshot = msgspec.json.decode(path.read_bytes(), type=snapshot_file.Snapshot)
        assert snapshot.source.startswith("litellm ")
        assert snapshot.licence.startswith("MIT, Copyright (c) 2023 Berri AI")
        assert snapshot.taken == TAKEN
        assert snapshot.models
    assert "MIT License" in (snapshot_file.FOLDER / "LICENSE").read_text("utf-8")


@pytest.mark.proves("H14")
def test_looking_one_model_up_reads_its_vendors_file_alone() -> None:
    script = (
        "import sys\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, found: opened.append(str(found[0])) "
        "if event == 'open' else None)\n"
        "from ouroboros.llm import catalog\n"
        "assert catalog.find('groq', 'openai/gpt-oss-120b').window == 131072\n"
        "print([name.rpartition('/')[2] for name in opened if '/snapshot/' in name])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['groq.json']"
