"""The scripted server as tests and benchmarks use it."""

import signal
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import msgspec
import pytest

from ouroboros.llm.transport import HttpRequest
from ouroboros.llm.transport.http1 import Http1
from ouroboros.llm.turns import Turn
from ouroboros.testing.ids import SequentialIds
from ouroboros.testing.server import serving

pytestmark = pytest.mark.real

CHAT = b'{"model":"m","stream":true,"messages":[%b]}'
REPLIED = b'{"role":"assistant","content":"one"}'


async def ask(transport: Http1, url: str, body: bytes, path: str = "/chat/completions") -> bytes:
    async with transport.send(HttpRequest(url=f"{url}/v1{path}", body=body)) as response:
        return await response.read()


@pytest.fixture
async def transport() -> AsyncGenerator[Http1]:
    opened = Http1()
    yield opened
    await opened.close()


async def test_the_history_says_whose_turn_it_is(transport: Http1) -> None:
    turns = [Turn(text="first"), Turn(text="second")]
    async with serving(turns, order="history") as server:
        for _ in range(2):
            assert b"first" in await ask(transport, server.url, CHAT % b"")
        assert b"second" in await ask(transport, server.url, CHAT % REPLIED)
        assert b"asked for reply 3" in await ask(
            transport, server.url, CHAT % (REPLIED + b"," + REPLIED)
        )


async def test_in_sequence_each_request_has_the_next_turn(transport: Http1) -> None:
    async with serving([Turn(text="first"), Turn(text="second")], repeat=True) as server:
        replies = [await ask(transport, server.url, CHAT % b"") for _ in range(3)]
        assert [b"first" in reply for reply in replies] == [True, False, True]


@pytest.mark.parametrize("path", ["/chat/completions", "/responses", "/messages"])
@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"messages":3,"input":3}', b"\xff"])
async def test_a_body_that_is_none_is_answered_with_an_error(
    transport: Http1, path: str, body: bytes
) -> None:
    async with serving([Turn(text="x")]) as server:
        request = HttpRequest(url=f"{server.url}/v1{path}", body=body)
        async with transport.send(request) as response:
            assert response.status == 400
            assert b"not understood" in await response.read()


@pytest.mark.parametrize(
    "words",
    [
        b"nonsense\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: -4\r\n\r\n",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    ],
)
async def test_a_request_that_is_none_ends_its_connection_alone(
    transport: Http1, words: bytes
) -> None:
    async with serving([Turn(text="x")]) as server:
        port = int(server.url.rpartition(":")[2])
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            await stream.send(words)
            with pytest.raises(anyio.EndOfStream):
                await stream.receive()
        assert b'"x"' in await ask(transport, server.url, CHAT % b"")


async def test_clients_that_send_their_body_in_chunks_are_understood() -> None:
    head = b"POST /v1/chat/completions HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n"
    body = CHAT % b""
    chunks = b"".join(b"%x\r\n%b\r\n" % (1, body[at : at + 1]) for at in range(len(body)))
    async with serving([Turn(text="Hello")], repeat=True) as server:
        port = int(server.url.rpartition(":")[2])
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            for _ in range(2):
                await stream.send(head + chunks + b"0\r\n\r\n")
                answer = b""
                while not answer.endswith(b"0\r\n\r\n"):
                    answer += await stream.receive()
                assert b"Hello" in answer
        assert [exchange.body for exchange in server.exchanges] == [body.decode()] * 2


async def test_timings_tell_the_gap_between_answers(transport: Http1) -> None:
    async with serving([Turn(text="x")], repeat=True) as server:
        for _ in range(3):
            await ask(transport, server.url, CHAT % b"")
        request = HttpRequest(url=f"{server.url}/-/timings", method="GET")
        async with transport.send(request) as response:
            timings = msgspec.json.decode(await response.read(), type=list[dict[str, float | None]])
        assert [one["number"] for one in timings] == [1, 2, 3, 4]
        assert len(server.gaps) == 3
        assert all(gap > 0 for gap in server.gaps)


@pytest.mark.deep
async def test_as_a_process_it_records_and_tells_its_address(
    tmp_path: Path, transport: Http1
) -> None:
    script = tmp_path / "turns.jsonl"
    script.write_text('{"text":"Hello"}\n')
    words = ["--script", str(script), "--record", str(tmp_path / "record"), "--repeat"]
    command = [sys.executable, "-m", "ouroboros.testing.server", *words]
    async with await anyio.open_process(command, stderr=None) as process:
        assert process.stdout is not None
        url = (await process.stdout.receive()).decode().strip()
        for _ in range(2):
            assert b"Hello" in await ask(transport, url, CHAT % b"")
        process.send_signal(signal.SIGTERM)
        with anyio.fail_after(60):
            assert await process.wait() == 0
    names = sorted(path.name for path in (tmp_path / "record").iterdir())
    assert names == ["0001.json", "0002.json", "timings.json"]
    first = msgspec.json.decode((tmp_path / "record" / "0001.json").read_bytes())
    assert (first["path"], first["body"]) == ("/v1/chat/completions", (CHAT % b"").decode())


def test_sequential_ids_count_for_each_prefix() -> None:
    ids = SequentialIds()
    assert [ids.new("a"), ids.new("b"), ids.new("a")] == ["a_1", "b_1", "a_2"]
