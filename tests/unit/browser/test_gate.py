"""The way out of a browser: connections that are admitted, requests one at a time, nonsense refused."""

import contextlib
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager

import anyio
import pytest

from ouroboros.browser.guard import gate as gates
from ouroboros.browser.guard.gate import Gate, gate
from ouroboros.llm.transport import Proxies
from ouroboros.safety.network.peers import asked, in_table, is_ours
from tests.cases import every
from tests.unit.llm.proxy_parts import proxying
from tests.unit.safety.network.parts import listening

pytestmark = pytest.mark.real

OK = b"HTTP/1.1 200"


@contextmanager
def _echoing(end: bytes = b"") -> Generator[tuple[int, list[bytes]]]:
    """A server that writes down what it gets, answers each part that ends so, and stays open.

    A head and its body may come in two parts; who answers the head ends the exchange early.
    """
    got: list[bytes] = []

    def answer(client: socket.socket) -> None:
        with client:
            while data := client.recv(65536):
                got.append(data)
                if not b"".join(got).endswith(end):
                    continue
                client.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    with listening(answer) as port:
        yield port, got


async def _talk(made: Gate, *words: bytes) -> bytes:
    """What is answered to each word, until it closes, or has answered whole."""
    said = b""
    async with await anyio.connect_tcp("127.0.0.1", made.port) as stream:
        with contextlib.suppress(anyio.EndOfStream, anyio.BrokenResourceError):
            for word in words:
                await stream.send(word)
                answer = b""
                with anyio.fail_after(60):
                    while not answer.endswith((b"\r\n\r\n", b"ok")):
                        piece = await stream.receive()
                        answer, said = answer + piece, said + piece
    return said


def _admitting(made: Gate, *, yes: bool) -> list[str]:
    asked: list[str] = []

    async def admit(origin: str) -> bool:
        asked.append(origin)
        return yes

    made.admit = admit
    return asked


async def test_a_tunnel_goes_both_ways_once_it_is_admitted() -> None:
    with _echoing() as (port, got):
        async with gate() as made:
            asked = _admitting(made, yes=True)
            head = b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nhost: x\r\n\r\n" % port
            said = await _talk(made, head, b"hello")
        assert said.startswith(b"HTTP/1.1 200 Connection established")
        assert said.endswith(b"ok")
        assert got == [b"hello"]
        assert asked == [f"https://127.0.0.1:{port}"]


