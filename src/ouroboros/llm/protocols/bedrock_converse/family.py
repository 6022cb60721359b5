"""What the models that Bedrock hosts have in common, by the maker's name within a model's id."""

import re
from typing import Literal

type Family = Literal[
    "claude",
    "nova",
    "nova-2",
    "titan",
    "llama",
    "mistral",
    "gpt-oss",
    "gpt",
    "grok",
    "qwen",
    "other",
]

_MARKS: tuple[tuple[str, Family], ...] = (
    ("anthropic.", "claude"),
    ("amazon.nova-2", "nova-2"),
    ("amazon.nova", "nova"),
    ("amazon.titan", "titan"),
    ("meta.llama", "llama"),
    ("mistral.", "mistral"),
    ("openai.gpt-oss", "gpt-oss"),
    ("openai.", "gpt"),
    ("xai.", "grok"),
    ("qwen.qwen3", "qwen"),
)

_UNCACHED = re.compile(r"claude-(v2|instant|3-(haiku|sonnet|opus)|3-5-sonnet-20240620)")


def family_of(model: str) -> Family:
    """The family of a model's id, of an inference profile's, or of the ARN of either."""
    for mark, family in _MARKS:
        if mark in model:
            return family
    return "other"


def caches(model: str) -> bool:
    """Whether Bedrock takes cache points for the model; it refuses them for all others."""
    family = family_of(model)
    return family in {"nova", "nova-2"} or (family == "claude" and not _UNCACHED.search(model))


def caches_tools(model: str) -> bool:
    """Whether a cache point may also follow the tools."""
    return family_of(model) == "claude" and caches(model)
