"""Answers that are odd as HTTP: compressed, mislabelled, endless, or no answer at all."""

import zlib
from collections.abc import Sequence

import pytest

from ouroboros.llm.stream import Failed
from ouroboros.llm.transport.inflate import PIECE_BYTES
from ouroboros.llm.turns import Turn
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.raw import LAST, Answer, Close, Pause, Speech, Step, chunk, head
from tests.cases import every
from tests.unit.llm.fault_ground import (
    FEW,
    FORMATS,
    asked,
    client_for,
    facing,
    listen,
    nobody,
    said,
)

pytestmark = pytest.mark.real

WORDS = "Hello there, this is a reply."
TURN = Turn(text=WORDS, chunk=4)
MEBI = 1_048_576


def gzipped(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=31)
    return packer.compress(content) + packer.flush()


def packed_head(speech: Speech, coding: str) -> bytes:
    return head({
        "content-type": speech.speaks.manner.kind,
        "content-encoding": coding,
        "transfer-encoding": "chunked",
    })


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", FEW)
@every("coding", ["gzip", "deflate"])
async def test_a_body_that_was_compressed_on_the_way_is_read(format: str, coding: str) -> None:
    def packed(speech: Speech) -> Sequence[Step]:
        half = len(speech.body) // 2
        pack = gzipped if coding == "gzip" else zlib.compress
        if coding == "gzip":  # in two members, each legal by itself
            content = pack(speech.body[:half]) + pack(speech.body[half:])
        else:
            content = pack(speech.body)
        pieces = [content[:7], content[7:40], content[40:]]
        return [packed_head(speech, coding), *map(chunk, pieces), LAST]

    async with facing([packed], TURN, format) as (client, server, _):
        events, error = await listen(client, asked(format))
        assert (error, said(events)) == (None, WORDS)
        assert server.exchanges[0].headers["accept-encoding"] == "identity"


