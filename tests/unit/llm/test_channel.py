"""A connection read by the event loop itself: order, backpressure, patience, every kind of end."""

import asyncio
import contextlib
import random
import socket
import struct
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio import from_thread, to_thread
from anyio.abc import SocketAttribute, SocketStream

from ouroboros.llm.transport import Silent
from ouroboros.llm.transport.channel import (
    HELD_BYTES,
    READ_BYTES,
    READS_BETWEEN_LOOKS,
    Channel,
    connect,
)
from tests.passing import hurrying

pytestmark = pytest.mark.real

type Handle = Callable[[SocketStream], Awaitable[None]]


@asynccontextmanager
async def connected(handle: Handle) -> AsyncGenerator[Channel]:
    """A channel to a server that does as the test says."""

    async def serve(stream: SocketStream) -> None:
        async with stream:
            await handle(stream)

    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(listener.serve, serve)
        port = listener.extra_attributes[SocketAttribute.local_port]()
        async with await connect("127.0.0.1", port) as channel:
            yield channel
        tasks.cancel_scope.cancel()


async def everything(channel: Channel) -> bytes:
    content = bytearray()
    try:
        while True:
            content += await channel.receive()
    except anyio.EndOfStream:
        return bytes(content)


async def test_bytes_go_both_ways_and_end() -> None:
    async def echo(stream: SocketStream) -> None:
        async for content in stream:
            await stream.send(content.upper())

    async with connected(echo) as channel:
        await channel.send(b"hello")
        assert await channel.receive(2) == b"HE"
        assert await channel.receive() == b"LLO"
        await channel.send_eof()
        assert await everything(channel) == b""


@pytest.mark.deep
@pytest.mark.proves("H09", "divergences-http-on-the-usual-way")
async def test_a_slow_reader_holds_the_sender_back_and_loses_nothing() -> None:
    numbers = random.Random(3).randbytes(20_000_000)
    is_sent = anyio.Event()

    async def pour(stream: SocketStream) -> None:
        await stream.send(numbers)
        is_sent.set()

    async with connected(pour) as channel:
        with anyio.move_on_after(0.2):
            await is_sent.wait()
        assert not is_sent.is_set()
        first = await channel.receive(HELD_BYTES * 4)
        assert len(first) <= HELD_BYTES
        assert first + await everything(channel) == numbers


@pytest.mark.deep
@pytest.mark.proves("H09")
async def test_a_slow_other_side_holds_us_back() -> None:
    content = random.Random(3).randbytes(20_000_000)

    def heard(server: socket.socket) -> bytes:
        other, _ = server.accept()
        with other, other.makefile("rb") as file:
            return file.read()

    with socket.create_server(("127.0.0.1", 0)) as server:
        async with await connect("127.0.0.1", server.getsockname()[1]) as channel:
            with anyio.move_on_after(0.1) as waiting:
                await channel.send(content)
            assert waiting.cancelled_caught

            async def send_on() -> None:
                await channel.send(b"the end")
                await channel.send_eof()

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(send_on)
                assert await to_thread.run_sync(heard, server) == content + b"the end"


@pytest.mark.deep
@pytest.mark.proves("H09")
async def test_patience_begins_anew_with_every_byte() -> None:
    async def drip(stream: SocketStream) -> None:
        for _ in range(6):
            await anyio.sleep(15)
            await stream.send(b"x")
        await anyio.sleep_forever()

    async with connected(drip) as channel, hurrying(1.0):
        channel.patience = 60.0
        content = b""
        while len(content) < 6:
            content += await channel.receive()
        with pytest.raises(Silent):
            await channel.receive()


@pytest.mark.proves("H09")
async def test_less_patience_counts_at_once() -> None:
    async with connected(lambda _: anyio.sleep_forever()) as channel:
        channel.patience = 3600.0
        with anyio.move_on_after(0.05):
            await channel.receive()
        channel.patience = 0.05
        with anyio.fail_after(60), pytest.raises(Silent):
            await channel.receive()


@pytest.mark.proves("H09")
async def test_a_cancelled_wait_loses_nothing() -> None:
    may_send = anyio.Event()

    async def late(stream: SocketStream) -> None:
        await may_send.wait()
        await stream.send(b"late")
        await anyio.sleep_forever()

    async with connected(late) as channel:
        with anyio.move_on_after(0.05) as waiting:
            await channel.receive()
        assert waiting.cancelled_caught
        may_send.set()
        assert await channel.receive() == b"late"


@pytest.mark.proves("H09")
async def test_a_reset_is_told_from_an_end() -> None:
    async def reset(stream: SocketStream) -> None:
        await stream.receive()
        raw = stream.extra_attributes[SocketAttribute.raw_socket]()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await anyio.aclose_forcefully(stream)

    async with connected(reset) as channel:
        await channel.send(b"x")
        with pytest.raises(anyio.BrokenResourceError):
            await channel.receive()
        with pytest.raises(anyio.BrokenResourceError):
            await channel.send(b"x")


@pytest.mark.proves("H09")
async def test_closing_ends_a_wait() -> None:
    async with connected(lambda _: anyio.sleep_forever()) as channel:
        async with anyio.create_task_group() as tasks:

            async def wait() -> None:
                with pytest.raises(anyio.ClosedResourceError):
                    await channel.receive()

            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await channel.aclose()
        with pytest.raises(anyio.ClosedResourceError):
            await channel.send(b"x")


async def test_nobody_there_is_an_error_of_the_system() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(OSError, match="failed"):
        await connect("127.0.0.1", port)


@pytest.mark.proves("providers-faults")
async def test_bytes_that_never_stop_coming_do_not_keep_a_cancellation_away() -> None:
    """As from a server that is quicker than we are, so that no read has to wait."""
    listener = socket.create_server(("127.0.0.1", 0))
    stopped = threading.Event()
    after_cancelling = 0

    def flood() -> None:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):
            while not stopped.is_set():
                connection.sendall(bytes(READ_BYTES))

    async def read(channel: Channel, scope: anyio.CancelScope) -> None:
        nonlocal after_cancelling
        while after_cancelling < 500:
            content = await channel.receive()
            sum(content[:20_000])
            after_cancelling += scope.cancel_called

    def cancel_next(scope: anyio.CancelScope) -> None:
        """In the turn of the loop after this one, and there before the reader."""
        asyncio.get_running_loop().call_soon(scope.cancel)

    thread = threading.Thread(target=flood, daemon=True)
    thread.start()
    with listener:
        async with await connect("127.0.0.1", listener.getsockname()[1]) as channel:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read, channel, tasks.cancel_scope)
                await anyio.sleep(0.1)
                await to_thread.run_sync(from_thread.run_sync, cancel_next, tasks.cancel_scope)
            stopped.set()
    await to_thread.run_sync(thread.join)
    assert after_cancelling <= READS_BETWEEN_LOOKS + 1
