"""Makes the shipped snapshot of models from LiteLLM's public catalogue.

``just catalogue SOURCE VERSION DATE``: SOURCE is ``model_prices_and_context_window_backup.json`` of
the package ``litellm`` in that VERSION (MIT), DATE the day on which it was taken.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.json import decode, encode

from ouroboros.llm.catalog import snapshot_file
from ouroboros.llm.catalog.known import Known
from ouroboros.llm.price import Price, Tier
from ouroboros.llm.request import Effort

LICENCE = "MIT, Copyright (c) 2023 Berri AI; the whole text stands in LICENSE beside this file"

SOURCES = {
    "openai": ("openai",),
    "azure": ("azure",),
    "anthropic": ("anthropic",),
    "google": ("gemini",),
    "vertex": ("vertex_ai-language-models",),
    "bedrock": ("bedrock", "bedrock_converse"),
    "deepseek": ("deepseek",),
    "groq": ("groq",),
    "together": ("together_ai",),
    "fireworks": ("fireworks_ai",),
    "mistral": ("mistral",),
    "xai": ("xai",),
    "perplexity": ("perplexity",),
    "cerebras": ("cerebras",),
    "moonshot": ("moonshot",),
    "zai": ("zai",),
    "qwen": ("dashscope",),
    "minimax": ("minimax",),
    "sambanova": ("sambanova",),
    "nebius": ("nebius",),
    "baseten": ("baseten",),
}
"""Our vendors, and what the source calls them."""

_WITH_SLASH = frozenset({"together", "fireworks", "nebius", "baseten"})
_PREFIX = re.compile(
    r"^(azure|gemini|vertex_ai|deepseek|groq|together_ai|fireworks_ai|mistral|xai"
    r"|perplexity|cerebras|moonshot|zai|dashscope|minimax|sambanova|nebius|baseten)/"
)
_EFFORTS: tuple[Effort, ...] = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_USUAL = frozenset({"low", "medium", "high"})


def snapshots(source: Mapping[str, Any], version: str, date: str) -> dict[str, bytes]:
    """The files of the snapshot by vendor."""
    made: dict[str, bytes] = {}
    for vendor, names in SOURCES.items():
        models = dict(_models(source, vendor, names))
        head = encode({
            "source": f"litellm {version}, model_prices_and_context_window_backup.json",
            "licence": LICENCE,
            "taken": date,
        })
        lines = [encode(name) + b":" + encode(models[name]) for name in sorted(models)]
        made[vendor] = head[:-1] + b',\n"models":{\n' + b",\n".join(lines) + b"\n}}\n"
    return made


def _models(
    source: Mapping[str, Any], vendor: str, names: tuple[str, ...]
) -> Iterator[tuple[str, Known]]:
    for key, model in sorted(source.items(), key=lambda item: "/" in item[0]):
        if model.get("litellm_provider") not in names or key.startswith(("ft:", "together-ai-")):
            continue
        if model.get("mode") not in {"chat", "responses"}:
            continue
        name = _PREFIX.sub("", key)
        is_ours = "/" not in name or vendor in _WITH_SLASH or vendor == "groq"
        known = known_of(model)
        if is_ours and known != Known():
            yield name, known


def known_of(model: Mapping[str, Any]) -> Known:
    """One model of the source in our words."""
    window = _count(model.get("max_input_tokens"))
    return Known(
        window=window,
        max_output=_count(model.get("max_output_tokens")),
        inputs=tuple(_inputs(model)),
        tools=model.get("supports_function_calling"),
        reasoning=model.get("supports_reasoning"),
        efforts=_efforts(model),
        price=_price(model),
        retires=str(model.get("deprecation_date", "")),
    )


def _count(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _inputs(model: Mapping[str, Any]) -> Iterator[str]:
    modalities: list[str] = model.get("supported_modalities") or []
    if "image" in modalities or model.get("supports_vision"):
        yield "image"
    if model.get("supports_pdf_input"):
        yield "pdf"
    if "audio" in modalities or model.get("supports_audio_input"):
        yield "audio"
    if "video" in modalities or model.get("supports_video_input"):
        yield "video"


def _efforts(model: Mapping[str, Any]) -> tuple[Effort, ...]:
    if levels := model.get("reasoning_effort_levels"):
        return tuple(each for each in _EFFORTS if each in levels)
    if not model.get("supports_reasoning"):
        return ()
    flags = {each: model.get(f"supports_{each}_reasoning_effort") for each in _EFFORTS}
    if all(flag is None for flag in flags.values()) and not _is_claude(model):
        return ()
    return tuple(
        each for each in _EFFORTS if flags[each] or (each in _USUAL and flags[each] is None)
    )


def _is_claude(model: Mapping[str, Any]) -> bool:
    """Their levels are token budgets of our own making, so they hold wherever it thinks."""
    return model.get("litellm_provider") == "anthropic"


def _price(model: Mapping[str, Any]) -> Price | None:
    if tiers := model.get("tiered_pricing"):
        first, *rest = ({**each, "above": int(each["range"][0])} for each in tiers)
        above = tuple(_tier(each, "", each["above"]) for each in rest)
        return _rates(first, above)
    return _rates(model, tuple(_tiers(model)))


def _tiers(model: Mapping[str, Any]) -> Iterator[Tier]:
    found = (re.fullmatch(r"input_cost_per_token_above_(\d+)k_tokens", key) for key in model)
    for thousand in sorted(int(each[1]) for each in found if each):
        ending = f"_above_{thousand}k_tokens"
        if model.get(f"output_cost_per_token{ending}"):
            yield _tier(model, ending, thousand * 1000)


def _tier(model: Mapping[str, Any], ending: str, above: int) -> Tier:
    return Tier(
        above=above,
        input=_million(model[f"input_cost_per_token{ending}"]) or 0.0,
        output=_million(model[f"output_cost_per_token{ending}"]) or 0.0,
        cache_read=_million(model.get(f"cache_read_input_token_cost{ending}")),
        cache_write=_million(model.get(f"cache_creation_input_token_cost{ending}")),
    )


def _rates(model: Mapping[str, Any], tiers: tuple[Tier, ...]) -> Price | None:
    """A price of 0 is a gap of the source or a free trial, so it is left unknown."""
    fresh = _million(model.get("input_cost_per_token"))
    output = _million(model.get("output_cost_per_token"))
    if fresh is None or output is None:
        return None
    return Price(
        input=fresh,
        output=output,
        cache_read=_million(model.get("cache_read_input_token_cost")),
        cache_write=_million(model.get("cache_creation_input_token_cost")),
        tiers=tiers,
    )


def _million(dollars: object) -> float | None:
    if not isinstance(dollars, int | float) or dollars <= 0:
        return None
    return float(f"{dollars * 1_000_000:.6g}")


def main() -> None:
    """Writes the files of the snapshot."""
    path, version, date = sys.argv[1:]
    source = decode(Path(path).read_bytes(), type=dict[str, Any])
    snapshot_file.FOLDER.mkdir(exist_ok=True)
    for vendor, content in snapshots(source, version, date).items():
        (snapshot_file.FOLDER / f"{vendor}.json").write_bytes(content)


if __name__ == "__main__":
    main()