async def test_a_compressed_body_may_unpack_to_a_multiple_of_what_is_taken_at_a_time() -> None:
    words = "ha" * (PIECE_BYTES * 3 // 2)

    def packed(speech: Speech) -> Sequence[Step]:
        content = gzipped(speech.body)
        assert len(content) < MEBI // 50
        return [packed_head(speech, "gzip"), chunk(content), LAST]

    async with facing([packed], Turn(text=words), "openai-chat") as (client, _, _):
        events, error = await listen(client, asked("openai-chat"))
        assert (error, said(events) == words) == (None, True)


@pytest.mark.proves("providers-faults")
@every("cut", [5, 60])
async def test_a_compressed_body_that_is_cut_or_damaged_is_a_broken_stream(cut: int) -> None:
    def broken(speech: Speech) -> Sequence[Step]:
        content = gzipped(speech.body)[:cut]
        return [packed_head(speech, "gzip"), chunk(content), LAST]

    def damaged(speech: Speech) -> Sequence[Step]:
        content = b"\x1f\x8b\x08" + b"\xff" * 50
        return [packed_head(speech, "gzip"), chunk(content), LAST]

    for answer in (broken, damaged):
        async with facing([answer], TURN, "openai-chat") as (client, _, _):
            events, error = await listen(client, asked("openai-chat"))
            assert isinstance(events[-1], Failed)
            assert error is not None
            assert (error.failure.kind, error.failure.retryable) == ("transport", True)
            assert "compressed answer" in error.message


async def test_a_compression_nobody_knows_is_told_and_not_asked_for_again() -> None:
    def strange(speech: Speech) -> Sequence[Step]:
        return [packed_head(speech, "br"), chunk(speech.body), LAST]

    async with facing([strange], TURN, "openai-chat") as (client, server, _):
        _, error = await listen(client, asked("openai-chat"))
        assert error is not None
        assert "'br'" in error.message
        assert len(server.exchanges) == 1


async def test_a_refusal_may_be_compressed_too() -> None:
    def refused(_: Speech) -> Sequence[Step]:
        body = gzipped(b'{"error":{"message":"Incorrect API key provided."}}')
        lines = {"content-encoding": "gzip", "content-length": str(len(body))}
        return [head(lines, "HTTP/1.1 401 No"), body]

    async with facing([refused], TURN, "openai-chat") as (client, _, _):
        _, error = await listen(client, asked("openai-chat"))
        assert error is not None
        assert (error.failure.kind, error.message) == ("auth", "Incorrect API key provided.")


@pytest.mark.parametrize("format", FEW)
@every("kind", ["text/plain", "application/octet-stream", ""])
async def test_a_stream_without_its_label_is_read_all_the_same(format: str, kind: str) -> None:
    def mislabelled(speech: Speech) -> Sequence[Step]:
        label = {"content-type": kind} if kind else {}
        return [head({**label, "transfer-encoding": "chunked"}), chunk(speech.body), LAST]

    async with facing([mislabelled], TURN, format) as (client, _, _):
        events, error = await listen(client, asked(format))
        assert (error, said(events)) == (None, WORDS)


@pytest.mark.proves("providers-faults")
@every("format", FORMATS)
async def test_a_stream_with_a_false_label_is_an_answer_or_a_typed_failure(format: str) -> None:
    def false(speech: Speech) -> Sequence[Step]:
        label = {"content-type": "application/json", "transfer-encoding": "chunked"}
        return [head(label), chunk(speech.body), LAST]

    async with facing([false], TURN, format) as (client, _, _):
        events, error = await listen(client, asked(format))
        if format in {"ollama-chat", "gemini", "gemini-array"}:
            assert said(events) == WORDS
        else:
            assert error is not None
            assert error.failure.kind == "transport"


@pytest.mark.deep
@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", FEW)
@pytest.mark.parametrize("mebibytes", [20, pytest.param(100, marks=pytest.mark.soak)])
async def test_a_line_without_an_end_is_a_typed_failure(format: str, mebibytes: int) -> None:
    """What is sent never ends a frame; the connection goes with it."""

    def endless(speech: Speech) -> Sequence[Step]:
        if "eventstream" in speech.speaks.manner.kind:
            start = b"\x7f\xff\xff\xff"
        elif format == "ollama-chat":
            start = b'{"message":{"content":"'
        else:
            start = b'data: {"x":"'
        line = chunk(b"a" * MEBI)
        return [speech.head, chunk(start), *([line] * mebibytes), Close()]

    async with facing([endless], TURN, format) as (client, _, _):
        _, error = await listen(client, asked(format))
        assert error is not None
        assert error.failure.kind == "transport"


NO_ANSWERS: dict[str, Sequence[Step]] = {
    "nothing": [Close()],
    "a reset": [Close(reset=True)],
    "half a head": [b"HTTP/1.1 200 OK\r\ncontent-ty", Close()],
    "a head alone": [b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n", Close()],
    "silence": [Pause(3600)],
    "silence behind a head": [b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n", Pause(3600)],
}


@pytest.mark.deep
@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", FEW)
@every("name", NO_ANSWERS)
async def test_no_answer_is_survived(format: str, name: str) -> None:
    answers: list[Answer] = [lambda _: NO_ANSWERS[name], lambda speech: [speech.whole]]
    patience = 0.1 if "silence" in name else 5.0
    async with facing(answers, TURN, format, idle_timeout=patience) as (client, server, clock):
        events, error = await listen(client, asked(format))
        assert (error, said(events)) == (None, WORDS)
        assert (len(server.exchanges), clock.slept) == (2, [0.2])


@pytest.mark.proves("H11")
@pytest.mark.parametrize("format", FEW)
async def test_a_refusal_that_breaks_off_is_told_by_its_status(format: str) -> None:
    refused = b"HTTP/1.1 401 No\r\ncontent-length: 50\r\n\r\n{"
    async with facing([lambda _: [refused, Close()]], TURN, format) as (client, server, _):
        _, error = await listen(client, asked(format))
        assert error is not None
        assert (error.failure.kind, error.failure.status) == ("auth", 401)
        assert len(server.exchanges) == 1


def plain_head(length: int) -> bytes:
    return head({"content-type": "application/json", "content-length": str(length)})


@pytest.mark.proves("providers-faults")
@every("format", [name for name in FORMATS if name != "invoke-nova"])
async def test_a_whole_reply_that_is_cut_is_asked_for_again(format: str) -> None:
    answers: list[Answer] = [
        lambda speech: [plain_head(len(speech.plain)), speech.plain[:-9], Close()],
        lambda speech: [plain_head(len(speech.plain) - 9), speech.plain[:-9]],
        lambda speech: [plain_head(len(speech.plain)), speech.plain],
    ]
    async with facing(answers, TURN, format) as (client, server, _):
        events, error = await listen(client, asked(format, stream=False))
        assert (error, said(events)) == (None, WORDS)
        assert len(server.exchanges) == 3


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", FEW)
async def test_a_server_that_is_not_there_is_named_in_every_format(format: str) -> None:
    with nobody() as url:
        client = client_for(format, url, ManualClock())
        _, error = await listen(client, asked(format))
    assert error is not None
    assert url in error.message
    assert error.failure.kind == "transport"
