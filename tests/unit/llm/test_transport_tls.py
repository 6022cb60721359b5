"""Whom we trust and what we show, with real TLS servers, directly and through a real proxy."""

import ssl
from pathlib import Path

import pytest

from ouroboros.core.errors import Misuse, ModelFailed
from ouroboros.llm.opening import Connection, open_transport
from ouroboros.llm.transport import HttpRequest, Proxies
from ouroboros.llm.transport.http1 import Http1
from ouroboros.llm.transport.proxied import Proxied
from ouroboros.llm.transport.reach import Tls
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests.cases import every
from tests.unit.llm.proxy_parts import proxying
from tests.unit.llm.tls_parts import Papers, key, secure

pytestmark = pytest.mark.real

WAYS = ["direct", "proxy"]
VERSIONS = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    return Papers(tmp_path_factory.mktemp("papers")).make()


async def answer(way: str, url: str, tls: Tls) -> tuple[int, bytes]:
    """Asks in this way, and sees to it that the way was taken."""
    async with proxying() as proxy:
        proxies = Proxies(all=proxy.url) if way == "proxy" else Proxies()
        transport = open_transport(url, Connection(proxies=proxies, tls=tls))
        assert isinstance(transport, Proxied if way == "proxy" else Http1)
        try:
            async with transport.send(HttpRequest(url=url, body=b"{}")) as response:
                found = response.status, await response.read()
        finally:
            await transport.close()
        assert len(proxy.lines) == (way == "proxy")
        return found


async def refused(way: str, url: str, tls: Tls) -> ModelFailed:
    found: list[ModelFailed] = []
    try:
        await answer(way, url, tls)
    except* ModelFailed as group:
        found.extend(error for error in group.exceptions if isinstance(error, ModelFailed))
    (error,) = found
    assert (error.failure.kind, error.failure.retryable) == ("transport", False)
    return error


@pytest.mark.deep
@pytest.mark.proves("H21")
@pytest.mark.parametrize("way", WAYS)
async def test_a_ca_of_ones_own_is_trusted_and_no_other(papers: Papers, way: str) -> None:
    with secure(papers) as url:
        assert await answer(way, url, Tls(ca_file=str(papers.ca))) == (200, b"ok")
        for tls in (Tls(), Tls(ca_file=str(papers.other_ca))):
            error = await refused(way, url, tls)
            assert "is not trusted" in error.message
            assert "network.ca_file" in error.hint


@pytest.mark.deep
@pytest.mark.proves("H21")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("newest", VERSIONS)
async def test_a_server_that_asks_is_shown_the_client_certificate(
    papers: Papers, way: str, newest: ssl.TLSVersion
) -> None:
    ca = str(papers.ca)
    client, client_key = str(papers.client), str(key(papers.client))
    stranger, stranger_key = str(papers.stranger), str(key(papers.stranger))
    with secure(papers, asks=True, newest=newest) as url:
        shown = Tls(ca_file=ca, client_cert=client, client_key=client_key)
        assert await answer(way, url, shown) == (200, b"ok")
        in_one = Tls(ca_file=ca, client_cert=str(papers.client_with_key))
        assert await answer(way, url, in_one) == (200, b"ok")
        wrong = Tls(ca_file=ca, client_cert=stranger, client_key=stranger_key)
        for tls in (Tls(ca_file=ca), wrong):
            error = await refused(way, url, tls)
            assert "client certificate" in error.message
            assert "network.client_cert" in error.hint


async def test_a_connection_is_kept_after_the_certificate_was_shown(papers: Papers) -> None:
    tls = Tls(ca_file=str(papers.ca), client_cert=str(papers.client_with_key))
    transport = Http1(tls=tls)
    with secure(papers, asks=True) as url:
        await transport.warm(url)
        for _ in range(3):
            async with transport.send(HttpRequest(url=url, body=b"{}")) as response:
                assert await response.read() == b"ok"
        await transport.close()


