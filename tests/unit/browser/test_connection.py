"""Calls over one channel: answers by number, deadlines, losses, and browsers that talk nonsense."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.browser import wire
from ouroboros.browser.connection import KEPT_BYTES, KEPT_EVENTS, Call, Connection, connected
from ouroboros.browser.errors import BrowserGone, CallRefused, CallTimedOut, DialogOpen


class Line:
    """A channel to a browser that the test plays."""

    def __init__(self) -> None:
        self.sent: list[dict[str, object]] = []
        self._send, self._receive = anyio.create_memory_object_stream[bytes](20_000)

    async def send(self, message: bytes) -> None:
        self.sent.append(msgspec.json.decode(message))
        await anyio.lowlevel.checkpoint()

    async def receive(self) -> bytes:
        try:
            return await self._receive.receive()
        except anyio.EndOfStream as ended:
            raise ConnectionError("the browser has ended") from ended

    def say(self, message: object) -> None:
        self._send.send_nowait(
            message if isinstance(message, bytes) else msgspec.json.encode(message)
        )

    def end(self) -> None:
        self._send.close()


@asynccontextmanager
async def talking() -> AsyncGenerator[tuple[Line, Connection]]:
    line = Line()
    try:
        async with connected(line) as connection:
            yield line, connection
    finally:
        line.end()
        line._receive.close()


async def sent(line: Line, count: int) -> None:
    while len(line.sent) < count:
        await anyio.lowlevel.checkpoint()


@pytest.mark.deep
@pytest.mark.proves("browser-driver")
@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.deep)])
async def test_thousands_of_open_calls_get_each_their_own_answer(count: int) -> None:
    got: dict[int, bytes] = {}

    async def call(connection: Connection, number: int) -> None:
        got[number] = bytes(await connection.call("A.b", {"number": number}))

    async with talking() as (line, connection), anyio.create_task_group() as tasks:
        for number in range(count):
            tasks.start_soon(call, connection, number)
        await sent(line, count)
        for said in reversed(line.sent):
            line.say({"id": said["id"], "result": said["params"]})
    assert got == {number: b'{"number":%d}' % number for number in range(count)}


@pytest.mark.proves("browser-driver")
async def test_a_call_without_an_answer_ends_and_its_late_answer_harms_nobody() -> None:
    async with talking() as (line, connection):
        with pytest.raises(CallTimedOut, match=r"A.slow was not answered in 0.01 s"):
            await connection.call("A.slow", timeout_seconds=0.01)
        line.say({"id": 1, "result": {"late": True}})
        async with anyio.create_task_group() as tasks:

            async def answer() -> None:
                await sent(line, 2)
                line.say({"id": 2, "result": {"fresh": True}})

            tasks.start_soon(answer)
            assert bytes(await connection.call("A.next")) == b'{"fresh":true}'


async def test_a_refusal_carries_the_browsers_words_and_code() -> None:
    async with talking() as (line, connection):
        line.say({"id": 1, "error": {"code": -32000, "message": "No such node", "data": "7"}})
        with pytest.raises(CallRefused, match=r"DOM.focus: No such node 7") as refused:
            await connection.call("DOM.focus")
        assert refused.value.code == -32000


@pytest.mark.proves("browser-driver")
async def test_a_loss_ends_what_waits_and_says_that_the_outcome_is_unknown() -> None:
    async with talking() as (line, connection):
        async with anyio.create_task_group() as tasks:

            async def lose() -> None:
                await sent(line, 1)
                line.end()

            tasks.start_soon(lose)
            with pytest.raises(BrowserGone, match=r"during Input.click; whether it took effect is"):
                await connection.call("Input.click")
        assert connection.lost.is_set()
        assert connection.why_lost == "the browser has ended"
        with pytest.raises(BrowserGone, match="the browser is gone"):
            await connection.call("A.b")


@pytest.mark.proves("browser-driver")
async def test_a_cancelled_call_leaves_the_connection_fit() -> None:
    async with talking() as (line, connection):
        with anyio.move_on_after(0.01) as scope:
            await connection.call("A.never")
        assert scope.cancelled_caught
        line.say({"id": 2, "result": {}})
        assert bytes(await connection.call("A.b")) == b"{}"


@pytest.mark.proves("browser-driver")
async def test_garbage_is_counted_and_dropped() -> None:
    heard: list[str] = []
    async with talking() as (line, connection):
        connection.listen("Odd.shape", lambda event: heard.append(event.read(str)))
        for nonsense in (b"\xff\xfe", b"{", b"[]", b'{"id":"x"}', b"", b'{"method":5}'):
            line.say(nonsense)
        line.say({"method": "Odd.shape", "params": {"not": "text"}})
        line.say({"id": 1, "result": {"ok": 1}})
        assert bytes(await connection.call("A.b")) == b'{"ok":1}'
        assert connection.garbled == 7
    assert heard == []


async def test_listeners_hear_their_session_alone_until_they_stop() -> None:
    heard: list[str] = []
    async with talking() as (line, connection):
        connection.listen("P.x", lambda event: heard.append(f"all {event.session}"))
        stop = connection.listen("P.x", lambda event: heard.append("one"), session="s1")
        line.say({"method": "P.x", "sessionId": "s1"})
        line.say({"method": "P.x", "sessionId": "s2"})
        line.say({"id": 1})
        await connection.call("A.b")
        stop()
        stop()
        line.say({"method": "P.x", "sessionId": "s1"})
        line.say({"id": 2})
        await connection.call("A.b")
    assert heard == ["all s1", "one", "all s2", "all s1"]


async def test_the_last_happenings_of_a_session_are_kept_and_no_giants() -> None:
    async with talking() as (line, connection):
        for number in range(KEPT_EVENTS + 10):
            line.say({"method": "N.x", "params": {"n": number}, "sessionId": "s"})
        line.say({"method": "N.big", "params": {"t": "x" * KEPT_BYTES}, "sessionId": "s"})
        line.say({"method": "N.y", "sessionId": "s"})
        line.say({"id": 1})
        await connection.call("A.b")
        kept = connection.events("s")
        assert len(kept) == KEPT_EVENTS
        assert bytes(kept[0].params) == b'{"n":11}'
        assert [event.method for event in connection.events("s", "N.y")] == ["N.y"]
        assert connection.events("s", "N.big") == ()
        connection.forget("s")
        assert connection.events("s") == ()


async def test_calls_of_one_session_can_be_broken_off() -> None:
    failures: list[str] = []

    async def call(connection: Connection) -> None:
        try:
            await connection.call("Runtime.evaluate", session="page")
        except DialogOpen as open_:
            failures.append(open_.message)

    async with talking() as (line, connection), anyio.create_task_group() as tasks:
        tasks.start_soon(call, connection)
        await sent(line, 1)
        connection.break_off("other", lambda method: DialogOpen("wrong"))
        connection.break_off("page", lambda method: DialogOpen(f"{method} was held"))
        line.say({"id": 1, "result": {}})  # comes too late to matter
    assert failures == ["Runtime.evaluate was held"]


async def test_several_calls_go_out_together_and_in_order() -> None:
    async with talking() as (line, connection):
        for number in (3, 1, 2):
            line.say({"id": number, "result": {"n": number}})
        calls: list[Call] = [("A.a", {}), ("A.b", {}), ("A.c", {})]
        results = await connection.call_many(calls)
        assert [bytes(result) for result in results] == [b'{"n":1}', b'{"n":2}', b'{"n":3}']
        assert [said["method"] for said in line.sent] == ["A.a", "A.b", "A.c"]


async def test_a_post_waits_for_no_answer() -> None:
    async with talking() as (line, connection):
        connection.post("A.b", {"x": 1}, session="s")
        await sent(line, 1)
        assert line.sent == [{"id": 1, "method": "A.b", "params": {"x": 1}, "sessionId": "s"}]


async def test_an_answer_of_another_shape_is_a_refusal() -> None:
    class Wanted(msgspec.Struct):
        name: str

    async with talking() as (line, connection):
        line.say({"id": 1, "result": {"name": 5}})
        with pytest.raises(CallRefused, match="an answer of another shape"):
            await connection.ask(Wanted, "A.b")


@pytest.mark.deep
@pytest.mark.proves("browser-driver")
@given(
    st.lists(st.binary(max_size=40).filter(lambda part: b"\0" not in part), max_size=8), st.data()
)
def test_messages_survive_any_cut(messages: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(message + b"\0" for message in messages)
    frames, got = wire.Frames(), list[bytes]()
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        got += frames.feed(stream[:size])
        stream = stream[size:]
    assert got == messages


def test_a_message_without_an_end_is_given_up() -> None:
    frames = wire.Frames(limit=100)
    assert frames.feed(b"x" * 60) == []
    with pytest.raises(ConnectionError, match="over 100 bytes"):
        frames.feed(b"x" * 60)


@pytest.mark.proves("browser-driver")
@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(message: bytes) -> None:
    try:
        wire.incoming(message)
    except msgspec.MsgspecError:
        return


@pytest.mark.proves("browser-console")
@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rb"\ud800 end", "\ufffd end"),
        (rb"\uDC00\ud83d\uDE00\ud83d", "\ufffd\U0001f600\ufffd"),
        (rb"\\ud800 \ud800\"\\", '\\ud800 \ufffd"\\'),
    ],
)
def test_half_a_surrogate_pair_loses_no_message(written: bytes, read: str) -> None:
    """Such as the words of a dialog: unheard of, it would hold the page for ever."""
    told = wire.incoming(b'{"method":"Page.x","params":{"message":"' + written + b'"}}')
    assert msgspec.json.decode(told.params) == {"message": read}


@pytest.mark.proves("browser-driver")
async def test_a_listener_that_dies_ends_neither_the_reader_nor_the_others() -> None:
    heard: list[str] = []

    def dies(happening: wire.Incoming) -> None:
        raise RuntimeError(happening.method)

    async with talking() as (line, connection):
        connection.listen("A.happened", dies)
        connection.listen("A.happened", lambda happening: heard.append(happening.method))
        line.say({"method": "A.happened", "params": {}})
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(connection.call, "A.b")
            await sent(line, 1)
            line.say({"id": 1, "result": {}})
    assert heard == ["A.happened"]
