"""The snapshot of models is made from its source as it is said to be."""

import json
from typing import Any

import pytest

from ouroboros.llm.catalog import Known
from ouroboros.llm.price import Price, Tier
from tests.cases import every
from tests.house.catalogue import SOURCES, known_of, snapshots

MODEL: dict[str, Any] = {
    "litellm_provider": "gemini",
    "mode": "chat",
    "max_input_tokens": 1_000,
    "max_output_tokens": 100.0,
    "input_cost_per_token": 1.25e-06,
    "output_cost_per_token": 1e-05,
    "cache_read_input_token_cost": 1.25e-07,
    "input_cost_per_token_above_200k_tokens": 2.5e-06,
    "output_cost_per_token_above_200k_tokens": 1.5e-05,
    "supported_modalities": ["text", "image", "video"],
    "supports_pdf_input": True,
    "supports_function_calling": True,
    "supports_reasoning": True,
    "supports_minimal_reasoning_effort": True,
    "supports_xhigh_reasoning_effort": False,
    "deprecation_date": "2030-01-01",
}


@pytest.mark.proves("H14")
def test_a_model_of_the_source_is_understood() -> None:
    assert known_of(MODEL) == Known(
        window=1_000,
        max_output=100,
        inputs=("image", "pdf", "video"),
        tools=True,
        reasoning=True,
        efforts=("minimal", "low", "medium", "high"),
        price=Price(
            input=1.25,
            output=10.0,
            cache_read=0.125,
            tiers=(Tier(above=200_000, input=2.5, output=15.0),),
        ),
        retires="2030-01-01",
    )


@every(
    ("changes", "price"),
    [
        ({"input_cost_per_token": 0.0, "output_cost_per_token": 0.0}, None),
        ({"input_cost_per_token": None}, None),
        (
            {
                "tiered_pricing": [
                    {
                        "range": [0, 32_000],
                        "input_cost_per_token": 1e-6,
                        "output_cost_per_token": 2e-6,
                    },
                    {
                        "range": [32_000, 99],
                        "input_cost_per_token": 3e-6,
                        "output_cost_per_token": 4e-6,
                    },
                ]
            },
            Price(input=1.0, output=2.0, tiers=(Tier(above=32_000, input=3.0, output=4.0),)),
        ),
    ],
)
def test_a_gap_is_no_price_and_steps_are_tiers(
    changes: dict[str, Any], price: Price | None
) -> None:
    plain = {name: value for name, value in MODEL.items() if "above" not in name}
    assert known_of({**plain, **changes}).price == price


def test_levels_are_said_only_where_the_source_says_them() -> None:
    bare = {"supports_reasoning": True}
    assert known_of(bare).efforts == ()
    assert known_of({**bare, "reasoning_effort_levels": ["high", "low"]}).efforts == ("low", "high")
    assert known_of({"supports_minimal_reasoning_effort": True}).efforts == ()


def test_each_vendor_gets_its_own_models_by_its_own_names() -> None:
    source = {
        "gemini/gemini-9": MODEL,
        "gemini/embedding": {**MODEL, "mode": "embedding"},
        "openrouter/other": {**MODEL, "litellm_provider": "openrouter"},
        "ft:gpt": {**MODEL, "litellm_provider": "openai"},
        "azure/eu/gpt-9": {**MODEL, "litellm_provider": "azure"},
        "together_ai/maker/m": {**MODEL, "litellm_provider": "together_ai"},
    }
    made = {name: json.loads(text) for name, text in snapshots(source, "1.2", "2030-01-01").items()}
    assert set(made) == set(SOURCES)
    named = {name: list(each["models"]) for name, each in made.items() if each["models"]}
    assert named == {"google": ["gemini-9"], "together": ["maker/m"]}
    assert made["google"]["source"].startswith("litellm 1.2, ")
    assert made["google"]["taken"] == "2030-01-01"


def test_it_is_made_the_same_each_time() -> None:
    source = {"gemini/b": MODEL, "gemini/a": MODEL}
    turned = dict(reversed(list(source.items())))
    assert snapshots(source, "1", "d") == snapshots(turned, "1", "d")
