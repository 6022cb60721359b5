"""`ouro debug prepare`: the request as it would go out, in every format, and nothing goes out."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from anyio import to_thread

from ouroboros.llm.protocols.registry import NAMES
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests.cases import every
from tests.story.test_cli_run import ouro

KEY = "sk-house-0123456789abcdefghij"


def prepare(tmp_path: Path, *words: str, **environment: str) -> dict[str, Any]:
    done = ouro("debug", "prepare", "--json", *words, cwd=tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def configure(protocol: str, url: str) -> None:
    """Names the vendor ``house`` in the person's own settings."""
    home = Path(os.environ["OUROBOROS_HOME"])
    home.mkdir(parents=True)
    lines = {"base_url": url, "protocol": protocol, "key_env": "HOUSE_API_KEY", "auth": "bearer"}
    text = "".join(f'{name} = "{value}"\n' for name, value in lines.items())
    (home / "config.toml").write_text(f"[providers.house]\n{text}")


@pytest.mark.proves("providers-cassettes", "H10")
@pytest.mark.parametrize(
    "protocol",
    ["openai-responses"]
    + [pytest.param(x, marks=pytest.mark.deep) for x in NAMES if x != "openai-responses"],
)
async def test_it_is_the_request_that_a_run_makes(tmp_path: Path, protocol: str) -> None:
    async with serving([Turn(text="Fine.")]) as server:
        configure(protocol, server.url)
        names = {"HOUSE_API_KEY": KEY}
        shown = await to_thread.run_sync(
            lambda: prepare(tmp_path, "--model", "house/m", "Say hello", **names)
        )
        assert server.exchanges == []
        done = await to_thread.run_sync(
            lambda: ouro("run", "--model", "house/m", "Say hello", cwd=tmp_path, **names)
        )
        assert done.stdout == "Fine.\n", done.stderr
    [sent] = [each for each in server.exchanges if each.method == "POST"]
    assert (shown["method"], shown["url"]) == ("POST", f"{server.url}{sent.path}")
    assert without_name(shown["body"]) == without_name(msgspec.json.decode(sent.body))
    proof = {name: value for name, value in shown["headers"].items() if "[key]" in value}
    assert len(proof) == 1
    assert KEY not in json.dumps(shown)
    assert {name: sent.headers[name].replace(KEY, "[key]") for name in shown["headers"]} == (
        shown["headers"]
    )


def without_name(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "prompt_cache_key"}


@pytest.mark.deep
@pytest.mark.proves("providers-cassettes")
def test_without_a_key_its_place_is_shown_and_told(tmp_path: Path) -> None:
    done = ouro("debug", "prepare", "--model", "anthropic/m", "Say", "hello", cwd=tmp_path)
    assert done.returncode == 0
    assert "no key is set for anthropic" in done.stderr
    head, _, body = done.stdout.partition("\n\n")
    assert head.splitlines()[0] == "POST https://api.anthropic.com/v1/messages"
    assert "x-api-key: [key]" in head
    assert json.loads(body)["messages"][-1]["content"][-1]["text"] == "Say hello"


@pytest.mark.deep
@pytest.mark.proves("providers-cassettes")
def test_a_known_secret_in_the_address_is_not_shown(tmp_path: Path) -> None:
    url = "http://127.0.0.1:9/hush-hush-0123/v1"
    words = ("--model", "openai-chat/m", "--base-url", url, "Hello")
    shown = prepare(tmp_path, *words, GATE_TOKEN="hush-hush-0123")
    assert "hush-hush" not in json.dumps(shown)
    assert shown["url"].startswith("http://127.0.0.1:9/")


@pytest.mark.deep
@pytest.mark.proves("providers-cassettes")
def test_a_request_that_is_signed_says_so(tmp_path: Path) -> None:
    shown = prepare(tmp_path, "--model", "bedrock/m", "Hello", AWS_REGION="us-east-1")
    assert shown["headers"]["authorization"] == "AWS4-HMAC-SHA256 [key]"


@pytest.mark.deep
@pytest.mark.proves("providers-cassettes")
def test_settings_show_in_the_body(tmp_path: Path) -> None:
    words = ("--model", "openai/m", "--effort", "high", "--service-tier", "flex", "Hello")
    body = prepare(tmp_path, *words)["body"]
    assert (body["reasoning"]["effort"], body["service_tier"]) == ("high", "flex")


@pytest.mark.deep
@pytest.mark.proves("providers-cassettes")
def test_a_known_secret_in_the_words_is_not_shown(tmp_path: Path) -> None:
    words = ("--model", "openai/m", "--system", f"The key is {KEY}", "Hello")
    shown = prepare(tmp_path, *words, HOUSE_API_KEY=KEY)
    assert KEY not in json.dumps(shown)


@pytest.mark.deep
@every("model", ["echo", "script:turns.jsonl"])
def test_what_sends_nothing_has_nothing_to_show(tmp_path: Path, model: str) -> None:
    (tmp_path / "turns.jsonl").write_text('{"text": "Hi"}\n')
    done = ouro("debug", "prepare", "--model", model, "Hello", cwd=tmp_path)
    assert done.returncode == 2
    assert "sends no request" in done.stderr


@pytest.mark.deep
def test_what_goes_through_litellm_is_shown_as_it_is_handed_over(tmp_path: Path) -> None:
    shown = prepare(tmp_path, "--model", "litellm/mistral/m", "Hello")
    assert shown["body"]["model"] == "mistral/m"
    assert shown["body"]["messages"][-1] == {"role": "user", "content": "Hello"}


@pytest.mark.deep
def test_a_model_that_is_not_known_is_refused(tmp_path: Path) -> None:
    assert ouro("debug", "prepare", "--model", "nobody/m", "Hi", cwd=tmp_path).returncode == 2
    assert ouro("debug", "prepare", cwd=tmp_path).returncode == 2


@pytest.mark.deep
def test_a_header_that_proves_is_not_shown(tmp_path: Path) -> None:
    configure("openai-chat", "http://127.0.0.1:9")
    with (Path(os.environ["OUROBOROS_HOME"]) / "config.toml").open("a") as file:
        file.write(f'headers = {{ X-Tenant-Token = "{KEY[3:]}", X-Tenant = "ours" }}\n')
    shown = prepare(tmp_path, "--model", "house/m", f"Say {KEY[3:]}", HOUSE_API_KEY=KEY)
    assert shown["headers"]["X-Tenant"] == "ours"
    assert shown["headers"]["X-Tenant-Token"] == "[REDACTED:key]"
    assert KEY[3:] not in json.dumps(shown)
