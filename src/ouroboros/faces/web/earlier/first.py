"""The websocket of the first design: a task for the mind that writes code, its events, and its tabs."""

import contextlib
from secrets import token_hex

from anyio import CancelScope, create_task_group
from anyio.abc import TaskGroup, TaskStatus
from starlette.websockets import WebSocket, WebSocketDisconnect

from ouroboros.app.browsing.live import TooSlow
from ouroboros.app.hub import Gap, Room
from ouroboros.core.commands import Approve, Command, Deny, Interrupt, Steer
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.events.earlier import Earlier
from ouroboros.faces.web.earlier import channels
from ouroboros.faces.web.routing import DescribedSocket, described_socket, welcome
from ouroboros.faces.web.site import Site

_ASKED = 1_000


def route(site: Site) -> DescribedSocket:
    """The one websocket."""

    async def serve(socket: WebSocket) -> None:
        await welcome(socket)
        with contextlib.suppress(WebSocketDisconnect):
            async with create_task_group() as tasks:
                await _Line(socket, site, tasks).serve()
                tasks.cancel_scope.cancel()

    return described_socket(
        "/api/earlier/000",
        serve,
        "The messages of the first design: `rlm:submit-task`, `rlm:cancel`, `rlm:get-state`, "
        "`rlm:confirmation-resp` and `tab:*` up, `rlm:*` and `tab:*` down.",
        query={"session": "one to go on with; without, the first request that needs one opens it"},
        sent=(channels.Message,),
        received=(channels.Request,),
        root="",
    )


class _Line:
    """One connection."""

    def __init__(self, socket: WebSocket, site: Site, tasks: TaskGroup) -> None:
        self._socket, self._site, self._tasks = socket, site, tasks
        self._room: Room | None = None
        self._hear: _Tabs | None = None

    async def serve(self) -> None:
        """Until the other end is closed."""
        named = self._socket.query_params.get("session", "")
        if named:
            try:
                await self._enter(await self._site.room(named))
            except OuroborosError as problem:
                await self._say(channels.refused(problem))
        while (message := await self._socket.receive())["type"] == "websocket.receive":
            text = message.get("text")
            await self._take(text.encode() if text is not None else message.get("bytes") or b"")

    async def _take(self, message: bytes) -> None:
        request = None
        try:
            request = channels.read(message)
            answer = await self._done(request)
        except OuroborosError as problem:
            await self._say(channels.refused(problem, request))
        else:
            if answer is not None and request.id:
                await self._say(channels.Message(ch=request.ch, id=request.id, data=answer))

    async def _done(self, request: channels.Request) -> dict[str, object] | None:
        """Carries a request out; None where the answer comes later."""
        match request.ch:
            case "rlm:submit-task":
                task = channels.fields(request, channels.SubmitTask).task
                room = await self._opened()
                await room.send(Steer(text=task))
                return {"session": room.id}
            case "rlm:get-state":
                room = await self._opened()
                return channels.standing(room.state, running=room.running)
            case "rlm:cancel":
                await (await self._opened()).send(Interrupt())
                return {}
            case "rlm:confirmation-resp":
                room = await self._opened()
                await room.send(_answer(room, channels.fields(request, channels.ConfirmationResp)))
                return {}
            case ch if ch.startswith(channels.TABS):
                await self._opened()
                if self._hear is None:
                    raise Misuse("this session has no browser")
                self._hear.ask(request)
                return None
            case ch:
                raise Misuse(f"there is no channel {ch[:80]!r}")

    async def _opened(self) -> Room:
        if self._room is None:
            await self._enter(await self._site.hub.open(mind="rlm", browser=True))
        assert self._room is not None
        return self._room

    async def _enter(self, room: Room) -> None:
        self._room = room
        self._tasks.start_soon(self._tell, room, room.state.seq)
        if room.session.live is not None:
            self._hear = await self._tasks.start(_Tabs(self._socket, room).serve)

    async def _tell(self, room: Room, after: int) -> None:
        earlier = Earlier()
        async with room.batches(after) as batches:
            async for batch in batches:
                for envelope in () if isinstance(batch, Gap) else batch:
                    told = earlier.tell(envelope)
                    if told is not None:
                        await self._say(channels.Message(ch=told[0], data=told[1]))
        with CancelScope(shield=True):
            await self._socket.close(1001)

    async def _say(self, message: channels.Message) -> None:
        await self._socket.send_text(channels.written(message))


class _Tabs:
    """The tabs of the session, through a window of the live view that looks at no picture."""

    def __init__(self, socket: WebSocket, room: Room) -> None:
        self._socket, self._room = socket, room
        self._asked: dict[str, str] = {}

    async def serve(self, *, task_status: TaskStatus["_Tabs"]) -> None:
        """Until cancelled, or until the other end reads too slowly."""
        live = self._room.session.live
        assert live is not None
        async with live.viewer(token_hex(8)) as self._window:
            task_status.started(self)
            with contextlib.suppress(TooSlow):
                while True:
                    said = await self._window.next()
                    told = channels.happening(said, self._asked) if isinstance(said, str) else None
                    if told is not None:
                        await self._socket.send_text(channels.written(told))

    def ask(self, request: channels.Request) -> None:
        """Takes a wish; its answer comes when it is carried out."""
        wish = channels.wish(request)
        if len(self._asked) >= _ASKED:
            raise Misuse("too many requests wait for their answers")
        if request.id:
            self._asked[request.id] = request.ch
        self._window.hear(wish)


def _answer(room: Room, given: channels.ConfirmationResp) -> Command:
    asked = given.request_id or next(iter(room.state.approvals), "")
    if not asked:
        raise Misuse("nothing waits for a yes or a no")
    if given.approved:
        return Approve(request_id=asked)
    return Deny(request_id=asked, message=given.message)
