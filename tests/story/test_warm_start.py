"""The connection is there before the first words are, and nobody waits for it or notices when it goes."""

import os
import sys
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from ouroboros.core.events import ModelRetried
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests.story.stage import stage

HI = Turn(text="Hi there.")


async def connected(server: ScriptedServer) -> None:
    for _ in range(1500):
        if server.connections:
            return
        await anyio.sleep(0.01)
    raise AssertionError("nobody connected")


@pytest.mark.proves("A31")
async def test_the_first_request_finds_the_connection_open(tmp_path: Path) -> None:
    async with stage(tmp_path, [HI]) as s:
        await s.session.warm()
        await connected(s.server)
        assert s.server.exchanges == []
        assert (await s.run()).final == HI.text
        assert s.server.connections == 1


@pytest.mark.proves("A31")
async def test_words_that_come_while_it_connects_share_the_connection(tmp_path: Path) -> None:
    async with stage(tmp_path, [HI]) as s, anyio.create_task_group() as tasks:
        tasks.start_soon(s.session.warm)
        assert (await s.run()).final == HI.text
        assert s.server.connections == 1


@pytest.mark.proves("A31")
@pytest.mark.deep
@pytest.mark.parametrize("face", ["run", "chat"])
async def test_the_program_connects_before_it_is_told_anything(tmp_path: Path, face: str) -> None:
    async with serving([HI]) as server:
        words = [sys.executable, "-m", "ouroboros", face, "--model", "openai-chat/m"]
        words += ["--base-url", server.url]
        words += ["hello"] if face == "run" else []
        async with await anyio.open_process(words, cwd=tmp_path) as process:
            assert process.stdin is not None
            if face == "chat":
                await connected(server)
                assert server.exchanges == []
                await process.stdin.send(b"hello\n")
            await process.stdin.aclose()
            with anyio.fail_after(60):
                assert await process.wait() == 0
        assert server.connections == 1
        assert len(server.exchanges) == 1


@pytest.mark.proves("A31")
async def test_a_server_that_hung_up_meanwhile_is_called_again_in_silence(tmp_path: Path) -> None:
    scripted = ScriptedServer([HI])
    hung_up = anyio.Event()

    async def handle(stream: SocketStream) -> None:
        if hung_up.is_set():
            await scripted.handle(stream)
            return
        await stream.aclose()
        hung_up.set()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    url = f"http://127.0.0.1:{listener.extra_attributes[SocketAttribute.local_port]()}"
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, handle)
        async with stage(tmp_path, [], base_url=url) as s:
            await s.session.warm()
            await hung_up.wait()
            assert (await s.run()).final == HI.text
            assert s.events(ModelRetried) == []
            assert len(scripted.exchanges) == 1
        tasks.cancel_scope.cancel()


@pytest.mark.proves("A31")
async def test_a_server_that_is_not_there_is_missed_only_by_the_first_request(
    tmp_path: Path,
) -> None:
    network = {"request_retries": 0}
    async with stage(tmp_path, [], base_url="http://127.0.0.1:1", network=network) as s:
        await s.session.warm()
        assert all(e.type == "session.ready" for e in s.shown)
        assert (await s.run()).reason == "failed"


@pytest.mark.proves("A31")
@pytest.mark.deep
async def test_a_server_that_never_answers_the_call_keeps_nobody_from_leaving(
    tmp_path: Path,
) -> None:
    # A listener that accepts and then stays silent, as a handshake would.
    async def silent(stream: SocketStream) -> None:
        async with stream:
            await anyio.sleep_forever()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    url = f"https://127.0.0.1:{listener.extra_attributes[SocketAttribute.local_port]()}"
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, silent)
        words = [sys.executable, "-m", "ouroboros", "chat", "--model", "openai-chat/m"]
        words += ["--base-url", url]
        patient = {**os.environ, "OUROBOROS_NETWORK_CONNECT_TIMEOUT": "300"}
        async with await anyio.open_process(words, cwd=tmp_path, env=patient) as process:
            assert process.stdin is not None
            await process.stdin.send(b"/quit\n")
            with anyio.fail_after(60):
                assert await process.wait() == 0
        tasks.cancel_scope.cancel()


@pytest.mark.proves("A31")
async def test_where_replies_may_be_kept_nothing_is_opened_ahead(tmp_path: Path) -> None:
    async with stage(tmp_path, [HI], cache_replies=True) as s:
        await s.session.warm()
        assert s.server.connections == 0
