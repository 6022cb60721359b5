"""Proxies and certificates, with a real proxy and a real TLS server on loopback."""

import ssl
import traceback
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.abc import ByteStream, SocketAttribute, SocketStream
from anyio.streams.tls import TLSListener
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.errors import Misuse, ModelFailed
from ouroboros.llm.opening import Connection, open_transport
from ouroboros.llm.transport import HttpRequest, Proxies, Transport
from ouroboros.llm.transport.http1 import Http1
from ouroboros.llm.transport.proxied import Proxied
from ouroboros.llm.transport.reach import Tls
from ouroboros.llm.turns import Fault, Turn
from ouroboros.testing.server import serving
from tests.cases import every
from tests.unit.llm.fault_ground import nobody
from tests.unit.llm.proxy_parts import Proxy
from tests.unit.llm.tls_parts import self_signed

pytestmark = pytest.mark.real

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@pytest.fixture
async def proxy() -> AsyncGenerator[Proxy]:
    one = Proxy()
    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as tasks,
    ):
        port = listener.extra_attributes[SocketAttribute.local_port]()
        one.url = f"http://127.0.0.1:{port}"
        tasks.start_soon(listener.serve, one.handle)
        yield one
        tasks.cancel_scope.cancel()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate of its own for 127.0.0.1, in one file."""
    return self_signed(tmp_path_factory.mktemp("tls"))


@asynccontextmanager
async def secure(certificate: Path) -> AsyncGenerator[str]:
    async def handle(stream: ByteStream) -> None:
        try:
            async with stream:
                while True:
                    content = b""
                    while not content.endswith(b"{}"):
                        content += await stream.receive()
                    await stream.send(OK)
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    plain = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with (
        TLSListener(plain, context, standard_compatible=False) as listener,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(listener.serve, handle)
        yield f"https://127.0.0.1:{plain.extra_attributes[SocketAttribute.local_port]()}/v1"
        tasks.cancel_scope.cancel()


async def answer(transport: Transport, url: str, idle: float = 5.0) -> tuple[int, bytes]:
    try:
        request = HttpRequest(url=url, body=b"{}", idle_timeout=idle)
        async with transport.send(request) as response:
            return response.status, await response.read()
    finally:
        await transport.close()


async def fails(transport: Transport, url: str, idle: float = 5.0) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        await answer(transport, url, idle)
    return caught.value


@pytest.mark.proves("H21")
async def test_a_plain_request_goes_through_the_proxy(proxy: Proxy) -> None:
    async with serving([Turn(text="Hello")]) as server:
        url = f"{server.url}/v1/chat/completions"
        transport = open_transport(url, Connection(proxies=Proxies(http=proxy.url)))
        status, body = await answer(transport, url)
        assert (status, b"Hello" in body) == (200, True)
        assert proxy.lines == [f"POST {url} HTTP/1.1"]
        assert server.exchanges[0].headers["user-agent"].startswith("ouroboros/")


@pytest.mark.proves("H21")
async def test_a_secure_request_is_tunnelled(proxy: Proxy, certificate: Path) -> None:
    async with secure(certificate) as url:
        connection = Connection(proxies=Proxies(https=proxy.url), tls=Tls(ca_file=str(certificate)))
        assert await answer(open_transport(url, connection), url) == (200, b"ok")
        place = url.removeprefix("https://").removesuffix("/v1")
        assert proxy.lines == [f"CONNECT {place} HTTP/1.1"]


@pytest.mark.proves("H21")
async def test_a_host_in_no_proxy_is_reached_directly(proxy: Proxy) -> None:
    async with serving([Turn(text="Hello")]) as server:
        url = f"{server.url}/v1/chat/completions"
        proxies = Proxies(http=proxy.url, bypass="example.com, 127.0.0.1")
        transport = open_transport(url, Connection(proxies=proxies))
        assert isinstance(transport, Http1)
        assert (await answer(transport, url))[0] == 200
        assert proxy.lines == []


@pytest.mark.deep
async def test_silence_behind_a_proxy_is_a_timeout(proxy: Proxy) -> None:
    async with serving([Turn(fault=Fault(kind="silent"))]) as server:
        error = await fails(Proxied(proxy.url), f"{server.url}/v1/messages", idle=0.2)
        assert error.failure.kind == "timeout"


async def test_a_stream_cut_behind_a_proxy_is_broken_off(proxy: Proxy) -> None:
    turn = Turn(text="Hello", chunk=1, fault=Fault(kind="cut", after=2))
    async with serving([turn]) as server:
        transport = Proxied(proxy.url)
        request = HttpRequest(
            url=f"{server.url}/v1/chat/completions",
            body=b'{"stream":true,"messages":[]}',
        )
        with pytest.raises(ModelFailed) as caught:
            async with transport.send(request) as response:
                await response.read()
        assert (caught.value.failure.kind, caught.value.failure.retryable) == ("transport", True)
        await transport.close()


async def test_a_proxy_that_is_not_there_is_named_without_its_password() -> None:
    with anyio.fail_after(60):
        with nobody() as url:
            place = url.removeprefix("http://")
            error = await fails(Proxied(f"http://me:secret@{place}"), "http://127.0.0.1:9/v1")
    assert place in error.message
    assert "HTTPS_PROXY" in error.hint
    assert "secret" not in f"{error} {error.hint}"


@pytest.mark.proves("H21")
@every(
    "proxy_url",
    ["socks5://me:secret@127.0.0.1:1080", "http://me:secret@127.0.0.1:99999", "http://"],
)
def test_a_proxy_of_another_kind_is_refused(proxy_url: str) -> None:
    with pytest.raises(Misuse) as caught:
        Proxied(proxy_url)
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    assert "HTTPS_PROXY" in caught.value.hint


@pytest.mark.deep
@pytest.mark.proves("H21")
async def test_a_certificate_of_ones_own_is_trusted_when_named(certificate: Path) -> None:
    async with secure(certificate) as url:
        assert await answer(Http1(tls=Tls(ca_file=str(certificate))), url) == (200, b"ok")


@pytest.mark.deep
@pytest.mark.parametrize("content", [None, b"no certificate"])
async def test_a_certificate_file_that_is_none_is_named(
    certificate: Path, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    async with secure(certificate) as url:
        for transport in (
            Http1(tls=Tls(ca_file=str(path))),
            Proxied(url, tls=Tls(ca_file=str(path))),
        ):
            await transport.warm(url)
            with pytest.raises(Misuse, match=r"ca\.pem"):
                await answer(transport, url)


async def test_ssl_cert_file_is_honoured(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with secure(certificate) as url:
        assert await answer(Http1(), url) == (200, b"ok")


async def test_a_stranger_s_certificate_is_refused_and_not_retried(certificate: Path) -> None:
    async with secure(certificate) as url:
        error = await fails(Http1(), url)
    assert "certificate" in error.message
    assert "SSL_CERT_FILE" in error.hint
    assert not error.failure.retryable


async def test_plain_http_where_tls_was_asked_for_is_explained() -> None:
    async def handle(stream: SocketStream) -> None:
        async with stream:
            await stream.receive()
            await stream.send(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")

    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(listener.serve, handle)
        port = listener.extra_attributes[SocketAttribute.local_port]()
        error = await fails(Http1(), f"https://127.0.0.1:{port}/v1")
        assert not error.failure.retryable
        assert "http://" in error.hint
        tasks.cancel_scope.cancel()


@every(
    ("environment", "url", "expected"),
    [
        ({"HTTPS_PROXY": "http://p:1"}, "https://h/v1", "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1"}, "http://h/v1", ""),
        ({"https_proxy": "p:1", "HTTPS_PROXY": "q:2"}, "https://h/v1", "http://p:1"),
        ({"ALL_PROXY": "http://p:1"}, "http://h/v1", "http://p:1"),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "*"}, "http://h/v1", ""),
        ({"ALL_PROXY": "p:1", "NO_PROXY": ".example.com"}, "http://a.example.com/", ""),
        ({"ALL_PROXY": "p:1", "NO_PROXY": "example.com"}, "http://notexample.com/", "http://p:1"),
        ({"ALL_PROXY": "p:1", "NO_PROXY": "h:8080"}, "http://h:8080/", ""),
        ({"ALL_PROXY": "p:1", "NO_PROXY": "h:8080"}, "http://h:9090/", "http://p:1"),
        ({"ALL_PROXY": "p:1", "NO_PROXY": "10.0.0.0/8"}, "http://10.1.2.3/", ""),
        ({"ALL_PROXY": "p:1", "NO_PROXY": "::1,[fe80::1]"}, "http://[::1]:8/", ""),
        ({"ALL_PROXY": "p:1", "NO_PROXY": "10.0.0.0/8 ,, x/y"}, "http://11.1.2.3/", "http://p:1"),
        ({}, "http://h/", ""),
    ],
)
def test_the_usual_variables_choose_the_proxy(
    environment: dict[str, str], url: str, expected: str
) -> None:
    assert Proxies.of(environment).proxy_for(url) == expected


@given(bypass=st.text(alphabet="abc.:*/,[] 0189", max_size=30))
def test_no_bypass_list_breaks_the_choice(bypass: str) -> None:
    proxies = Proxies(all="http://p:1", bypass=bypass)
    assert proxies.proxy_for("http://zz.example:80/") in {"", "http://p:1"}


@pytest.mark.deep
async def test_requests_that_begin_together_share_what_is_kept_open(proxy: Proxy) -> None:
    transport = Proxied(proxy.url)

    async def ask(server_url: str) -> None:
        request = HttpRequest(url=f"{server_url}/v1/chat/completions", body=b"{}")
        async with transport.send(request) as response:
            await response.read()

    async with serving([Turn(text="x", delay_seconds=0.1)], repeat=True) as server:
        for _ in range(2):
            async with anyio.create_task_group() as tasks:
                for _ in range(3):
                    tasks.start_soon(ask, server.url)
        assert len(proxy.lines) == 3
        await transport.close()
