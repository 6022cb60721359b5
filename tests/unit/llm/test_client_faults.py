"""A client against a server on loopback that goes wrong in every way, in every wire format."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import anyio
import pytest
from msgspec.structs import replace

from ouroboros.core.errors import Failure, FailureKind
from ouroboros.core.parts import Message, Reasoning, Text
from ouroboros.llm.client import Client
from ouroboros.llm.opening import Connection, advice, open_client
from ouroboros.llm.providers import find
from ouroboros.llm.stream import BlockGrew, Failed, Finished, Retrying, StreamEvent
from ouroboros.llm.turns import Fault, FaultKind, Turn
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.server import ScriptedServer, serving
from tests.cases import every
from tests.unit.llm.fault_ground import (
    CALL,
    FORMATS,
    KEY,
    SOME,
    Setup,
    asked,
    listen,
    nobody,
    running,
    said,
    waits,
)

pytestmark = pytest.mark.real

OPAQUE = {
    "openai-chat": "",
    "ollama-chat": "",
    "openai-responses": "opaque_1_0",
    "gemini": "c2lnbmF0dXJl0001",
    "gemini-array": "c2lnbmF0dXJl0001",
}
"""What each format wants back of its thoughts; the others name it as Anthropic does."""

VENDORS = ("openai-chat", "openai", "anthropic", "google")
KEYS = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "GEMINI_API_KEY": KEY}


async def vendor_client(vendor: str, url: str, clock: ManualClock) -> Client:
    return await open_client(
        find(f"{vendor}/m", environment=KEYS, base_url=url),
        clock=clock,
        random=lambda: 0.5,
        connection=Connection(),
        sleep=clock.sleep,
    )


@asynccontextmanager
async def running_vendor(
    turns: Sequence[Turn], vendor: str
) -> AsyncGenerator[Setup[ScriptedServer]]:
    clock = ManualClock()
    async with serving(turns) as server:
        client = await vendor_client(vendor, server.url, clock)
        try:
            yield Setup(client, server, clock)
        finally:
            await client.close()


@pytest.mark.proves("A14")
@every("format", FORMATS)
async def test_retry_after_is_waited_for(format: str) -> None:
    turns = [Turn(fault=Fault(kind="rate_limit", retry_after_seconds=1)), Turn(text="done")]
    async with running(turns, format) as (client, server, clock):
        events, error = await listen(client, asked(format))
        assert error is None
        assert (said(events), waits(events), clock.slept) == ("done", [(1, 4, 1.0)], [1.0])
        assert (len(server.exchanges), server.connections) == (2, 1)


@pytest.mark.proves("A14")
@every("format", FORMATS)
async def test_a_server_that_stays_broken_ends_after_four_retries(format: str) -> None:
    turns = [Turn(fault=Fault(kind="server", times=10)), Turn(text="never")]
    async with running(turns, format) as (client, server, _):
        events, error = await listen(client, asked(format))
        assert error is not None
        assert (error.failure.kind, error.failure.status) == ("server", 500)
        assert error.hint == "hint: server"
        assert waits(events) == [(1, 4, 0.2), (2, 4, 0.4), (3, 4, 0.8), (4, 4, 1.6)]
        assert len(server.exchanges) == 5


@every("format", FORMATS)
async def test_a_refusal_without_words_names_the_address(format: str) -> None:
    turns = [Turn(fault=Fault(kind="invalid_request", status=404, body=""))]
    async with running(turns, format) as (client, server, _):
        _, error = await listen(client, asked(format))
        assert error is not None
        place = error.failure.message.removesuffix(" answered with status 404 and no message.")
        assert place.startswith(server.url)


@every("format", FORMATS)
async def test_a_wait_above_two_minutes_is_told_instead(format: str) -> None:
    turns = [Turn(fault=Fault(kind="rate_limit", retry_after_seconds=600))]
    async with running(turns, format) as (client, server, clock):
        _, error = await listen(client, asked(format))
        assert error is not None
        assert "600 seconds" in error.hint
        assert (len(server.exchanges), clock.slept) == (1, [])


@pytest.mark.proves("codex-4.3")
@every("format", SOME)
@every("kind", ["cut", "end", "reset"])
async def test_five_broken_streams_are_survived(format: str, kind: FaultKind) -> None:
    limit = 4 if kind == "reset" else 5
    fault = Fault(kind=kind, times=limit)
    async with running([Turn(text="x", fault=fault), Turn(text="done")], format) as run:
        events, error = await listen(run.client, asked(format))
        assert error is None
        assert said(events) == "done"
        assert waits(events) == [
            (number, limit, round(0.2 * 2 ** (number - 1), 3)) for number in range(1, limit + 1)
        ]


@pytest.mark.proves("codex-4.3")
@every("format", SOME)
async def test_the_sixth_broken_stream_is_the_last(format: str) -> None:
    turns = [Turn(text="x", fault=Fault(kind="cut", times=6)), Turn(text="never")]
    async with running(turns, format) as (client, server, _):
        events, error = await listen(client, asked(format))
        assert error is not None
        assert error.failure.kind == "transport"
        assert isinstance(events[-1], Failed)
        assert len(server.exchanges) == 6


@pytest.mark.deep
@pytest.mark.proves("spine-llm", "divergences-broken-stream")
@every("format", SOME)
@every("kind", ["cut", "end", "stall"])
async def test_after_visible_words_nothing_is_sent_again(format: str, kind: FaultKind) -> None:
    turn = Turn(text="Hello", chunk=1, fault=Fault(kind=kind, after=2))
    patience = 0.1 if kind == "stall" else 5.0
    async with running([turn], format, idle_timeout=patience) as (client, server, _):
        events, error = await listen(client, asked(format))
        assert error is not None
        assert error.failure.kind == ("timeout" if kind == "stall" else "transport")
        assert [event.text for event in events if isinstance(event, BlockGrew)] == ["H", "e"]
        ending = events[-1]
        assert isinstance(ending, Failed)
        assert [part.text for part in ending.parts if isinstance(part, Text)] == ["He"]
        assert len(server.exchanges) == 1


@pytest.mark.proves("spine-llm")
@every("format", FORMATS)
async def test_after_a_finished_call_nothing_is_sent_again(format: str) -> None:
    size = len(CALL.json)
    turn = Turn(tool_calls=(CALL, CALL), fault=Fault(kind="cut", after=size + 1))
    async with running([turn, Turn(text="no")], format) as (client, server, _):
        _, error = await listen(client, asked(format))
        assert error is not None
        assert len(server.exchanges) == 1


@every("format", FORMATS)
async def test_thoughts_alone_may_be_sent_for_again(format: str) -> None:
    turns = [
        Turn(reasoning="thinking", chunk=4, fault=Fault(kind="cut", after=4)),
        Turn(text="done"),
    ]
    async with running(turns, format) as (client, _, _):
        events, error = await listen(client, asked(format))
        assert error is None
        assert (said(events), waits(events)) == ("done", [(1, 5, 0.2)])


@pytest.mark.proves("H11")
@every("format", FORMATS)
async def test_an_error_inside_a_stream_is_typed_and_retried(format: str) -> None:
    turns = [Turn(fault=Fault(kind="rate_limit", in_stream=True)), Turn(text="done")]
    async with running(turns, format) as (client, _, _):
        events, error = await listen(client, asked(format))
        assert error is None
        assert (said(events), waits(events)) == ("done", [(1, 5, 0.2)])


@pytest.mark.proves("spine-bad-input")
@every("format", FORMATS)
async def test_garbage_in_a_stream_is_a_failure_and_no_crash(format: str) -> None:
    turn = Turn(text="Hello", chunk=1, fault=Fault(kind="garbage", after=2, times=9))
    async with running([turn], format) as (client, _, _):
        events, error = await listen(client, asked(format))
        assert error is not None
        assert isinstance(events[-1], Failed)


@pytest.mark.deep
@pytest.mark.proves("spine-bad-input", "providers-faults")
@every("format", FORMATS)
@every(
    "kind",
    [
        "auth",
        "permission",
        "quota",
        "model_not_found",
        "context_overflow",
        "content_policy",
        "invalid_request",
    ],
)
async def test_refusals_are_typed_and_not_repeated(format: str, kind: FailureKind) -> None:
    async with running([Turn(fault=Fault(kind=kind))], format) as (client, server, _):
        events, error = await listen(client, asked(format))
        assert error is not None
        assert (error.failure.kind, events) == (kind, [])
        assert error.failure.status is not None
        assert error.hint == f"hint: {kind}"
        assert len(server.exchanges) == 1


@every("vendor", VENDORS)
@every(
    ("kind", "hint"),
    [
        ("auth", "_API_KEY"),
        ("quota", "--model"),
        ("model_not_found", "'m'"),
        ("context_overflow", "compact"),
        ("content_policy", ""),
        ("server", "resume"),
    ],
)
async def test_a_refusal_comes_with_advice(vendor: str, kind: FailureKind, hint: str) -> None:
    async with running_vendor([Turn(fault=Fault(kind=kind, times=9))], vendor) as (client, _, _):
        _, error = await listen(client, asked("openai-chat"))
        assert error is not None
        assert error.failure.kind == kind
        assert hint in error.hint


def test_an_organization_that_is_not_verified_is_told_how_to_do_without() -> None:
    said = "Your organization must be verified to generate reasoning summaries."
    choice = find("openai/gpt-6.1-sol", environment={"OPENAI_API_KEY": KEY})
    hint = advice(choice, Failure(kind="invalid_request", message=said))
    assert '[providers.openai] dialect = { unsupported = ["reasoning.summary"] }' in hint
    assert advice(choice, Failure(kind="invalid_request", message="Odd.")) == ""


@every(("model", "word"), [("ollama/m", "loading"), ("groq/m", "resume")])
def test_a_local_model_may_take_its_time(model: str, word: str) -> None:
    choice = find(model, environment={"GROQ_API_KEY": KEY})
    said = advice(choice, Failure(kind="timeout", message="Nothing came for 120 s."))
    assert word in said


@pytest.mark.proves("H11")
@every("format", FORMATS)
@every("in_stream", [False, True])
async def test_a_key_the_server_echoes_is_taken_out(format: str, *, in_stream: bool) -> None:
    fault = Fault(kind="invalid_request", message=f"Bad key {KEY} here", in_stream=in_stream)
    async with running([Turn(fault=fault)], format) as (client, server, _):
        events, error = await listen(client, asked(format))
        assert error is not None
        assert "Bad key [key] here" in error.message
        shown = f"{error!r} {error.hint} {error.failure!r} {events!r} {error.__cause__!r}"
        assert KEY not in shown
        assert KEY in str(server.exchanges[0].headers)


@every("format", FORMATS)
async def test_a_page_instead_of_a_model_is_not_asked_again(format: str) -> None:
    fault = Fault(kind="server", status=200, body="<html>", headers={"content-type": "text/html"})
    async with running([Turn(fault=fault)], format) as (client, server, _):
        _, error = await listen(client, asked(format))
        assert error is not None
        assert "web page" in error.message
        assert server.url in error.message
        assert len(server.exchanges) == 1


@every("format", FORMATS)
async def test_a_redirect_is_told_and_not_followed(format: str) -> None:
    fault = Fault(kind="server", status=308, body="", headers={"location": "http://elsewhere/v1"})
    async with running([Turn(fault=fault)], format) as (client, server, _):
        _, error = await listen(client, asked(format))
        assert error is not None
        assert "http://elsewhere/v1" in error.message
        assert len(server.exchanges) == 1


@pytest.mark.deep
@pytest.mark.proves("H11")
@every("format", FORMATS)
@every(
    "fault",
    [
        Fault(
            kind="invalid_request",
            status=400,
            body=f'{{"error":{{"message":"No.","code":"{KEY}"}}}}',
        ),
        Fault(kind="invalid_request", status=400, body="{}", headers={"x-request-id": f"r-{KEY}"}),
        Fault(
            kind="invalid_request", status=307, body="", headers={"location": f"http://e/?k={KEY}"}
        ),
    ],
    ids=["code", "request id", "redirect"],
)
async def test_a_key_is_taken_out_of_all_that_a_refusal_says(format: str, fault: Fault) -> None:
    async with running([Turn(fault=fault)], format) as (client, _, _):
        _, error = await listen(client, asked(format))
        assert error is not None
        assert KEY not in f"{error!r} {error.failure!r}"
        assert "[key]" in f"{error!r} {error.failure!r}"


@pytest.mark.proves("providers-history")
@every("format", FORMATS)
async def test_stale_reasoning_is_stripped_once_and_sent_again(format: str) -> None:
    turns = [
        Turn(reasoning="thought", text="first"),
        Turn(fault=Fault(kind="stale_reasoning")),
        Turn(reasoning="afterthought", text="second"),
        Turn(text="third"),
        Turn(fault=Fault(kind="stale_reasoning", times=2)),
    ]
    async with running(turns, format) as (client, server, _):
        events, _ = await listen(client, asked(format))
        last = events[-1]
        assert isinstance(last, Finished)
        assert any(isinstance(part, Reasoning) for part in last.parts)
        reply = Message(id="a", role="assistant", parts=last.parts, origin=client.origin)
        again = Message(id="v", role="user", parts=(Text(text="again"),))
        first = asked(format)
        later = replace(first, messages=(*first.messages, reply, again))
        events, error = await listen(client, later)
        assert error is None
        assert (said(events), waits(events)) == ("second", [(1, 1, 0.0)])
        opaque = OPAQUE.get(format, "signature_1")
        with_it, without = (
            bool(opaque) and opaque in exchange.body for exchange in server.exchanges[1:3]
        )
        assert (with_it, without) == (opaque != "", False)
        last = events[-1]
        assert isinstance(last, Finished)
        fresh = Message(id="b", role="assistant", parts=last.parts, origin=client.origin)
        more = replace(later, messages=(*later.messages, fresh, replace(again, id="w")))
        events, error = await listen(client, more)
        assert (error, said(events), waits(events)) == (None, "third", [])
        sent = server.exchanges[3].body
        assert not opaque or (opaque not in sent and opaque.replace("1", "2") in sent)
        _, error = await listen(client, replace(more, messages=(*more.messages, reply, again)))
        assert error is not None
        assert error.failure.kind == "stale_reasoning"


@pytest.mark.proves("A11")
@every("format", SOME)
async def test_cancelling_closes_the_connection(format: str) -> None:
    turn = Turn(text="abcdefgh" * 50, chunk=1, pace_seconds=0.01)
    async with running([turn], format, repeat=True) as (client, server, _):
        heard: list[StreamEvent] = []
        with anyio.CancelScope() as scope:
            async with client.stream(asked(format)) as events:
                async for event in events:
                    heard += [event]
                    if len(heard) == 4:
                        scope.cancel()
        assert scope.cancelled_caught
        assert len(heard) == 4
        with anyio.fail_after(60):
            await server.all_closed()


async def test_leaving_early_closes_the_connection_and_the_next_reply_is_whole() -> None:
    turns = [Turn(text="abcdefgh", chunk=1, pace_seconds=0.1), Turn(text="done")]
    async with running(turns, "openai-chat") as (client, server, _):
        async with client.stream(asked("openai-chat")) as events:
            async for _event in events:
                break
        events, error = await listen(client, asked("openai-chat"))
        assert error is None
        assert (said(events), server.connections) == ("done", 2)


async def test_a_server_that_is_not_there_is_named() -> None:
    with nobody() as url:
        client = await vendor_client("openai-chat", url, ManualClock())
        events, error = await listen(client, asked("openai-chat"))
    assert error is not None
    assert url in error.message
    assert "Is the server running?" in error.hint
    assert [one.attempt for one in events if isinstance(one, Retrying)] == [1, 2, 3, 4]