@pytest.mark.parametrize(
    "head",
    [b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n", b"GET http://127.0.0.1:%d/x HTTP/1.1\r\n\r\n"],
)
async def test_what_is_not_admitted_is_not_connected(head: bytes) -> None:
    with _echoing() as (port, got):
        async with gate() as made:
            _admitting(made, yes=False)
            assert (await _talk(made, head % port)).startswith(b"HTTP/1.1 403")
        assert got == []


async def test_before_anybody_judges_nothing_passes() -> None:
    with _echoing() as (port, got):
        async with gate() as made:
            said = await _talk(made, b"GET http://127.0.0.1:%d/x HTTP/1.1\r\n\r\n" % port)
        assert said.startswith(b"HTTP/1.1 403")
        assert got == []


async def test_a_second_request_does_not_ride_on_the_first() -> None:
    with _echoing(b"abc") as (port, got):
        async with gate() as made:
            _admitting(made, yes=True)
            first = b"POST http://127.0.0.1:%d/a?b HTTP/1.1\r\ncontent-length: 3\r\nproxy-connection: x\r\n\r\nabc"
            second = b"GET http://evil.example/ HTTP/1.1\r\nhost: evil.example\r\n\r\n"
            await _talk(made, first % port, second)
        whole = b"".join(got)
        assert whole.startswith(b"POST /a?b HTTP/1.1\r\n")
        assert b"abc" in whole
        assert b"evil" not in whole
        assert b"proxy-connection" not in whole


@every(
    "words",
    [
        b"GET /x HTTP/1.1\r\nhost: a\r\n\r\n",
        b"CONNECT a:b HTTP/1.1\r\n\r\n",
        b"GET ftp://a/ HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\r\n\r\n",
    ],
)
async def test_what_is_no_request_to_a_proxy_is_refused(words: bytes) -> None:
    async with gate() as made:
        _admitting(made, yes=True)
        assert (await _talk(made, words)).startswith(b"HTTP/1.1 400")


async def test_a_body_of_unknown_length_and_a_place_that_is_gone_are_refused() -> None:
    with _echoing() as (port, got):
        async with gate() as made:
            _admitting(made, yes=True)
            chunked = (
                b"POST http://127.0.0.1:%d/ HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n" % port
            )
            assert (await _talk(made, chunked)).startswith(b"HTTP/1.1 411")
            gone = await _talk(made, b"CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n")
            assert gone.startswith(b"HTTP/1.1 502")
        assert got == []


async def test_a_head_without_an_end_is_given_up() -> None:
    async with gate() as made:
        _admitting(made, yes=True)
        assert await _talk(made, b"GET " + b"x" * 200_000) == b""


@pytest.mark.parametrize("port", [0, 65536, 99999])
async def test_a_port_that_is_none_ends_one_connection_and_not_the_gate(port: int) -> None:
    async with gate() as made:
        _admitting(made, yes=True)
        assert (await _talk(made, b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n" % port))[9:12] == b"400"
        told = await _talk(made, b"GET http://127.0.0.1:%d/x HTTP/1.1\r\n\r\n" % port)
        assert told[9:12] == b"400"


@every("name", [b"[::1%25nowhere]", b"[:::]", b"a..b", b"x" * 300, b"no.such.name.invalid"])
async def test_a_name_that_is_none_ends_one_connection_and_not_the_gate(name: bytes) -> None:
    async with gate() as made:
        _admitting(made, yes=True)
        # Tests may not look names up: what forbids it is no ``OSError``, and ends one connection too.
        assert (await _talk(made, b"CONNECT %s:443 HTTP/1.1\r\n\r\n" % name))[9:12] in {b"", b"502"}
        assert (await _talk(made, b"nothing\r\n\r\n"))[9:12] == b"400"


async def test_a_judge_that_dies_ends_one_connection_and_not_the_gate() -> None:
    async with gate() as made:

        async def admit(origin: str) -> bool:
            raise KeyError(origin)

        made.admit = admit
        assert await _talk(made, b"CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n") == b""
        assert await _talk(made, b"nothing\r\n\r\n") != b""


@pytest.mark.proves("browser-proxy")
async def test_the_persons_own_proxy_leads_on_and_is_told_who_asks() -> None:
    with _echoing() as (port, got):
        async with proxying("ann:a b") as proxy:
            proxy.leads_to = "127.0.0.1"
            address = proxy.url.replace("//", "//ann:a%20b@")
            async with gate(Proxies(https=address, http=address).proxy_for) as made:
                _admitting(made, yes=True)
                place = b"shop.test:%d" % port
                tunnel = b"CONNECT %s HTTP/1.1\r\n\r\n" % place
                said = await _talk(made, tunnel, b"hello")
                plain = await _talk(made, b"GET http://%s/x?y HTTP/1.1\r\n\r\n" % place)
    assert said.startswith(b"HTTP/1.1 200 Connection established")
    assert said.endswith(b"ok")
    assert plain.endswith(b"ok")
    assert proxy.lines == [
        f"CONNECT {place.decode()} HTTP/1.1",
        f"GET http://{place.decode()}/x?y HTTP/1.1",
    ]
    assert b"".join(got).startswith(b"helloGET /x?y HTTP/1.1\r\n")


@pytest.mark.proves("browser-proxy")
async def test_this_machine_and_places_in_no_proxy_are_reached_straight() -> None:
    with _echoing() as (port, _):
        async with proxying() as proxy, gate(Proxies(all=proxy.url).proxy_for) as made:
            _admitting(made, yes=True)
            for name in (b"127.0.0.1", b"shop.localhost"):
                assert (await _talk(made, b"CONNECT %s:%d HTTP/1.1\r\n\r\n" % (name, port)))[
                    9:12
                ] == b"200"
        straight = Proxies(all=proxy.url, bypass="*.invalid").proxy_for
        async with gate(straight) as made:
            _admitting(made, yes=True)
            assert not (await _talk(made, b"CONNECT a.invalid:80 HTTP/1.1\r\n\r\n")).startswith(OK)
    assert proxy.lines == []


async def test_a_name_that_no_proxy_can_be_chosen_for_is_not_reached() -> None:
    async with gate(Proxies(all="http://127.0.0.1:1").proxy_for) as made:
        _admitting(made, yes=True)
        told = await _talk(made, b"CONNECT a\x01b.test:443 HTTP/1.1\r\n\r\n")
    assert told[9:12] == b"502"


@pytest.mark.proves("browser-proxy")
@pytest.mark.parametrize("address", ["socks5://127.0.0.1:1", "http://127.0.0.1:1", "http://:x@"])
async def test_a_proxy_that_cannot_be_used_is_never_gone_round(address: str) -> None:
    with _echoing() as (port, got):
        async with gate(lambda _: address) as made:
            _admitting(made, yes=True)
            told = await _talk(made, b"CONNECT a.test:%d HTTP/1.1\r\n\r\n" % port)
    assert told[9:12] == b"502"
    assert got == []


async def test_a_proxy_that_wants_another_password_is_not_the_browsers_to_answer() -> None:
    async with proxying("ann:right") as proxy, gate(lambda _: proxy.url) as made:
        _admitting(made, yes=True)
        told = await _talk(made, b"CONNECT shop.test:443 HTTP/1.1\r\n\r\n")
    assert told[9:12] == b"502"
    assert proxy.lines == ["CONNECT shop.test:443 HTTP/1.1"]


@pytest.mark.proves("browser-proxy")
def test_a_connection_of_another_user_is_told_from_ours() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", ours)) as client:
            theirs = client.getsockname()[1]
            assert asked(theirs, ours) in {os.getuid(), None}
            assert in_table(theirs, ours, user=os.getuid())
            assert is_ours(theirs, ours, user=os.getuid())
            assert not is_ours(theirs, ours, user=os.getuid() + 1)
            assert not in_table(theirs, ours, user=os.getuid() + 1)
            assert not is_ours(theirs + 1, ours, user=os.getuid())


@pytest.mark.proves("browser-proxy")
async def test_who_is_not_known_to_be_our_own_user_is_not_served() -> None:
    async with gate() as made:
        with socket.create_connection(
            ("127.0.0.1", made.port), source_address=("127.0.0.2", 0)
        ) as client:
            client.settimeout(0)
            client.sendall(b"nothing\r\n\r\n")
            with anyio.fail_after(60):
                await anyio.wait_readable(client)
            assert client.recv(100) == b""


async def test_who_waits_for_a_slot_at_the_end_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else its transport is left open: a ``ResourceWarning``, which is an error here."""
    monkeypatch.setattr(gates, "MOST_CONNECTIONS", 1)
    async with gate() as made:
        port = int(made.server.rpartition(":")[2])
        first, second = [await anyio.connect_tcp("127.0.0.1", port) for _ in range(2)]
        await first.send(b"CONNECT")  # holds the only slot: its head never ends
        await anyio.wait_all_tasks_blocked()
    for client in (first, second):
        async with client:
            with (
                anyio.fail_after(30),
                pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)),
            ):
                await client.receive()
