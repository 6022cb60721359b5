"""Token counts of every vendor become counters whose sum is what is billed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.parts import Usage
from ouroboros.llm import usage
from tests.cases import every
from tests.wire.recordings import FILES, load

READERS = {
    "openai-chat": usage.from_openai_chat,
    "openai-responses": usage.from_openai_responses,
    "anthropic-messages": usage.from_anthropic_messages,
    "gemini": usage.from_gemini,
    "ollama-chat": usage.from_ollama,
    "bedrock-converse": usage.from_bedrock_converse,
    "bedrock's metrics": usage.from_bedrock_metrics,
}


def plain(counts: Usage) -> tuple[int, int | None, int | None, int, int | None]:
    return (
        counts.input_uncached,
        counts.cache_read,
        counts.cache_write,
        counts.output_text,
        counts.reasoning,
    )


CASES: dict[
    str, tuple[str, dict[str, Any], tuple[int, int | None, int | None, int, int | None]]
] = {
    "openai chat": (
        "openai-chat",
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 6},
            "completion_tokens_details": {"reasoning_tokens": 20},
        },
        (30, 64, 6, 30, 20),
    ),
    "deepseek": (
        "openai-chat",
        {
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "prompt_cache_hit_tokens": 8,
            "prompt_cache_miss_tokens": 2,
        },
        (2, 8, 0, 5, None),
    ),
    "mistral": (
        "openai-chat",
        {"prompt_tokens": 94, "completion_tokens": 33, "num_cached_tokens": 48},
        (46, 48, 0, 33, None),
    ),
    "xai counts thoughts apart": (
        "openai-chat",
        {
            "prompt_tokens": 307,
            "completion_tokens": 26,
            "total_tokens": 560,
            "completion_tokens_details": {"reasoning_tokens": 227},
        },
        (307, None, 0, 26, 227),
    ),
    "hidden thoughts": (
        "openai-chat",
        {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40},
        (10, None, 0, 5, 25),
    ),
    "more cached than asked": (
        "openai-chat",
        {
            "prompt_tokens": 10,
            "completion_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": 12},
        },
        (0, 12, 0, 1, None),
    ),
    "responses": (
        "openai-responses",
        {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 80, "cache_write_tokens": 5},
            "output_tokens": 30,
            "output_tokens_details": {"reasoning_tokens": 10},
        },
        (15, 80, 5, 20, 10),
    ),
    "anthropic": (
        "anthropic-messages",
        {
            "input_tokens": 7,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 0,
            "output_tokens": 9,
        },
        (7, 100, 0, 9, None),
    ),
    "anthropic with thinking": (
        "anthropic-messages",
        {"input_tokens": 7, "output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}},
        (7, None, None, 5, 4),
    ),
    "gemini counts thoughts and what its tools read apart": (
        "gemini",
        {
            "promptTokenCount": 100,
            "cachedContentTokenCount": 60,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": 30,
            "toolUsePromptTokenCount": 7,
            "totalTokenCount": 157,
        },
        (47, 60, 0, 20, 30),
    ),
    "gemini leaves out what is 0": ("gemini", {"promptTokenCount": 8}, (8, 0, 0, 0, 0)),
    "gemini with more cached than asked": (
        "gemini",
        {"promptTokenCount": 8, "cachedContentTokenCount": 9},
        (0, 9, 0, 0, 0),
    ),
    "ollama": (
        "ollama-chat",
        {"prompt_eval_count": 26, "eval_count": 12, "eval_duration": 4_000_000},
        (26, None, None, 12, None),
    ),
    "converse": (
        "bedrock-converse",
        {
            "inputTokens": 3,
            "outputTokens": 121,
            "cacheReadInputTokens": 1712,
            "cacheReadInputTokenCount": 1712,
            "cacheWriteInputTokens": 236,
            "totalTokens": 2072,
        },
        (3, 1712, 236, 121, None),
    ),
    "nova's own words": (
        "bedrock-converse",
        {"inputTokens": 5, "outputTokens": 10, "cacheReadInputTokenCount": 2},
        (5, 2, None, 10, None),
    ),
    "bedrock's metrics": (
        "bedrock's metrics",
        {"inputTokenCount": 7, "outputTokenCount": 4, "cacheWriteInputTokenCount": 1},
        (7, None, 1, 4, None),
    ),
    "nonsense": (
        "openai-chat",
        {"prompt_tokens": -4, "completion_tokens": "many", "total_tokens": True},
        (0, None, 0, 0, None),
    ),
}


@pytest.mark.proves("H12")
@every("name", CASES)
def test_counts(name: str) -> None:
    protocol, raw, wanted = CASES[name]
    counts = READERS[protocol](raw)
    assert plain(counts) == wanted
    assert counts.raw == raw


@pytest.mark.proves("H12")
def test_a_vendor_known_to_count_apart_needs_no_total() -> None:
    raw: dict[str, object] = {
        "completion_tokens": 5,
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    assert plain(usage.from_openai_chat(raw, reasoning_exclusive=True)) == (0, None, 0, 5, 3)
    assert plain(usage.from_openai_chat(raw)) == (0, None, 0, 2, 3)


@pytest.mark.deep
@pytest.mark.proves("H12")
@every(
    ("protocol", "name"),
    [
        ("openai-chat", "total_tokens"),
        ("openai-responses", "total_tokens"),
        ("gemini", "totalTokenCount"),
        ("bedrock-converse", "totalTokens"),
    ],
)
def test_recorded_counters_add_up_to_the_vendors_total(protocol: str, name: str) -> None:
    seen = 0
    for path in FILES:
        recording = load(path)
        raw = recording.facts["raw_usage"]
        if recording.protocol != protocol or not raw or not raw.get(name):
            continue
        assert READERS[protocol](raw).total == raw[name], path.stem
        seen += 1
    assert seen > 30


FIELDS = [
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "prompt_tokens_details",
    "completion_tokens_details",
    "cached_tokens",
    "reasoning_tokens",
    "input_tokens",
    "output_tokens",
    "promptTokenCount",
    "cachedContentTokenCount",
    "thoughtsTokenCount",
    "eval_count",
    "inputTokens",
    "cacheReadInputTokens",
    "outputTokenCount",
]
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=6,
)


@pytest.mark.deep
@pytest.mark.proves("H12")
@given(raw=st.dictionaries(st.sampled_from(FIELDS), junk, max_size=6))
def test_no_counter_is_ever_negative(raw: dict[str, object]) -> None:
    for reader in READERS.values():
        assert all(count is None or count >= 0 for count in plain(reader(raw)))
