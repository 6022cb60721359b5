"""The quick transport against real sockets on loopback."""

import contextlib
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import SocketAttribute, SocketStream

import ouroboros
from ouroboros.core.errors import Misuse, ModelFailed
from ouroboros.llm.transport import HttpRequest
from ouroboros.llm.transport.http1 import Http1
from ouroboros.llm.turns import Fault, Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests.passing import hurrying, lingering, until
from tests.unit.llm.fault_ground import nobody

pytestmark = pytest.mark.real

BODY = b'{"model":"m","stream":true,"messages":[]}'
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def chat(server: ScriptedServer | str, **more: float | bytes) -> HttpRequest:
    url = server if isinstance(server, str) else server.url
    body = more.get("body", BODY)
    idle = more.get("idle_timeout", 5.0)
    assert isinstance(body, bytes)
    assert isinstance(idle, float)
    return HttpRequest(url=f"{url}/v1/chat/completions", body=body, idle_timeout=idle)


async def answer(transport: Http1, request: HttpRequest) -> tuple[int, bytes]:
    async with transport.send(request) as response:
        return response.status, await response.read()


@asynccontextmanager
async def raw(handle: Callable[[SocketStream], Awaitable[None]]) -> AsyncGenerator[str]:
    """A server that does as the test says with every connection."""
    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(listener.serve, handle)
        yield f"http://127.0.0.1:{listener.extra_attributes[SocketAttribute.local_port]()}"
        tasks.cancel_scope.cancel()


@pytest.fixture
async def transport() -> AsyncGenerator[Http1]:
    opened = Http1()
    yield opened
    await opened.close()


async def take(stream: SocketStream) -> bytes:
    """One request, whole."""
    content = b""
    while not content.endswith(BODY):
        content += await stream.receive()
    return content


async def fails(transport: Http1, request: HttpRequest) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        await answer(transport, request)
    return caught.value


async def test_fifty_requests_share_one_connection(transport: Http1) -> None:
    async with serving([Turn(text="x" * 10_000, chunk=50)], repeat=True) as server:
        await transport.warm(server.url)
        for _ in range(50):
            status, body = await answer(transport, chat(server))
            assert (status, body.count(b'"content"')) == (200, 201)
        assert (server.connections, len(server.exchanges)) == (1, 50)


async def test_a_request_waits_for_the_connection_that_is_being_made(transport: Http1) -> None:
    async with serving([Turn(text="x")]) as server, anyio.create_task_group() as tasks:
        tasks.start_soon(transport.warm, server.url)
        await anyio.lowlevel.checkpoint()
        assert (await answer(transport, chat(server)))[0] == 200
        assert server.connections == 1


@pytest.mark.proves("providers-connections")
async def test_warming_up_behind_the_first_request_makes_no_second_connection(
    transport: Http1,
) -> None:
    async with serving([Turn(text="x")]) as server:
        async with transport.send(chat(server)) as response:
            await transport.warm(server.url)
            await response.read()
        await transport.warm(server.url)
        assert server.connections == 1


async def test_warming_up_for_a_server_that_is_not_there_says_nothing(transport: Http1) -> None:
    with nobody() as url:
        await transport.warm(url)
        assert "refused" in (await fails(transport, chat(url))).message


async def test_a_reply_that_ends_a_moment_late_keeps_its_connection(transport: Http1) -> None:
    connections: list[SocketStream] = []

    async def handle(stream: SocketStream) -> None:
        connections.append(stream)
        async with stream:
            for _ in range(2):
                await take(stream)
                head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
                await stream.send(head + b"2\r\nok\r\n")
                await anyio.sleep(0.001)
                await stream.send(b"0\r\n\r\n")

    async with raw(handle) as url:
        with lingering(100):
            for _ in range(2):
                async with transport.send(chat(url)) as response:
                    async for chunk in response.chunks():
                        assert chunk == b"ok"
                        break
        assert len(connections) == 1


async def test_requests_at_the_same_time_have_connections_of_their_own(transport: Http1) -> None:
    async with serving([Turn(text="x", delay_seconds=0.05)], repeat=True) as server:
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(answer, transport, chat(server))
        await answer(transport, chat(server))
        assert server.connections == 3


