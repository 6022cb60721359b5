"""The websockets: a session's events down and commands up, and a list of the open sessions."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from functools import partial
from secrets import token_hex

import anyio
import msgspec
from anyio import CapacityLimiter, create_memory_object_stream, create_task_group
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from starlette.websockets import WebSocket, WebSocketDisconnect

from ouroboros.app.hub import Gap, Room
from ouroboros.app.hub.presence import BEAT_SECONDS, Client
from ouroboros.core.errors import OuroborosError
from ouroboros.core.events import Envelope
from ouroboros.core.ipc.lines import decoded
from ouroboros.faces.web import frames
from ouroboros.faces.web.routing import DescribedSocket, described_socket, welcome
from ouroboros.faces.web.site import Site
from ouroboros.faces.web.snapshots import listed

_BREATH_SECONDS = 0.012
"""Between two frames of events: what comes meanwhile goes together."""

_WAITING = 256
"""Events that wait for a reader who is slow; one that is slower reads the log instead."""

_FRAME_BYTES = 262_144
_LIST_SECONDS = 0.05
_AT_ONCE = 16
_ASIDES = 32
_NAMED = 50
"""Of those who are here so many are named; the more there are, the rarer they are told of each other."""

GONE, UNKNOWN = 1001, 4404


def routes(site: Site) -> list[DescribedSocket]:
    """The websockets."""

    async def stream(socket: WebSocket) -> None:
        await welcome(socket)
        try:
            room = await site.room(socket.path_params["session"])
        except OuroborosError as problem:
            await say(socket, frames.Closed(reason="failed", error=problem.message))
            await socket.close(UNKNOWN)
            return
        with contextlib.suppress(WebSocketDisconnect):
            await _Talk(socket, site, room).serve(_cursor(socket))

    async def overview(socket: WebSocket) -> None:
        await welcome(socket)
        with contextlib.suppress(WebSocketDisconnect):
            await _Overview(socket, site).serve()

    return [
        described_socket(
            "/sessions/{session}/stream",
            stream,
            "A session's events after a cursor, then live; commands go up the same way.",
            query={"after": "number of the last event that is known; 0 for all"},
            sent=(
                frames.Hello,
                frames.Events,
                frames.Lost,
                frames.Ping,
                frames.Done,
                frames.Declined,
                frames.Told,
                frames.Closed,
            ),
            received=(frames.Do, frames.Pong),
        ),
        described_socket(
            "/stream",
            overview,
            "All open sessions and who is here, now and after each change.",
            sent=(frames.Sessions, frames.Present, frames.Ping),
            received=(frames.Pong,),
        ),
    ]


class _Seat:
    """A socket of somebody who is here."""

    def __init__(self, socket: WebSocket, site: Site, session: str = "") -> None:
        self.socket, self._site, self._session = socket, site, session
        self.name = token_hex(6)

    def __enter__(self) -> "_Seat":
        hub = self._site.hub
        hub.presence.join(self.name, self._site.clock.monotonic(), session=self._session)
        hub.tell(self._session)
        return self

    def __exit__(self, *_: object) -> None:
        hub = self._site.hub
        hub.presence.leave(self.name)
        hub.tell(self._session)

    async def hear(self) -> bytes | None:
        """The next message; None when the other end is gone."""
        message = await self.socket.receive()
        if message["type"] != "websocket.receive":
            return None
        if self._site.hub.presence.beat(self.name, self._site.clock.monotonic()):
            self._site.hub.tell(self._session)
        text = message.get("text")
        return text.encode() if text is not None else message.get("bytes") or b""

    async def ping(self) -> None:
        """Until cancelled."""
        while True:
            await anyio.sleep(BEAT_SECONDS)
            await say(self.socket, frames.Ping())


class _Talk:
    """One reader of one session."""

    def __init__(self, socket: WebSocket, site: Site, room: Room) -> None:
        self._socket, self._room = socket, room
        self._seat = _Seat(socket, site, room.id)
        self._limit = CapacityLimiter(_AT_ONCE)
        self._asides = site.asides

    async def serve(self, after: int) -> None:
        """Until either end is closed."""
        room = self._room
        hello = frames.Hello(session=room.id, seq=room.state.seq, client=self._seat.name)
        told, heard = create_memory_object_stream[frames.Told](_ASIDES)
        with told, heard, self._asides.heard(room.id, partial(_put, told)), self._seat:
            await say(self._socket, hello)
            async with create_task_group() as tasks:
                tasks.start_soon(self._tell, after, heard)
                tasks.start_soon(self._seat.ping)
                await self._hear(tasks)
                tasks.cancel_scope.cancel()

    async def _tell(self, after: int, heard: MemoryObjectReceiveStream[frames.Told]) -> None:
        last = frames.Closed()
        async with create_task_group() as beside:  # nothing is said any more once it is closed
            beside.start_soon(self._say_aside, heard)
            try:
                async with self._room.batches(after, capacity=_WAITING) as batches:
                    await self._show(batches)
            except OuroborosError as problem:
                last = frames.Closed(reason="failed", error=problem.message)
            beside.cancel_scope.cancel()
        await say(self._socket, last)
        await self._socket.close(GONE)

    async def _say_aside(self, heard: MemoryObjectReceiveStream[frames.Told]) -> None:
        async for told in heard:
            await say(self._socket, told)

    async def _show(self, batches: AsyncIterator[list[Envelope] | Gap]) -> None:
        async for batch in batches:
            if isinstance(batch, Gap):
                await say(self._socket, frames.Lost(after=batch.after))
                continue
            for text in _written(batch):
                await self._socket.send_text(text)
            await anyio.sleep(_BREATH_SECONDS)

    async def _hear(self, tasks: TaskGroup) -> None:
        while (message := await self._seat.hear()) is not None:
            try:
                frame = decoded(frames.read, message)
            except (msgspec.DecodeError, RecursionError) as wrong:
                await say(self._socket, frames.Declined(id="", error=f"not a frame: {wrong}"))
                continue
            if isinstance(frame, frames.Do):
                place = object()  # a frame may come twice, and some have no hash
                await self._limit.acquire_on_behalf_of(place)
                tasks.start_soon(self._do, frame, place)

    async def _do(self, frame: frames.Do, place: object) -> None:
        try:
            await self._room.send(frame.command)
            answer = frames.Done(id=frame.id)
        except OuroborosError as problem:
            answer = frames.Declined(id=frame.id, error=problem.message, hint=problem.hint)
        finally:
            self._limit.release_on_behalf_of(place)
        await say(self._socket, answer)


class _Overview:
    """One reader of the list."""

    def __init__(self, socket: WebSocket, site: Site) -> None:
        self._socket, self._site = socket, site
        self._seat = _Seat(socket, site)
        self._changed = anyio.Event()

    async def serve(self) -> None:
        """Until the other end is closed."""
        hub = self._site.hub
        hub.listen(self._note)
        try:
            with self._seat:
                async with create_task_group() as tasks:
                    tasks.start_soon(self._tell)
                    tasks.start_soon(self._seat.ping)
                    while await self._seat.hear() is not None:
                        pass
                    tasks.cancel_scope.cancel()
        finally:
            hub.forget(self._note)

    def _note(self, session: str) -> None:
        del session
        self._changed.set()

    async def _tell(self) -> None:
        """Each change, and after each beat, since who is silent changes nothing by itself."""
        last: tuple[object, ...] = ()
        while True:
            self._changed = anyio.Event()
            rooms = tuple(listed(room) for room in self._site.hub.rooms())
            now = self._site.clock.monotonic()
            clients = self._site.hub.presence.present(now)
            if last[:1] != (rooms,):
                await say(self._socket, frames.Sessions(sessions=rooms))
            if last[1:] != (names := tuple(each.id for each in clients),):
                here = _here(clients[:_NAMED], now)
                await say(self._socket, frames.Present(count=len(clients), clients=here))
            last = (rooms, names)
            with anyio.move_on_after(BEAT_SECONDS):
                await self._changed.wait()
            await anyio.sleep(_LIST_SECONDS * (1 + len(clients) / _NAMED))


def _here(clients: tuple[Client, ...], now: float) -> tuple[frames.Here, ...]:
    return tuple(
        frames.Here(
            id=each.id, session=each.session, since=now - each.joined, leads=each is clients[0]
        )
        for each in clients
    )


def _written(batch: list[Envelope]) -> Iterator[str]:
    """Frames of events, none much longer than a reader likes."""
    lines: list[str] = []
    size = 0
    for envelope in batch:
        line = frames.write.encode(envelope).decode()
        if lines and size + len(line) > _FRAME_BYTES:
            yield _framed(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    yield _framed(lines)


def _framed(lines: list[str]) -> str:
    return f'{{"kind":"events","events":[{",".join(lines)}]}}'


async def say(socket: WebSocket, frame: frames.Sent) -> None:
    """Sends one frame."""
    await socket.send_text(frames.write.encode(frame).decode())


def _put(stream: MemoryObjectSendStream[frames.Told], told: frames.Told) -> None:
    with contextlib.suppress(
        anyio.WouldBlock
    ):  # a reader who is that slow misses words for the moment
        stream.send_nowait(told)


def _cursor(socket: WebSocket) -> int:
    given = socket.query_params.get("after", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) <= 16 else 0
