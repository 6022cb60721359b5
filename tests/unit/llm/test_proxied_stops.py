"""What holds of a stop and of silence without a proxy holds behind one, in the open and in a tunnel."""

import ssl
import statistics
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Literal

import anyio
import pytest
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.tls import TLSListener

from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import ModelFailed
from ouroboros.llm.transport import HttpRequest
from ouroboros.llm.transport.proxied import Proxied
from ouroboros.llm.transport.reach import Tls
from tests.cases import deep_after, every
from tests.unit.llm.proxy_parts import proxying
from tests.unit.llm.tls_parts import Papers, key

pytestmark = pytest.mark.real

type Way = Literal["open", "tunnel"]

WAYS: tuple[Way, ...] = ("open", "tunnel")
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
PLACES = {"before the head": b"", "behind the head": HEAD, "in mid-reply": HEAD + b"2\r\nhi\r\n"}
CLOCK = SystemClock()


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    return Papers(tmp_path_factory.mktemp("papers")).make()


class Silent:
    """Sends so much of an answer, falls silent, and notes when it is hung up on."""

    def __init__(self, sent: bytes, *, is_deaf: bool = False) -> None:
        """A deaf one does not notice that it is hung up on, and says no goodbye."""
        self.url = ""
        self._is_deaf = is_deaf
        self.silent, self.hung_up = anyio.Event(), anyio.Event()
        self.silent_at = self.hung_up_at = 0.0
        self._sent = sent

    async def handle(self, stream: ByteStream) -> None:
        """One request."""
        try:
            async with stream:
                content = b""
                while not content.endswith(b"{}"):
                    content += await stream.receive()
                if self._sent:
                    await stream.send(self._sent)
                self.silent_at = CLOCK.monotonic()
                self.silent.set()
                if self._is_deaf:
                    await anyio.sleep_forever()
                await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            self.hung_up_at = CLOCK.monotonic()
            self.hung_up.set()


@asynccontextmanager
async def silent_server(
    way: Way, papers: Papers, sent: bytes, *, is_deaf: bool = False
) -> AsyncGenerator[Silent]:
    server = Silent(sent, is_deaf=is_deaf)
    plain = await anyio.create_tcp_listener(local_host="127.0.0.1")
    listener = plain
    if way == "tunnel":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(papers.server, key(papers.server))
        listener = TLSListener(plain, context, standard_compatible=False)
    scheme = "https" if way == "tunnel" else "http"
    server.url = f"{scheme}://127.0.0.1:{plain.extra_attributes[SocketAttribute.local_port]()}/v1"
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, server.handle)
        yield server
        tasks.cancel_scope.cancel()


async def ask(transport: Proxied, url: str, idle: float) -> ModelFailed | None:
    try:
        request = HttpRequest(url=url, body=b"{}", idle_timeout=idle)
        async with transport.send(request) as response:
            await response.read()
    except ModelFailed as error:
        return error
    return None


async def closing_time(way: Way, papers: Papers, place: str) -> float:
    """Seconds from a stop to the end of the connection."""
    stopped_at: list[float] = []
    async with silent_server(way, papers, PLACES[place]) as server, proxying() as proxy:
        transport = Proxied(proxy.url, tls=Tls(ca_file=str(papers.ca)))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, transport, server.url, 3600.0)
            with anyio.fail_after(60):
                await server.silent.wait()
            if PLACES[place]:
                await anyio.sleep(0.05)  # the client has read what there is
            stopped_at.append(CLOCK.monotonic())
            tasks.cancel_scope.cancel()
        with anyio.fail_after(60):
            await server.hung_up.wait()
        await transport.close()
        return server.hung_up_at - stopped_at[0]


@pytest.mark.proves("H21")
@pytest.mark.parametrize("way", deep_after(1, WAYS))
async def test_a_stop_closes_the_connection_behind_a_proxy(papers: Papers, way: Way) -> None:
    for place in PLACES:
        await closing_time(way, papers, place)


@pytest.mark.deep
@pytest.mark.proves("H21")
@every("way", WAYS)
async def test_a_server_that_says_no_goodbye_holds_nobody_up(papers: Papers, way: Way) -> None:
    sent = PLACES["in mid-reply"]
    async with (
        silent_server(way, papers, sent, is_deaf=True) as server,
        proxying() as proxy,
    ):
        transport = Proxied(proxy.url, tls=Tls(ca_file=str(papers.ca)))
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask, transport, server.url, 3600.0)
                await server.silent.wait()
                tasks.cancel_scope.cancel()
            await transport.close()


@pytest.mark.soak
@every("way", WAYS)
async def test_a_stop_closes_it_within_a_tenth_of_a_second(papers: Papers, way: Way) -> None:
    for place in PLACES:
        took = [await closing_time(way, papers, place) for _ in range(15)]
        assert statistics.median(took) <= 0.1, (place, took)


async def silence(way: Way, papers: Papers, place: str, idle: float) -> float:
    """Seconds that silence was waited for."""
    async with silent_server(way, papers, PLACES[place]) as server, proxying() as proxy:
        transport = Proxied(proxy.url, tls=Tls(ca_file=str(papers.ca)))
        error = await ask(transport, server.url, idle)
        assert error is not None
        assert (error.failure.kind, error.failure.retryable) == ("timeout", True)
        with anyio.fail_after(60):
            await server.hung_up.wait()
        await transport.close()
        return server.hung_up_at - server.silent_at


@pytest.mark.deep
@pytest.mark.proves("H21")
@pytest.mark.parametrize("way", deep_after(1, WAYS))
async def test_silence_behind_a_proxy_ends_everywhere(papers: Papers, way: Way) -> None:
    for place in PLACES:
        await silence(way, papers, place, 0.2)


@pytest.mark.soak
@every("way", WAYS)
async def test_the_time_behind_a_proxy_holds_within_a_tenth(papers: Papers, way: Way) -> None:
    for place in PLACES:
        waited = [await silence(way, papers, place, 1.0) for _ in range(3)]
        assert 0.95 <= min(waited) <= 1.1, (place, waited)