@pytest.mark.proves("H25")
async def test_a_connection_the_server_has_closed_is_replaced_once(transport: Http1) -> None:
    seen: list[int] = []

    async def handle(stream: SocketStream) -> None:
        seen.append(len(seen))
        async with stream:
            await take(stream)
            await stream.send(OK)

    async with raw(handle) as url:
        for _ in range(3):
            assert await answer(transport, chat(url)) == (200, b"ok")
            await anyio.sleep(0.01)
        assert len(seen) == 3


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("closes", [True, False])
async def test_what_a_server_says_unasked_is_no_answer(transport: Http1, *, closes: bool) -> None:
    connections = 0
    said = anyio.Event()

    async def answer_and_complain(stream: SocketStream) -> None:
        nonlocal connections
        connections += 1
        async with stream:
            await take(stream)
            await stream.send(OK)
            if connections == 1:
                await anyio.lowlevel.checkpoint()
                await stream.send(b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n")
                if closes:
                    await stream.send_eof()
                said.set()
            with contextlib.suppress(anyio.EndOfStream):
                await stream.receive()

    async with raw(answer_and_complain) as url:
        assert await answer(transport, chat(url)) == (200, b"ok")
        await said.wait()
        await anyio.wait_all_tasks_blocked()
        assert await answer(transport, chat(url)) == (200, b"ok")
        assert connections == 2


@pytest.mark.proves("H25")
async def test_a_server_that_hangs_up_on_a_second_request_is_called_again(transport: Http1) -> None:
    asked: list[int] = []

    async def handle(stream: SocketStream) -> None:
        asked.append(0)
        place = len(asked) - 1
        async with stream:
            for _ in range(2):
                with contextlib.suppress(anyio.EndOfStream):
                    await take(stream)
                asked[place] += 1
                if asked[place] == 1:
                    await stream.send(OK)

    async with raw(handle) as url:
        for _ in range(2):
            assert await answer(transport, chat(url)) == (200, b"ok")
        assert asked[0] == 2
        assert len(asked) == 2


@pytest.mark.proves("H20")
@pytest.mark.parametrize("value", ["a\r\nx-injected: b", "a\nb", "a\rb", "a\0b", "käse"])
async def test_no_header_can_bring_another_one(transport: Http1, value: str) -> None:
    async with serving([Turn(text="x")]) as server:
        for headers in ({"x-tenant": value}, {f"x-{value}": "a"}):
            request = HttpRequest(url=f"{server.url}/v1/chat/completions", headers=headers)
            with pytest.raises(Misuse, match="no header may hold") as caught:
                await answer(transport, request)
            assert "\n" not in caught.value.message
        assert server.exchanges == []


async def test_a_server_that_closes_without_a_word_is_not_asked_for_ever(transport: Http1) -> None:
    seen: list[int] = []

    async def handle(stream: SocketStream) -> None:
        seen.append(1)
        async with stream:
            await take(stream)

    async with raw(handle) as url:
        error = await fails(transport, chat(url))
        assert (error.failure.kind, error.failure.retryable) == ("transport", True)
        assert url in error.message
        assert len(seen) == 1


@pytest.mark.proves("A30", "CF09")
async def test_the_request_says_who_we_are_and_nothing_else(transport: Http1) -> None:
    async with serving([Turn(text="x")]) as server:
        await answer(transport, chat(server))
        headers = server.exchanges[0].headers
        assert headers == {
            "host": server.url.removeprefix("http://"),
            "user-agent": f"ouroboros/{ouroboros.__version__}",
            "accept": "*/*",
            "accept-encoding": "identity",
            "content-length": str(len(BODY)),
        }


@pytest.mark.deep
async def test_large_bodies_arrive_whole(transport: Http1) -> None:
    body = b'{"model":"m","messages":[],"x":"' + b"a" * 30_000_000 + b'"}'
    async with serving([Turn(text="x")]) as server:
        status, _ = await answer(transport, chat(server, body=body))
        assert (status, len(server.exchanges[0].body)) == (200, len(body))


async def test_an_answer_before_the_body_was_read_is_heard(transport: Http1) -> None:
    async def handle(stream: SocketStream) -> None:
        async with stream:
            await stream.receive(1000)
            head = b"HTTP/1.1 413 No\r\ncontent-length: 3\r\nconnection: close\r\n\r\n"
            await stream.send(head + b"big")
            await stream.send_eof()
            with anyio.move_on_after(2), contextlib.suppress(anyio.EndOfStream):
                while True:
                    await stream.receive()

    async with raw(handle) as url:
        body = b"a" * 5_000_000
        assert await answer(transport, chat(url, body=body)) == (413, b"big")


@pytest.mark.proves("divergences-silence-of-a-stream")
async def test_nothing_for_the_idle_time_is_a_timeout(transport: Http1) -> None:
    async with serving([Turn(fault=Fault(kind="silent"))]) as server:
        error = await fails(transport, chat(server, idle_timeout=0.1))
        assert (error.failure.kind, error.failure.retryable) == ("timeout", True)
        assert "0.1 seconds" in error.message


@pytest.mark.deep
async def test_slow_bytes_are_life(transport: Http1) -> None:
    turn = Turn(text="abcdefgh", chunk=1, pace_seconds=15)
    async with serving([turn]) as server, hurrying(1.0):
        _, body = await answer(transport, chat(server, idle_timeout=60.0))
        assert b"[DONE]" in body


async def test_a_stream_that_falls_silent_is_a_timeout(transport: Http1) -> None:
    async with serving([Turn(text="abc", chunk=1, fault=Fault(kind="stall", after=1))]) as server:
        error = await fails(transport, chat(server, idle_timeout=0.1))
        assert error.failure.kind == "timeout"


async def test_a_stream_cut_in_the_middle_is_broken_off(transport: Http1) -> None:
    async with serving([Turn(text="abc", chunk=1, fault=Fault(kind="cut", after=1))]) as server:
        error = await fails(transport, chat(server))
        assert (error.failure.kind, error.failure.retryable) == ("transport", True)


@pytest.mark.proves("spine-bad-input")
async def test_a_refused_connection_names_the_address(transport: Http1) -> None:
    with nobody() as url:
        error = await fails(transport, chat(url))
    assert url in error.message
    assert "Is the server running?" in error.hint
    assert error.failure.kind == "transport"


async def test_a_host_that_never_accepts_is_a_timeout(transport: Http1) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        fillers = [socket.socket() for _ in range(3)]
        for filler in fillers:
            filler.settimeout(0)
            filler.connect_ex(("127.0.0.1", port))
        request = HttpRequest(url=f"http://127.0.0.1:{port}/", connect_timeout=0.2)
        with anyio.fail_after(60):
            error = await fails(transport, request)
        for filler in fillers:
            filler.close()
    assert error.failure.kind == "timeout"
    assert "0.2 seconds" in error.message


@pytest.mark.parametrize(
    "words",
    [b"SSH-2.0-OpenSSH_9.2\r\n\r\n", b"\x00\x01\x02\r\n\r\n", b"HTTP/1.1 999999 No\r\n\r\n"],
)
async def test_what_is_not_http_is_refused(transport: Http1, words: bytes) -> None:
    async def handle(stream: SocketStream) -> None:
        async with stream:
            await take(stream)
            await stream.send(words)

    async with raw(handle) as url:
        error = await fails(transport, chat(url))
        assert not error.failure.retryable
        assert "HTTP" in error.message


async def test_a_cancelled_answer_closes_its_connection(transport: Http1) -> None:
    turn = Turn(text="abcdefgh" * 100, chunk=1, pace_seconds=0.01)
    async with serving([turn], repeat=True) as server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer, transport, chat(server))
            await until(lambda: server.exchanges)
            tasks.cancel_scope.cancel()
        with anyio.fail_after(60):
            await server.all_closed()
        assert server.connections == 1


