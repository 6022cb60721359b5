"""A vendor's token counts as counters that never overlap.

Differences are clamped at 0, what the vendor does not say stays ``None``, and its own object is
kept. Anthropic's counts leave out iterations of server-side compaction, as its top level does.
"""

from ouroboros.core.parts import Meta, Usage
from ouroboros.llm.fields import child

_LARGEST = 2**53


def _count(raw: Meta, *path: str) -> int | None:
    *outer, last = path
    for key in outer:
        raw = child(raw, key)
    value = raw.get(last)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return min(max(value, 0), _LARGEST)


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def from_openai_chat(raw: Meta, *, reasoning_exclusive: bool = False) -> Usage:
    """Counts of a chat completion, where the prompt includes what was cached."""
    prompt = _count(raw, "prompt_tokens") or 0
    completion = _count(raw, "completion_tokens") or 0
    total = _count(raw, "total_tokens")
    cached = _first(
        _count(raw, "prompt_tokens_details", "cached_tokens"),
        _count(raw, "prompt_cache_hit_tokens"),
        _count(raw, "num_cached_tokens"),
        _count(raw, "cached_tokens"),
    )
    written = _count(raw, "prompt_tokens_details", "cache_write_tokens") or 0
    reasoning = _count(raw, "completion_tokens_details", "reasoning_tokens")
    if reasoning is None and total is not None and total > prompt + completion:
        # Hidden thoughts: counted in the total and nowhere else.
        reasoning, reasoning_exclusive = total - prompt - completion, True
    if reasoning and total == prompt + completion + reasoning:
        reasoning_exclusive = True
    return Usage(
        input_uncached=max(prompt - (cached or 0) - written, 0),
        cache_read=cached,
        cache_write=written,
        output_text=completion if reasoning_exclusive else max(completion - (reasoning or 0), 0),
        reasoning=reasoning,
        raw=raw,
    )


def from_openai_responses(raw: Meta) -> Usage:
    """Counts of a response, where input includes the cache and output the thoughts."""
    cached = _first(
        _count(raw, "input_tokens_details", "cached_tokens"),
        _count(raw, "prompt_tokens_details", "cached_tokens"),
    )
    written = _count(raw, "input_tokens_details", "cache_write_tokens") or 0
    reasoning = _count(raw, "output_tokens_details", "reasoning_tokens")
    return Usage(
        input_uncached=max((_count(raw, "input_tokens") or 0) - (cached or 0) - written, 0),
        cache_read=cached,
        cache_write=written,
        output_text=max((_count(raw, "output_tokens") or 0) - (reasoning or 0), 0),
        reasoning=reasoning,
        raw=raw,
    )


def from_anthropic_messages(raw: Meta) -> Usage:
    """Counts of a message, where input leaves out the cache and output includes the thoughts."""
    thinking = _count(raw, "output_tokens_details", "thinking_tokens")
    return Usage(
        input_uncached=_count(raw, "input_tokens") or 0,
        cache_read=_count(raw, "cache_read_input_tokens"),
        cache_write=_count(raw, "cache_creation_input_tokens"),
        output_text=max((_count(raw, "output_tokens") or 0) - (thinking or 0), 0),
        reasoning=thinking,
        raw=raw,
    )


def from_gemini(raw: Meta) -> Usage:
    """Counts of a generated content, where the prompt includes the cache and thoughts come apart.

    Tokens that the vendor's own tools read count as input. It leaves out what is 0.
    """
    cached = _count(raw, "cachedContentTokenCount") or 0
    prompt = max((_count(raw, "promptTokenCount") or 0) - cached, 0)
    return Usage(
        input_uncached=prompt + (_count(raw, "toolUsePromptTokenCount") or 0),
        cache_read=cached,
        cache_write=0,
        output_text=_count(raw, "candidatesTokenCount") or 0,
        reasoning=_count(raw, "thoughtsTokenCount") or 0,
        raw=raw,
    )


def from_ollama(raw: Meta) -> Usage:
    """Counts of an Ollama chat, which knows neither a cache nor thoughts."""
    return Usage(
        input_uncached=_count(raw, "prompt_eval_count") or 0,
        output_text=_count(raw, "eval_count") or 0,
        raw=raw,
    )


def from_bedrock_converse(raw: Meta) -> Usage:
    """Counts of Converse, where input leaves out the cache and thoughts are not told apart."""
    return Usage(
        input_uncached=_count(raw, "inputTokens") or 0,
        cache_read=_first(
            _count(raw, "cacheReadInputTokens"), _count(raw, "cacheReadInputTokenCount")
        ),
        cache_write=_first(
            _count(raw, "cacheWriteInputTokens"), _count(raw, "cacheWriteInputTokenCount")
        ),
        output_text=_count(raw, "outputTokens") or 0,
        raw=raw,
    )


def from_bedrock_metrics(raw: Meta) -> Usage:
    """Counts that Bedrock itself adds to the last event of a model's own stream."""
    return Usage(
        input_uncached=_count(raw, "inputTokenCount") or 0,
        cache_read=_count(raw, "cacheReadInputTokenCount"),
        cache_write=_count(raw, "cacheWriteInputTokenCount"),
        output_text=_count(raw, "outputTokenCount") or 0,
        raw=raw,
    )
