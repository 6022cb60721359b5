"""A server on loopback with a scripted model behind it; programs and pages that speak to it."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import anyio
import httpx2
from websockets.asyncio.client import ClientConnection, connect

from ouroboros.faces.web.door import Doorplate, served
from ouroboros.faces.web.patience import Patience
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer
from ouroboros.testing.server import serving as models
from tests.story.hub_stage import outfit

type Frame = dict[str, Any]


class Served:
    """The server, and a client that has its token."""

    def __init__(
        self, plate: Doorplate, client: httpx2.AsyncClient, model: ScriptedServer, root: Path
    ) -> None:
        self.plate, self.client, self.model, self.root = plate, client, model, root

    async def open(self, **wish: Any) -> str:
        """A session."""
        answer = await self.client.post("/api/v1/sessions", json=wish)
        assert answer.status_code == 201, answer.text
        return cast("str", answer.json()["session"])

    async def send(self, session: str, kind: str, **fields: Any) -> httpx2.Response:
        """A command over HTTP."""
        return await self.client.post(
            f"/api/v1/sessions/{session}/commands", json={"type": kind, **fields}
        )

    async def look(self, session: str) -> Frame:
        """The session as it stands."""
        answer = await self.client.get(f"/api/v1/sessions/{session}")
        assert answer.status_code == 200, answer.text
        return cast("Frame", answer.json())

    async def rests(self, session: str, *, seconds: float = 60.0) -> Frame:
        """Waits until nothing runs in it."""
        with anyio.fail_after(seconds):
            while True:
                now = await self.look(session)
                if not now["running"]:
                    return now
                await anyio.sleep(0.02)

    async def log(self, session: str) -> list[Frame]:
        """All that is on record of it."""
        found: list[Frame] = []
        while True:
            after = found[-1]["seq"] if found else 0
            answer = await self.client.get(f"/api/v1/sessions/{session}/events?after={after}")
            batch = cast("list[Frame]", answer.json()["events"])
            found += batch
            if len(batch) < 500:
                return found

    @asynccontextmanager
    async def socket(self, path: str, **headers: str) -> AsyncGenerator["Socket"]:
        """A websocket as a program opens it; a path that is not below ``/api`` is below ``/api/v1``."""
        whole = path if path.startswith("/api/") else f"/api/v1{path}"
        given = {"Authorization": f"Bearer {self.plate.token}", **headers}
        async with connect(
            f"ws://127.0.0.1:{self.plate.port}{whole}",
            additional_headers=given,
            proxy=None,
            compression=None,
            max_size=None,
            ping_interval=None,
        ) as opened:
            yield Socket(opened)

    def follow(self, session: str, after: int = 0) -> Any:
        """The stream of a session."""
        return self.socket(f"/sessions/{session}/stream?after={after}")


class Socket:
    """One end of a websocket that speaks in frames."""

    def __init__(self, opened: ClientConnection) -> None:
        self.raw = opened
        self._count = 0

    async def hear(self) -> Frame:
        """The next frame that is no ping."""
        with anyio.fail_after(60):
            while True:
                frame = cast("Frame", json.loads(await self.raw.recv()))
                if frame["kind"] != "ping":
                    return frame

    async def until(self, kind: str) -> Frame:
        """Reads on up to a frame of this kind."""
        while (frame := await self.hear())["kind"] != kind:
            pass
        return frame

    async def say(self, command: Frame) -> str:
        """Sends a command; gives its id."""
        self._count += 1
        name = str(self._count)
        await self.raw.send(json.dumps({"kind": "command", "id": name, "command": command}))
        return name

    async def events(self, last: str = "task.completed") -> list[Frame]:
        """Events up to one of this type."""
        found: list[Frame] = []
        while not any(each["type"] == last for each in found[-500:]):
            frame = await self.hear()
            if frame["kind"] == "events":
                found += frame["events"]
        return found


def is_durable(event: Frame) -> bool:
    """A delta has no id."""
    return bool(event["id"])


@asynccontextmanager
async def web(
    tmp_path: Path,
    turns: Sequence[Turn] = (),
    *,
    repeat: bool = False,
    patience: Patience | None = None,
    **flags: Any,
) -> AsyncGenerator[Served]:
    """A server in this process; ``flags`` are settings by dotted key, with ``__`` for the dot."""
    given = {name.replace("__", "."): value for name, value in flags.items()}
    async with (
        models(list(turns), repeat=repeat) as model,
        served(outfit(tmp_path, model.url, **given), patience=patience) as plate,
        httpx2.AsyncClient(
            base_url=plate.address,
            headers={"authorization": f"Bearer {plate.token}"},
            timeout=60,
            trust_env=False,
        ) as client,
    ):
        yield Served(plate, client, model, tmp_path)


async def raw(port: int, *pieces: bytes, wait: float = 60.0) -> bytes:
    """Sends bytes as they are; all that comes back until the other end closes, or falls silent."""
    found = b""
    async with await anyio.connect_tcp("127.0.0.1", port) as stream:
        for piece in pieces:
            await stream.send(piece)
        try:
            while True:
                with anyio.fail_after(wait):
                    found += await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError, TimeoutError):
            return found