@pytest.mark.deep
@pytest.mark.proves("H21")
@every("way", WAYS)
@every(
    ("cert", "secret", "said"),
    [
        ("absent.pem", "", "No such file"),
        ("client.pem", "absent.key", "No such file"),
        ("client.pem", "", "cannot be used"),
        ("client.pem", "locked.key", "its key has a password"),
        ("client.pem", "stranger.key", "key values mismatch"),
        ("text.pem", "", "cannot be used"),
        ("", "client.key", "cannot be used"),
    ],
)
async def test_a_client_certificate_that_cannot_be_used_is_named(
    papers: Papers, tmp_path: Path, way: str, cert: str, secret: str, said: str
) -> None:
    (tmp_path / "text.pem").write_text("no certificate", encoding="utf-8")
    folder = papers.ca.parent
    path = str((tmp_path if cert == "text.pem" else folder) / cert) if cert else ""
    tls = Tls(client_cert=path, client_key=str(folder / secret) if secret else "")
    caught: list[Misuse] = []
    with secure(papers) as url:
        try:
            await answer(way, url, tls)
        except* Misuse as group:
            caught.extend(error for error in group.exceptions if isinstance(error, Misuse))
    (error,) = caught
    assert said in error.message
    assert (cert or secret) in error.message
    assert "network.client_cert" in error.hint


@pytest.mark.deep
@pytest.mark.proves("H21")
@every("way", WAYS)
async def test_bytes_that_are_no_tls_break_an_answer_off(papers: Papers, way: str) -> None:
    begun = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"
    caught: list[ModelFailed] = []
    with secure(papers, reply=begun, spoils=True) as url:
        try:
            await answer(way, url, Tls(ca_file=str(papers.ca)))
        except* ModelFailed as group:
            caught.extend(error for error in group.exceptions if isinstance(error, ModelFailed))
    (error,) = caught
    assert "broke off" in error.message
    assert (error.failure.kind, error.failure.retryable) == ("transport", True)


async def through(proxy: str, scheme: str, papers: Papers) -> int:
    """The status of an answer that came through the proxy."""
    with secure(papers) as https:
        async with serving([Turn(text="ok")]) as http:
            url = https if scheme == "https" else f"{http.url}/v1/chat/completions"
            connection = Connection(proxies=Proxies(all=proxy), tls=Tls(ca_file=str(papers.ca)))
            transport = open_transport(url, connection)
            body = b"{}" if scheme == "https" else b'{"messages":[]}'
            try:
                async with transport.send(HttpRequest(url=url, body=body)) as response:
                    return response.status
            finally:
                await transport.close()


@pytest.mark.deep
@pytest.mark.proves("H21")
@every("scheme", ["http", "https"])
@every("person", ["me:secret-word", "me:p%40ss%3Aword"])
async def test_a_proxy_is_told_who_asks(papers: Papers, scheme: str, person: str) -> None:
    async with proxying(person.replace("%40", "@").replace("%3A", ":")) as proxy:
        named = proxy.url.replace("//", f"//{person}@")
        assert await through(named, scheme, papers) == 200
        assert len(proxy.lines) == 1


@pytest.mark.deep
@pytest.mark.proves("H21")
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_may_be_spoken_to_in_secret(papers: Papers, scheme: str) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(papers.server, key(papers.server))
    async with proxying("me:secret-word", tls=context) as proxy:
        named = proxy.url.replace("//", "//me:secret-word@")
        assert await through(named, scheme, papers) == 200
        assert len(proxy.lines) == 1
        transport = Proxied(named)
        with pytest.raises(ModelFailed, match="is not trusted") as caught:
            async with transport.send(HttpRequest(url="http://127.0.0.1:1/", body=b"{}")):
                pass
        await transport.close()
    assert proxy.url in caught.value.message
    assert "secret-word" not in caught.value.message


@pytest.mark.deep
@pytest.mark.proves("H21")
@every("scheme", ["http", "https"])
@every("person", ["", "me:wrong-word@"])
async def test_a_proxy_that_asks_who_we_are_is_named(
    papers: Papers, scheme: str, person: str
) -> None:
    async with proxying("me:right-word") as proxy:
        with pytest.raises(ModelFailed) as caught:
            await through(proxy.url.replace("//", f"//{person}"), scheme, papers)
    error = caught.value
    assert "wants a user and a password" in error.message
    assert "HTTPS_PROXY" in error.hint
    assert "wrong-word" not in f"{error} {error.hint}"
    assert (error.failure.kind, error.failure.retryable) == ("transport", False)
