"""From a model's name to Bedrock's answer: address, signature over what arrives, stream, renewal."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import ModelFailed
from ouroboros.core.parts import Message, Text
from ouroboros.llm.opening import Connection, open_client
from ouroboros.llm.providers import find
from ouroboros.llm.request import Request
from ouroboros.llm.retry import Policy
from ouroboros.llm.stream import BlockGrew, Finished, StreamEvent
from ouroboros.testing.replies.event_stream import GARBAGE, event
from tests.unit.llm.aws_world import SECRET, Answer, Sent, World, key_in, proof

pytestmark = pytest.mark.real

ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5"
STREAM = "application/vnd.amazon.eventstream"
REPLY = b"".join(
    event(kind, json.dumps(body).encode())
    for kind, body in (
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Hello"}}),
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("messageStop", {"stopReason": "end_turn"}),
        ("metadata", {"usage": {"inputTokens": 3, "outputTokens": 2}}),
    )
)


@pytest.fixture
def world() -> Iterator[World]:
    world = World()
    yield world
    world.close()


@pytest.fixture
def files(fresh_home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Writes the key of the default profile."""
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    (fresh_home / ".aws").mkdir(parents=True)

    def write(key: str) -> None:
        text = f"[default]\naws_access_key_id={key}\naws_secret_access_key={SECRET}\n"
        (fresh_home / ".aws" / "credentials").write_text(text)

    return write


def whole(sent: Sent) -> Answer:
    return 200, STREAM, REPLY


def expired(sent: Sent) -> Answer:
    message = json.dumps({"message": f"The security token {SECRET} has expired"})
    return 403, "application/json", message.encode()


async def told(
    world: World,
    *,
    model: str = f"bedrock/{ARN}",
    environment: Mapping[str, str] | None = None,
    sleeps: list[float] | None = None,
) -> list[StreamEvent]:
    """The events of one request, asked as a run asks it."""
    named = {"AWS_REGION": "us-east-1", **(environment or {})}

    async def sleep(seconds: float) -> None:
        if sleeps is not None:
            sleeps.append(seconds)

    client = await open_client(
        find(model, environment=named, base_url=world.url),
        clock=SystemClock(),
        random=lambda: 0.5,
        connection=Connection(environment=named, policy=Policy(stream_retries=1)),
        sleep=sleep,
    )
    hello = Message(id="u", role="user", parts=(Text(text="Grüße"),))
    request = Request(model=model.partition("/")[2], messages=(hello,))
    try:
        async with client.stream(request) as events:
            return [one async for one in events]
    finally:
        await client.close()


@pytest.mark.deep
@pytest.mark.proves("H22")
async def test_what_arrives_is_what_was_signed(world: World, files: Callable[[str], None]) -> None:
    files("AKIDFILE")
    world.answers["/model/"] = whole
    events = await told(world)
    (sent,) = world.sent
    assert sent.path == (
        "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile"
        "%2Fus.anthropic.claude-sonnet-4-5/converse-stream"
    )
    assert sent.headers["authorization"] == proof(sent)
    assert key_in(sent.headers) == "AKIDFILE"
    assert sent.headers["host"] == world.url.removeprefix("http://")
    assert sent.headers["accept"].startswith(STREAM)
    assert json.loads(sent.body)["messages"][0]["content"][0] == {"text": "Grüße"}
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.parts == (Text(text="Hello"),)
    assert last.usage is not None
    assert last.usage.total == 5


@pytest.mark.proves("H22")
async def test_a_key_of_bedrocks_own_is_sent_as_it_is(world: World) -> None:
    world.answers["/model/"] = whole
    environment = {"AWS_BEARER_TOKEN_BEDROCK": "bedrock-key", "AWS_ACCESS_KEY_ID": "AKIDENV"}
    await told(world, environment=environment)
    (sent,) = world.sent
    assert sent.headers["authorization"] == "Bearer bedrock-key"
    assert "x-amz-date" not in sent.headers


@pytest.mark.proves("H22")
async def test_an_expired_token_is_renewed_once(world: World, files: Callable[[str], None]) -> None:
    files("AKIDOLD")

    def answer(sent: Sent) -> Answer:
        if key_in(sent.headers) == "AKIDNEW":
            return whole(sent)
        files("AKIDNEW")
        return expired(sent)

    world.answers["/model/"] = answer
    assert isinstance((await told(world))[-1], Finished)
    assert [key_in(sent.headers) for sent in world.sent] == ["AKIDOLD", "AKIDNEW"]
    assert all(sent.headers["authorization"] == proof(sent) for sent in world.sent)


async def test_credentials_that_stay_refused_end_it_and_are_not_shown(
    world: World, files: Callable[[str], None]
) -> None:
    files("AKIDOLD")
    world.answers["/model/"] = expired
    with pytest.raises(ModelFailed) as caught:
        await told(world)
    assert len(world.sent) == 1
    assert SECRET not in caught.value.message
    assert caught.value.failure.kind in {"auth", "permission"}


@pytest.mark.proves("providers-faults")
async def test_a_damaged_stream_is_asked_for_again_only_before_words_were_shown(
    world: World, files: Callable[[str], None]
) -> None:
    files("AKIDFILE")
    answers = [event("messageStart", b"{}") + GARBAGE, REPLY]
    world.answers["/model/"] = lambda sent: (200, STREAM, answers.pop(0))
    sleeps: list[float] = []
    assert isinstance((await told(world, sleeps=sleeps))[-1], Finished)
    assert (len(world.sent), len(sleeps)) == (2, 1)
    delta = json.dumps({"contentBlockIndex": 0, "delta": {"text": "Hel"}}).encode()
    world.answers["/model/"] = lambda sent: (
        200, STREAM, event("contentBlockDelta", delta) + GARBAGE)  # fmt: skip
    with pytest.raises(ModelFailed, match="damaged"):
        await told(world)
    assert len(world.sent) == 3


@pytest.mark.proves("providers-protocols")
async def test_invoke_speaks_the_makers_format(world: World, files: Callable[[str], None]) -> None:
    import base64

    files("AKIDFILE")
    inner = {"outputText": "Hi", "completionReason": "FINISH"}
    packed = base64.b64encode(json.dumps(inner).encode()).decode()
    body = event("chunk", json.dumps({"bytes": packed, "p": "abc"}).encode())
    world.answers["/model/"] = lambda sent: (200, STREAM, body)
    events = await told(world, model="bedrock-invoke/amazon.titan-text-lite-v1")
    assert [one.text for one in events if isinstance(one, BlockGrew)] == ["Hi"]
    assert world.sent[0].path == "/model/amazon.titan-text-lite-v1/invoke-with-response-stream"
    assert json.loads(world.sent[0].body)["inputText"] == "User: Grüße\nBot:"
    assert world.sent[0].headers["authorization"] == proof(world.sent[0])
