"""`ouro run` on Bedrock: signed requests, a tool in between, and what a person reads without keys."""

import base64
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from anyio import to_thread

from ouroboros.llm.turns import Fault, ScriptedCall, Turn
from ouroboros.testing.prefix import breaches
from ouroboros.testing.replies.event_stream import event
from ouroboros.testing.server import serving
from tests.story.test_cli_run import ouro
from tests.unit.llm.aws_world import SECRET, Sent, World, proof

KEYS = {"AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "eu-west-1"}
NO_KEYS = {"AWS_REGION": "eu-west-1", "AWS_EC2_METADATA_DISABLED": "true"}
LOOKS = Turn(text="I look.", tool_calls=(ScriptedCall(name="shell", arguments={"command": "ls"}),))


async def run(tmp_path: Path, model: str, url: str, **environment: str) -> Any:
    named = {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url, **environment}
    words = ("run", "--model", model, "--mode", "full-auto", "Look around")
    return await to_thread.run_sync(lambda: ouro(*words, cwd=tmp_path, **named))


@pytest.mark.proves("H22")
@pytest.mark.parametrize(
    ("model", "verb"),
    [
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "converse-stream"),
        pytest.param(
            "bedrock-invoke/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "invoke-with-response-stream",
            marks=pytest.mark.deep,
        ),
        pytest.param(
            "bedrock-invoke/us.amazon.nova-lite-v1:0",
            "invoke-with-response-stream",
            marks=pytest.mark.deep,
        ),
    ],
)
async def test_a_run_with_a_tool(tmp_path: Path, model: str, verb: str) -> None:
    (tmp_path / "seen.txt").touch()
    async with serving([LOOKS, Turn(text="All seen.")]) as server:
        done = await run(tmp_path, model, server.url, **KEYS)
    assert (done.returncode, done.stdout) == (0, "All seen.\n"), done.stderr
    first, second = server.exchanges
    assert first.path.endswith(f"%3A0/{verb}")
    for exchange in (first, second):
        headers = {name.lower(): value for name, value in exchange.headers.items()}
        sent = Sent("POST", exchange.path, headers, exchange.body.encode())
        assert headers["authorization"] == proof(sent)
        assert "/eu-west-1/bedrock/" in headers["authorization"]
    assert "seen.txt" in str(msgspec.json.decode(second.body)["messages"][-1])
    assert breaches([first.body.encode(), second.body.encode()], summary="\0", question="\0") == []


@pytest.mark.deep
@pytest.mark.proves("H19")
async def test_a_model_that_completes_a_text_is_told_to_write_its_calls(tmp_path: Path) -> None:
    chunk = {"generation": "Done.", "stop_reason": "stop"}
    world = World()
    body = json.dumps({"bytes": base64.b64encode(json.dumps(chunk).encode()).decode()})
    raw = event("chunk", body.encode())
    world.answers["/model/"] = lambda sent: (200, "application/vnd.amazon.eventstream", raw)
    done = await run(
        tmp_path, "bedrock-invoke/us.meta.llama3-3-70b-instruct-v1:0", world.url, **KEYS
    )
    world.close()
    assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr
    prompt = json.loads(world.sent[0].body)["prompt"]
    assert prompt.startswith("<|begin_of_text|><|start_header_id|>system")
    assert "```sh" in prompt
    assert "Look around<|eot_id|>" in prompt


@pytest.mark.deep
async def test_an_exception_in_the_stream_is_tried_again(tmp_path: Path) -> None:
    busy = Turn(text="never seen", fault=Fault(kind="overloaded", in_stream=True))
    async with serving([busy, Turn(text="Now.")]) as server:
        done = await run(tmp_path, "bedrock/amazon.nova-lite-v1:0", server.url, **KEYS)
    assert (done.returncode, done.stdout) == (0, "Now.\n"), done.stderr
    assert len(server.exchanges) == 2


@pytest.mark.deep
@pytest.mark.proves("H22")
async def test_without_credentials_the_person_reads_what_to_set(tmp_path: Path) -> None:
    async with serving([Turn(text="never")]) as server:
        done = await run(tmp_path, "bedrock/amazon.nova-lite-v1:0", server.url, **NO_KEYS)
    assert done.returncode == 1
    assert "No AWS credentials were found" in done.stderr
    assert "AWS_BEARER_TOKEN_BEDROCK" in done.stderr
    assert server.exchanges == []


@pytest.mark.deep
def test_without_a_region_the_person_reads_what_to_set(tmp_path: Path) -> None:
    done = ouro("run", "--model", "bedrock/amazon.nova-lite-v1:0", "Hi", cwd=tmp_path)
    assert done.returncode == 2
    assert "AWS_REGION" in done.stderr
