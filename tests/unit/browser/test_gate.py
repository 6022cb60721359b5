"""The way out of a browser: connections that are admitted, requests one at a time, nonsense refused."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

import anyio
import pytest

from ouroboros.browser.guard.gate import Gate, gate


@contextmanager
def _echoing() -> Generator[tuple[int, list[bytes]]]:
    """A server that writes down what it gets, answers, and keeps the connection open."""
    got: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(client,), daemon=True).start()

    def answer(client: socket.socket) -> None:
        with client:
            while data := client.recv(65536):
                got.append(data)
                client.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1], got
    finally:
        listener.close()


async def _talk(made: Gate, *words: bytes) -> bytes:
    said = b""
    async with await anyio.connect_tcp("127.0.0.1", made.port) as stream:
        for word in words:
            with anyio.move_on_after(0.3):
                try:
                    await stream.send(word)
                    async for piece in stream:
                        said += piece
                except anyio.BrokenResourceError:
                    return said
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
    with _echoing() as (port, got):
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


@pytest.mark.parametrize(
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
