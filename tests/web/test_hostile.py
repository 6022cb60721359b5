"""Requests that nobody honest sends: the server refuses them, and goes on serving."""

import signal
import socket
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

import anyio
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ouroboros.faces.web.guard import SOCKETS
from ouroboros.faces.web.patience import Patience
from ouroboros.faces.web.routing import BODY_BYTES
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving as models
from tests.web.serving import Served, Socket, raw, web
from tests.web.test_program import ouro_web


async def serves(s: Served) -> None:
    """A whole run, seen by somebody."""
    session = await s.open()
    async with s.follow(session) as stream:
        await stream.say({"type": "submit", "text": "Is it?"})
        assert (await stream.events())[-1]["data"]["final"] == "Yes."


async def too_much(stream: Socket) -> None:
    """Says more than may be said at once, and listens until the connection ends."""
    await stream.raw.send("x" * (BODY_BYTES + 1))
    await stream.until("nothing")


def head(s: Served, rest: bytes, method: bytes = b"POST", path: bytes = b"/sessions") -> bytes:
    return (
        b"%s /api/v1%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
        b"Content-Type: application/json\r\n%s\r\n"
        % (method, path, s.plate.port, s.plate.token.encode(), rest)
    )


@pytest.mark.deep
@pytest.mark.proves("interfaces-hostile-clients")
async def test_bodies_that_are_too_long_are_refused_however_they_are_sent(tmp_path: Path) -> None:
    async with web(tmp_path, [Turn(text="Yes.")]) as s:
        answer = await s.client.post(
            "/api/v1/sessions",
            content=b'{"cwd":"' + b"x" * 100_000_000,
            headers={"content-type": "application/json"},
        )
        assert answer.status_code == 413
        assert f"{BODY_BYTES:,}" in answer.json()["error"]

        async def pieces() -> AsyncGenerator[bytes]:
            for _ in range(30):
                yield b"x" * 1_048_576

        answer = await s.client.post(
            "/api/v1/sessions", content=pieces(), headers={"content-type": "application/json"}
        )
        assert answer.status_code == 413
        found = await raw(s.plate.port, head(s, b"Content-Length: 99999999999999999999999\r\n"))
        assert found.split(b" ")[1] in {b"400", b"413"}
        async with s.socket("/stream") as stream:
            with pytest.raises(ConnectionClosed, match="1009"):
                await too_much(stream)
        await serves(s)


ODD = [
    ("application/json", b"[" * 1_000_000, "does not fit"),
    ("application/json", b'{"a":' * 200_000, "does not fit"),
    ("application/json", b'{"type":"explode"}', "explode"),
    ("application/json", b'{"type":"submit"}', "text"),
    ("application/json", b'{"type":"submit","text":1}', "str"),
    ("application/json", b'{"text":"x"}', "type"),
    ("application/json", b"\xff", "does not fit"),
    ("application/json", b"", "type"),
    ("text/plain", b'{"type":"submit","text":"x"}', "not JSON"),
    ("application/x-www-form-urlencoded", b"type=submit&text=x", "not JSON"),
]


@pytest.mark.deep
@pytest.mark.proves("interfaces-hostile-clients")
async def test_bodies_that_are_no_command_are_refused_with_words(tmp_path: Path) -> None:
    async with web(tmp_path, [Turn(text="Yes.")]) as s:
        session = await s.open()
        for kind, body, words in ODD:
            answer = await s.client.post(
                f"/api/v1/sessions/{session}/commands",
                content=body,
                headers={"content-type": kind},
            )
            assert answer.status_code == 400, body[:40]
            assert words in answer.json()["error"]
        for wish in ({"cwd": "/no/where"}, {"cwd": "."}, {"mode": "odd"}, {"resume": 7}):
            answer = await s.client.post("/api/v1/sessions", json=wish)
            assert answer.status_code == 400
        assert (await s.client.get("/api/v1/sessions?limit=many")).status_code == 400
        assert (await s.look(session))["seq"] == 1
        await serves(s)


@pytest.mark.deep
@pytest.mark.proves("interfaces-hostile-clients")
async def test_who_does_not_say_what_they_want_is_given_up(
    tmp_path: Path,
) -> None:
    patience = Patience(head=0.4, body=0.4)
    async with web(tmp_path, [Turn(text="Yes.")], patience=patience) as s:
        ends: list[str] = []

        async def dribble(name: str, start: bytes) -> None:
            """One byte after the other, each soon enough for a timer that every byte winds up."""
            async with await anyio.connect_tcp("127.0.0.1", s.plate.port) as stream:
                found = b""
                await stream.send(start)
                try:
                    while True:
                        with anyio.move_on_after(0.05):
                            found += await stream.receive()
                        await stream.send(b"a")
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    ends.append(f"{name} {found[9:12].decode()}".strip())

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(dribble, "nothing", b"G")
                tasks.start_soon(dribble, "head", b"GET / HTTP/1.1\r\nX: ")
                tasks.start_soon(dribble, "body", head(s, b"Content-Length: 100000\r\n"))
        assert sorted(ends) == ["body 408", "head", "nothing"]
        await serves(s)


@pytest.mark.deep
async def test_idle_connections_leave_room_for_who_works(tmp_path: Path) -> None:
    async with web(tmp_path, [Turn(text="Yes.")]) as s:
        with ExitStack() as idle:
            for _ in range(200):
                one = idle.enter_context(socket.socket())
                one.settimeout(0)
                one.connect_ex(("127.0.0.1", s.plate.port))
            await serves(s)


@pytest.mark.proves("interfaces-hostile-clients")
async def test_a_flood_of_frames_is_answered_at_the_pace_of_its_sender(tmp_path: Path) -> None:
    async with web(tmp_path, [Turn(text="Yes.")]) as s:
        session = await s.open()
        wish = {"type": "approve", "request_id": "x"}

        async def flood(stream: Socket) -> None:
            for _ in range(500):
                await stream.raw.send("nonsense")
                await stream.say(wish)

        async with s.follow(session) as stream, anyio.create_task_group() as tasks:
            tasks.start_soon(flood, stream)
            for _ in range(1_000):
                await stream.until("refused")
        await serves(s)


@pytest.mark.proves("interfaces-hostile-clients")
@pytest.mark.deep
async def test_a_thousand_connections_and_too_many_websockets_leave_the_server_at_work(
    tmp_path: Path,
) -> None:
    async with models([Turn(text="Yes.")], repeat=True) as model:
        flags = ("--model", "openai-chat/scripted", "--base-url", model.url, "--mode", "full-auto")
        with ouro_web(tmp_path, *flags) as program, ExitStack() as idle:
            for _ in range(1_000):
                one = idle.enter_context(socket.socket())
                one.settimeout(0)
                one.connect_ex(("127.0.0.1", program.plate.port))
            async with program.client() as client, AsyncExitStack() as stack:
                s = Served(program.plate, client, model, tmp_path)
                await serves(s)
                for _ in range(SOCKETS):
                    opened = await stack.enter_async_context(s.socket("/stream"))
                    stack.callback(opened.raw.transport.abort)
                with pytest.raises(InvalidStatus, match="503"):
                    await stack.enter_async_context(s.socket("/stream"))
                assert (await client.get("/api/v1/state")).status_code == 200
            async with program.client() as client:
                await serves(Served(program.plate, client, model, tmp_path))
            assert program.ends(signal.SIGINT)[0] == 0