async def test_a_cancel_while_the_last_bytes_are_awaited_closes_the_connection(
    transport: Http1,
) -> None:
    closed = anyio.Event()

    async def handle(stream: SocketStream) -> None:
        async with stream:
            await take(stream)
            head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
            await stream.send(head + b"2\r\nok\r\n")
            with contextlib.suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                await stream.receive()
            closed.set()

    async with raw(handle) as url:
        with anyio.CancelScope() as scope:
            async with transport.send(chat(url)) as response:
                assert response.status == 200
                scope.cancel()
        with anyio.fail_after(60):
            await closed.wait()


async def test_a_transport_that_was_closed_keeps_no_connection() -> None:
    opened = Http1()
    async with serving([Turn(text="x")], repeat=True) as server:
        async with opened.send(chat(server)) as response:
            await opened.close()
            assert b"[DONE]" in await response.read()
        with anyio.fail_after(60):
            await server.all_closed()


async def test_an_answer_left_early_closes_its_connection(transport: Http1) -> None:
    turns = [Turn(text="abcdefgh", chunk=1, pace_seconds=0.2), Turn(text="short")]
    async with serving(turns) as server:
        async with transport.send(chat(server)) as response:
            assert response.status == 200
        status, _ = await answer(transport, chat(server))
        assert (status, server.connections) == (200, 2)


async def test_one_chunk_for_each_read_however_many_events_came(transport: Http1) -> None:
    async with serving([Turn(text="x" * 1000, chunk=10)]) as server:
        async with transport.send(chat(server)) as response:
            chunks = [chunk async for chunk in response.chunks()]
        assert len(chunks) <= 3
        assert b"".join(chunks).endswith(b"data: [DONE]\n\n")


async def test_names_work(transport: Http1) -> None:
    async with serving([Turn(text="x")]) as server:
        url = server.url.replace("127.0.0.1", "localhost")
        status, _ = await answer(transport, chat(url))
        assert (status, server.exchanges[0].headers["host"]) == (200, url.removeprefix("http://"))


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
async def test_ipv6_works(transport: Http1) -> None:
    async def handle(stream: SocketStream) -> None:
        async with stream:
            assert b"host: [::1]:" in await take(stream)
            await stream.send(OK)

    async with (
        await anyio.create_tcp_listener(local_host="::1") as listener,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(listener.serve, handle)
        port = listener.extra_attributes[SocketAttribute.local_port]()
        assert await answer(transport, chat(f"http://[::1]:{port}")) == (200, b"ok")
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    "url", ["ftp://x", "nonsense", "http://a b/", "http://h/\r\nx: y", "http://é/"]
)
async def test_an_address_that_is_none_is_misuse(transport: Http1, url: str) -> None:
    with pytest.raises(Misuse):
        await answer(transport, HttpRequest(url=url))


def test_a_request_never_shows_its_headers() -> None:
    shown = HttpRequest(url="http://h/v1", headers={"authorization": "Bearer sk-1"}, body=b"sk-1")
    assert "sk-1" not in repr(shown) + str(shown.__rich_repr__())
