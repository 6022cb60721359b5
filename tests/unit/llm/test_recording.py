"""A recording of what a recording plays is the same recording, and holds no secret of either."""

import json
from base64 import b64encode

import pytest
from msgspec.structs import replace

from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.llm.cassettes.cassette import Cassette, Exchange, parse
from ouroboros.llm.cassettes.playback import Player, Playing
from ouroboros.llm.cassettes.recording import Recording
from ouroboros.llm.cassettes.tap import Setup
from ouroboros.llm.transport import HttpRequest
from ouroboros.safety.leaks import Leaks
from tests.cases import every

SECRET = "correct-horse-battery-staple"
MARK = "[REDACTED:KEY]"
URL = "http://gate.example/v1/chat"
REQUEST = HttpRequest(url=URL, body=b'{"said":"Hello"}')
PLAIN = Exchange(method="POST", url=URL, request='{"said":"Hello"}', status=200, answer="data: {}")
BROKEN = Failure(kind="transport", message="The line went dead.", retryable=True)
BINARY = b64encode(b"\x00\x01\xff frames").decode()


def playing(exchange: Exchange, *, strict: bool = False) -> Playing:
    return Playing(Cassette(exchanges=[exchange]), "tape", Leaks({"KEY": SECRET}), strict=strict)


async def again(
    exchange: Exchange, request: HttpRequest = REQUEST, setup: Setup | None = None
) -> tuple[Cassette, str, Failure | None]:
    """What is recorded while the exchange is played, as a cassette and as text, and how it ended."""
    recording = Recording(Leaks({"KEY": SECRET}))
    recording.setup = setup or Setup()
    failure: Failure | None = None
    try:
        async with recording.transport(Player(playing(exchange))).send(request) as response:
            async for _ in response.chunks():
                pass
    except ModelFailed as failed:
        failure = failed.failure
    content = recording.encode()
    return parse(content, "tape"), content.decode(), failure


@pytest.mark.proves("X04")
@every(
    "exchange",
    [
        PLAIN,
        replace(PLAIN, status=429, answer_headers={"retry-after": "3", "x-request-id": "r"}),
        replace(PLAIN, answer=BINARY, encoding="base64"),
        replace(PLAIN, failure=BROKEN),
        replace(PLAIN, answer="", failure=BROKEN),
        replace(PLAIN, status=0, answer="", failure=BROKEN),
    ],
)
async def test_what_is_played_is_recorded_as_it_was(exchange: Exchange) -> None:
    cassette, _, failure = await again(exchange)
    assert cassette.exchanges == [exchange]
    assert failure == exchange.failure


@pytest.mark.proves("X04")
@every(
    "name",
    [
        "Authorization",
        "Proxy-Authorization",
        "Cookie",
        "X-Api-Key",
        "Api-Key",
        "X-Goog-Api-Key",
        "X-Amz-Security-Token",
        "X-Gateway",
    ],
)
async def test_only_headers_that_can_hold_no_secret_are_kept(name: str) -> None:
    sent = replace(REQUEST, headers={name: "anything", "Content-Type": "application/json"})
    given = {"set-cookie": "sid=1", name.lower(): "anything", "content-type": "text/plain"}
    cassette, _, _ = await again(replace(PLAIN, answer_headers=given), sent)
    [exchange] = cassette.exchanges
    assert exchange.headers == {"Content-Type": "application/json"}
    assert exchange.answer_headers == {"content-type": "text/plain"}


KEYED = f"http://gate.example/{SECRET}/v1"
MARKED = "http://gate.example/redacted-KEY/v1"


@pytest.mark.proves("X04")
@every(
    ("exchange", "request_", "setup"),
    [
        (PLAIN, replace(REQUEST, body=f'{{"said":"{SECRET}"}}'.encode()), None),
        (replace(PLAIN, answer=f'data: {{"note":"{SECRET}"}}'), REQUEST, None),
        (replace(PLAIN, failure=replace(BROKEN, message=f"No {SECRET}.")), REQUEST, None),
        (replace(PLAIN, answer_headers={"x-request-id": SECRET}), REQUEST, None),
        (replace(PLAIN, url=f"{MARKED}/chat"), replace(REQUEST, url=f"{KEYED}/chat"), None),
        (PLAIN, REQUEST, Setup(model="own/m", base_url=KEYED)),
    ],
    ids=["request", "answer", "failure", "header", "address", "setup"],
)
async def test_a_secret_is_marked_wherever_it_stands(
    exchange: Exchange, request_: HttpRequest, setup: Setup | None
) -> None:
    _, text, _ = await again(exchange, request_, setup)
    assert SECRET not in text
    assert MARK in text or MARKED in text


async def test_what_is_learned_from_a_later_request_is_marked_in_an_earlier_one() -> None:
    recording = Recording(Leaks({}))
    for headers, said in (({}, SECRET), ({"authorization": f"Bearer {SECRET}"}, "Hi")):
        request = HttpRequest(url=URL, headers=headers, body=json.dumps({"said": said}).encode())
        async with recording.transport(Player(playing(PLAIN))).send(request):
            pass
    assert SECRET.encode() not in recording.encode()


@pytest.mark.proves("X04")
@every(
    "answer",
    [
        b"\x00\x01" + SECRET.encode(),
        b"\x00\xff AKIAQ3EGRNJ5VZ7TUVKW \xff",
        b'\x00{"bytes":"%b"}\x00' % b64encode(f'{{"text":"{SECRET}"}}'.encode()),
    ],
)
async def test_bytes_with_a_secret_are_withheld(answer: bytes) -> None:
    given = replace(PLAIN, answer=b64encode(answer).decode(), encoding="base64")
    cassette, _, _ = await again(given)
    [exchange] = cassette.exchanges
    assert (exchange.withheld, exchange.answer, exchange.encoding) == (True, "", "base64")


@pytest.mark.proves("X04")
@every(
    ("then", "now"),
    [
        (
            "<current_date>2026-01-01</current_date>",
            "<current_date>2027-12-31</current_date>",
        ),
        ("ses_" + "0" * 20, "ses_" + "z" * 20),
        ("call_" + "a1" * 10, "call_" + "b2" * 10),
        (SECRET, MARK),
        ("sk-" + "a1B2" * 8, "sk-" + "c3D4" * 8),
    ],
)
async def test_what_passes_does_not_make_a_request_another_one(then: str, now: str) -> None:
    cassette, _, _ = await again(PLAIN, replace(REQUEST, body=then.encode()))
    played = playing(cassette.exchanges[0], strict=True)
    assert played.next(replace(REQUEST, body=now.encode())).answer == PLAIN.answer
    assert played.differing == []
