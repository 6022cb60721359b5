"""The websocket of the second design: the messages of its worker, as `ouro serve` has them on a local socket."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import msgspec
from anyio import CancelScope, create_task_group, to_thread
from anyio.abc import TaskGroup
from msgspec import Struct
from starlette.websockets import WebSocket, WebSocketDisconnect

from ouroboros.app.hub import Gap, Room
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.faces.web.routing import DescribedSocket, described_socket, welcome
from ouroboros.faces.web.site import Site
from ouroboros.faces.wording import worker

_encode: Callable[[worker.Told], bytes] = msgspec.json.Encoder(enc_hook=str).encode


class Message(Struct, frozen=True, kw_only=True):
    """ready, step, tool_call, tool_result, tool_pending, branched, repo_loaded, history, tree, done or error."""

    type: str


def route(site: Site) -> DescribedSocket:
    """The one websocket."""

    async def serve(socket: WebSocket) -> None:
        await welcome(socket)
        with contextlib.suppress(WebSocketDisconnect):
            async with create_task_group() as tasks:
                await _Line(socket, site, tasks).serve()
                tasks.cancel_scope.cancel()

    return described_socket(
        "/api/earlier/002",
        serve,
        "The worker's messages of the second design; the first is `init`, which opens a session.",
        sent=(Message,),
        received=worker.Asked.__value__.__args__,
        root="",
    )


class _Line:
    """One connection, which serves one session."""

    def __init__(self, socket: WebSocket, site: Site, tasks: TaskGroup) -> None:
        self._socket, self._site, self._tasks = socket, site, tasks

    async def serve(self) -> None:
        """Until the other end is closed; the run goes on then."""
        room: Room | None = None
        while (message := await self._socket.receive())["type"] == "websocket.receive":
            text = message.get("text")
            line = text.encode() if text is not None else message.get("bytes") or b""
            try:
                asked = worker.read(line)
                if room is None:
                    room = await self._entered(asked)
                else:
                    await self._take(room, asked)
            except OuroborosError as problem:
                await self._say(worker.refused(problem))

    async def _entered(self, asked: worker.Asked) -> Room:
        if not isinstance(asked, worker.Init):
            raise Misuse("no session is open yet", hint='begin with {"type": "init"}')
        hub = self._site.hub
        room = await (self._site.room(asked.session) if asked.session else hub.open())
        state = room.state
        seq = state.seq  # what happens while this is sent is told after it
        await self._say(worker.ready(room.id, cwd=state.cwd, model=state.model, mode=state.mode))
        self._tasks.start_soon(self._tell, room, seq)
        return room

    async def _take(self, room: Room, asked: worker.Asked) -> None:
        match asked:
            case worker.Init():
                raise Misuse("a session is open already", hint="one connection serves one session")
            case worker.GetHistory():
                await self._say(worker.history(room.session.history()))
            case worker.GetTree():
                await self._say(worker.tree(room.session.tree()))
            case worker.LoadRepo(owner=owner, repo=repo):
                await self._say(worker.loaded(owner, repo, await self._loaded(room, owner, repo)))
            case _:
                command = worker.command_of(asked, running=room.running)
                if command is not None:
                    await room.send(command)

    async def _loaded(self, room: Room, owner: str, repo: str) -> str:
        from ouroboros.app.repos.bringing import Asked, Repos

        outfit, cwd = self._site.outfit, Path(room.state.cwd)
        loaded = await to_thread.run_sync(outfit.loaded, cwd)
        repos = Repos(loaded.settings, home=loaded.home, cwd=cwd, environment=outfit.environment)
        return (await repos.add(Asked(source=f"{owner}/{repo}"))).path

    async def _tell(self, room: Room, after: int) -> None:
        async with room.batches(after) as batches:
            async for batch in batches:
                for envelope in () if isinstance(batch, Gap) else batch:
                    told = worker.told(envelope)
                    if told is not None:
                        await self._say(told)
        with CancelScope(shield=True):
            await self._socket.close(1001)

    async def _say(self, told: worker.Told) -> None:
        await self._socket.send_text(_encode(told).decode())
