"""Asking vendors for their models: every form of a list, what goes wrong, and what is kept."""

import gzip
import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import FailureKind, ModelFailed
from ouroboros.llm.catalog import Known, discovery_cache
from ouroboros.llm.catalog.discovery import Source, discover, parse, understood
from ouroboros.llm.opening import Connection, authorizer, headers, open_transport
from ouroboros.llm.price import Price
from ouroboros.llm.providers import find
from tests.cases import every
from tests.unit.llm.fault_ground import nobody
from tests.unit.llm.vendor_server import Answer, Asked, BareServer, bare

pytestmark = pytest.mark.real

OPENAI = {
    "object": "list",
    "data": [
        {"id": "gpt-9", "object": "model", "shutdown_date": "2027-01-31"},
        {"id": "o9", "shutdown_date": "\x1b[31mnever"},
    ],
}
ANTHROPIC = {
    "data": [
        {
            "type": "model",
            "id": "claude-9",
            "max_input_tokens": 900_000,
            "max_tokens": 64_000,
            "lifecycle": "active",
            "retires_at": "2027-03-01T00:00:00Z",
            "capabilities": {
                "image_input": {"supported": True},
                "pdf_input": {"supported": True},
                "batch": {"supported": False},
                "thinking": {"supported": True, "types": {"adaptive": {"supported": True}}},
                "effort": {
                    "supported": True,
                    "max": {"supported": True},
                    "low": {"supported": True},
                    "xhigh": {"supported": False},
                },
            },
        },
        {"type": "model", "id": "claude-1", "lifecycle": "retired"},
    ],
    "has_more": False,
}
GEMINI = {
    "models": [
        {
            "name": "models/gemini-9",
            "inputTokenLimit": 1_000,
            "outputTokenLimit": 500,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        },
        {"name": "models/embedding-1", "supportedGenerationMethods": ["embedContent"]},
    ]
}
MOONSHOT = {
    "data": [
        {
            "id": "kimi-9",
            "context_length": 9,
            "supports_image_in": True,
            "supports_reasoning": True,
        },
        {"id": "flux", "supports_chat": False},
    ]
}
OPENROUTER = {
    "data": [
        {
            "id": "maker/model",
            "context_length": 128_000,
            "architecture": {"input_modalities": ["text", "image", "file"]},
            "pricing": {
                "prompt": "0.000003",
                "completion": "0.000015",
                "input_cache_read": "0.0000003",
                "input_cache_write": "0.00000375",
            },
            "top_provider": {"max_completion_tokens": 64_000},
            "supported_parameters": ["tools", "reasoning"],
        },
        {"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}},
        {"id": "maker/plain", "supported_parameters": ["temperature"]},
    ]
}
TOGETHER = [
    {
        "id": "a/chat",
        "type": "chat",
        "context_length": 32_768,
        "pricing": {"hourly": 0, "input": 0.3, "output": 0.6, "base": 0},
    },
    {"id": "a/new", "type": "chat", "pricing": {"input": 0, "output": 0}},
    {"id": "a/image", "type": "image"},
    {"id": "a/embedding", "type": "embedding"},
]
MISTRAL = {
    "data": [
        {
            "id": "large",
            "max_context_length": 262_144,
            "capabilities": {"completion_chat": True, "function_calling": True, "vision": True},
        },
        {"id": "embed", "capabilities": {"completion_chat": False}},
    ]
}
LMSTUDIO = {
    "data": [
        {
            "id": "qwen3-8b",
            "type": "vlm",
            "max_context_length": 131_072,
            "loaded_context_length": 4_096,
            "capabilities": ["tool_use"],
        },
        {"id": "nomic", "type": "embeddings"},
    ]
}
GITHUB = [
    {
        "id": "openai/gpt-9",
        "capabilities": ["streaming", "tool-calling"],
        "supported_input_modalities": ["text", "image"],
        "supported_output_modalities": ["text"],
    },
    {"id": "openai/embedding", "supported_output_modalities": ["embeddings"]},
]
PRICE = Price(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)

LISTS: dict[str, tuple[object, dict[str, Known]]] = {
    "openai": (OPENAI, {"gpt-9": Known(retires="2027-01-31"), "o9": Known()}),
    "anthropic": (
        ANTHROPIC,
        {
            "claude-9": Known(
                window=900_000,
                max_output=64_000,
                inputs=("image", "pdf"),
                reasoning=True,
                efforts=("low", "max"),
                retires="2027-03-01",
            )
        },
    ),
    "moonshot": (MOONSHOT, {"kimi-9": Known(window=9, inputs=("image",), reasoning=True)}),
    "gemini": (GEMINI, {"gemini-9": Known(window=1_000, max_output=500)}),
    "openrouter": (
        OPENROUTER,
        {
            "maker/model": Known(
                window=128_000,
                max_output=64_000,
                inputs=("image", "pdf"),
                tools=True,
                reasoning=True,
                price=PRICE,
            ),
            "openrouter/auto": Known(),
            "maker/plain": Known(tools=False),
        },
    ),
    "together": (
        TOGETHER,
        {
            "a/chat": Known(window=32_768, price=Price(input=0.3, output=0.6)),
            "a/new": Known(),
        },
    ),
    "mistral": (MISTRAL, {"large": Known(window=262_144, tools=True, inputs=("image",))}),
    "lmstudio": (LMSTUDIO, {"qwen3-8b": Known(window=4_096, tools=True, inputs=("image",))}),
    "github": (GITHUB, {"openai/gpt-9": Known(tools=True, inputs=("image",))}),
}


@pytest.mark.proves("H14")
@every("vendor", LISTS)
def test_each_vendors_list_is_understood(vendor: str) -> None:
    listed, expected = LISTS[vendor]
    assert parse(json.dumps(listed).encode()) == expected


@every(
    "body", [b"", b"{}", b"[1, 2", b'"text"', b"<html>", b"\xff\xfe", b'{"data": 3}', b"[" * 9_999]
)
def test_what_is_no_list_is_not_taken_for_one(body: bytes) -> None:
    assert parse(body) is None


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("id", "name", "type", "context_length", "pricing", "capabilities", "top_provider",
        "architecture", "supported_parameters", "supportedGenerationMethods", "inputTokenLimit")  # fmt: skip


@pytest.mark.deep
@given(items=st.lists(st.dictionaries(st.sampled_from(KEYS), JUNK, max_size=6), max_size=4))
def test_whatever_stands_in_a_list_is_read_or_left_out(items: list[dict[str, Any]]) -> None:
    for name, known in (parse(json.dumps({"data": items}).encode()) or {}).items():
        assert name
        assert known.window is None or known.window > 0


@given(body=st.binary(max_size=60))
def test_no_bytes_break_the_reading(body: bytes) -> None:
    parse(body)
    understood(body)


async def listed(
    server: BareServer, provider: str, environment: Mapping[str, str]
) -> dict[str, Known]:
    choice = find(f"{provider}/any", environment=environment, base_url=server.url)
    connection = Connection()
    path = choice.entry.models_path.replace("https://models.github.ai", server.url)
    source = Source(
        protocol=choice.entry.protocol,
        base_url=choice.base_url,
        path=path,
        headers=headers(choice),
    )
    transport = open_transport(source.url, connection)
    auth = authorizer(choice, clock=SystemClock(), connection=connection)
    try:
        return await discover(source, auth, transport, SystemClock())
    finally:
        await transport.close()


def answer(value: object, status: int = 200) -> Answer:
    return Answer("application/json", json.dumps(value).encode(), status)


@every(
    ("provider", "key", "path", "header"),
    [
        ("openai", "OPENAI_API_KEY", "/v1/models", ("authorization", "Bearer sk-1")),
        ("anthropic", "ANTHROPIC_API_KEY", "/v1/models?limit=1000", ("x-api-key", "sk-1")),
        ("google", "GEMINI_API_KEY", "/v1beta/models?pageSize=1000", ("x-goog-api-key", "sk-1")),
        ("groq", "GROQ_API_KEY", "/openai/v1/models", ("authorization", "Bearer sk-1")),
        ("azure", "AZURE_API_KEY", "/openai/v1/models", ("api-key", "sk-1")),
        ("lmstudio", "", "/api/v0/models", ("accept", "application/json")),
        ("github", "GH_TOKEN", "/catalog/models", ("x-github-api-version", "2022-11-28")),
    ],
)
async def test_a_list_is_asked_for_where_the_vendor_keeps_it(
    provider: str, key: str, path: str, header: tuple[str, str]
) -> None:
    async with bare({"/models": answer(OPENAI)}) as server:
        found = await listed(server, provider, {key: "sk-1"} if key else {})
    assert list(found) == ["gpt-9", "o9"]
    asked = server.asked[0]
    assert (asked.method, asked.path) == ("GET", path)
    assert asked.headers[header[0]] == header[1]


@pytest.mark.proves("H14")
async def test_ollama_says_of_each_model_how_much_it_sees() -> None:
    tags = {"models": [{"name": name, "model": name} for name in ("qwen3:8b", "embed", "gone")]}
    shows: dict[str, object] = {
        "qwen3:8b": {
            "capabilities": ["completion", "tools", "thinking", "vision"],
            "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960},
        },
        "embed": {"capabilities": ["embedding"], "model_info": {}},
    }

    class Ollama(BareServer):
        def reply(self, asked: Asked) -> Answer:
            if asked.path == "/api/tags":
                return answer(tags)
            known = shows.get(asked.json["model"])
            return answer(known) if known else answer({"error": "not found"}, 404)

    async with bare({}, Ollama) as server:
        found = await listed(server, "ollama", {})
    assert found == {
        "qwen3:8b": Known(window=40_960, tools=True, reasoning=True, inputs=("image",)),
        "gone": Known(),
    }


@pytest.mark.proves("H14")
@every(
    ("given", "kind"),
    [
        (
            answer({"error": {"message": "bad key sk-12345678", "code": "invalid_api_key"}}, 401),
            "auth",
        ),
        (answer({"error": {"message": "slow down"}}, 429), "rate_limit"),
        (Answer("text/html", b"<html>", 200), "invalid_request"),
        (answer({"object": "something else"}), "invalid_request"),
        (Answer("application/json", b"", 503), "overloaded"),
    ],
)
async def test_a_refusal_is_typed_and_never_shows_the_key(given: Answer, kind: FailureKind) -> None:
    async with bare({"/models": given}) as server:
        with pytest.raises(ModelFailed) as caught:
            await listed(server, "openai", {"OPENAI_API_KEY": "sk-12345678"})
    assert caught.value.failure.kind == kind
    assert "sk-12345678" not in str(caught.value.failure)


async def test_a_key_that_is_said_back_is_not_in_the_list() -> None:
    async with bare({"/models": answer({"data": [{"id": "sk-12345678"}, {"id": "m"}]})}) as server:
        found = await listed(server, "openai", {"OPENAI_API_KEY": "sk-12345678"})
    assert list(found) == ["[key]", "m"]


async def test_a_list_that_was_compressed_on_the_way_is_read() -> None:
    kind = "application/json\r\ncontent-encoding: gzip"
    given = Answer(kind, gzip.compress(json.dumps(OPENAI).encode()))
    async with bare({"/models": given}) as server:
        found = await listed(server, "openai", {"OPENAI_API_KEY": "sk-1"})
    assert list(found) == ["gpt-9", "o9"]


async def test_a_server_that_is_not_there_is_a_typed_failure() -> None:
    gone = BareServer({})
    with nobody() as gone.url, pytest.raises(ModelFailed) as caught:
        await listed(gone, "openai", {})
    assert caught.value.failure.kind == "transport"


MODELS = {"m": Known(window=5, price=PRICE)}


@pytest.mark.proves("H14")
def test_a_list_is_kept_for_its_owner_alone_and_for_300_seconds(tmp_path: Path) -> None:
    discovery_cache.write(tmp_path / "home", "a/../b", "http://h/v1", MODELS, 1_000.0)
    kept = discovery_cache.read(tmp_path / "home", "a/../b", "http://h/v1")
    assert kept is not None
    assert kept.models == MODELS
    assert [kept.is_fresh(now) for now in (999.0, 1_000.0, 1_300.0, 1_300.1)] == [
        False,
        True,
        True,
        False,
    ]
    assert discovery_cache.read(tmp_path / "home", "a/../b", "http://other/v1") is None
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.parent for path in files] == [tmp_path / "home" / "cache" / "models"]
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert stat.S_IMODE(files[0].parent.stat().st_mode) == 0o700


@pytest.mark.proves("H14")
@every(
    "content",
    [b"", b"{", b"[]", b'{"version":1}', b"\xff", b'{"version":1,"base_url":"u","taken_at":"x"}'],
)
def test_a_broken_list_is_no_list(tmp_path: Path, content: bytes) -> None:
    discovery_cache.write(tmp_path, "p", "u", MODELS, 0.0)
    next((tmp_path / "cache" / "models").iterdir()).write_bytes(content)
    assert discovery_cache.read(tmp_path, "p", "u") is None
    discovery_cache.write(tmp_path, "p", "u", MODELS, 0.0)
    assert discovery_cache.read(tmp_path, "p", "u") is not None


def test_a_list_that_cannot_be_kept_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way", "utf-8")
    with pytest.raises(OSError, match="cache"):
        discovery_cache.write(tmp_path, "p", "u", MODELS, 0.0)
    assert discovery_cache.read(tmp_path, "p", "u") is None
