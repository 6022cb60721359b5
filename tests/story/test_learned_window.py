"""A local server is asked how much its model can see, while nobody waits for the answer."""

import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from ouroboros.core.events import ContextCompacted
from ouroboros.core.events.code import Logged
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer
from tests.passing import passes, until
from tests.story.stage import Stage, stage

LONG = "word " * 8_000
TURNS = [Turn(text="Read."), Turn(text="summary"), Turn(text="done")]
SMALL = 12_000

OLLAMA: dict[str, Any] = {
    "/api/tags": {"models": [{"name": "scripted:latest"}, {"name": "gone:latest"}]},
    "/api/show": {"model_info": {"llama.context_length": SMALL}, "capabilities": ["completion"]},
}
VLLM: dict[str, Any] = {"/v1/models": {"data": [{"id": "scripted", "max_model_len": SMALL}]}}
LMSTUDIO: dict[str, Any] = {
    "/api/v0/models": {"data": [{"id": "scripted", "loaded_context_length": SMALL}]}
}
LISTS: dict[str, dict[str, Any]] = {"ollama": OLLAMA, "vllm": VLLM, "lmstudio": LMSTUDIO}


def lists(server: ScriptedServer) -> list[str]:
    """What was asked besides replies."""
    return [one.path for one in server.exchanges if one.path in server.pages]


async def warmed(s: Stage) -> None:
    """Connects and asks; the moment that is left to the first words before is let go by."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(s.session.warm)
        await until(lambda: s.server.connections)
        await anyio.sleep(0.02)  # if it rests only later, then for as long as it really does
        passes(1)


async def summaries(s: Stage) -> int:
    """Says much, then a little: a small window is full by then."""
    await s.run(LONG)
    await s.run("And now?")
    return len(s.events(ContextCompacted))


@pytest.mark.deep
@pytest.mark.proves("A31", "H14")
@pytest.mark.parametrize(
    "format",
    [
        "ollama",
        pytest.param("vllm", marks=pytest.mark.deep),
        pytest.param("lmstudio", marks=pytest.mark.deep),
    ],
)
async def test_what_the_server_says_of_its_window_counts(tmp_path: Path, format: str) -> None:
    async with stage(tmp_path, TURNS, format=format) as s:
        s.server.pages = LISTS[format]
        await warmed(s)
        assert await summaries(s) == 1
        # The next session need not ask.
        asked = len(lists(s.server))
        again: dict[str, Any] = {"base_url": s.server.url, "check": False}
        async with stage(tmp_path, [], format=format, **again) as later:
            await later.session.warm()
            assert len(lists(s.server)) == asked


@pytest.mark.proves("A31")
async def test_it_counts_from_the_next_request_of_a_session_that_has_begun(tmp_path: Path) -> None:
    turns = [TURNS[0], *TURNS]
    async with stage(tmp_path, turns, format="vllm") as s:
        await s.run(LONG)
        s.server.pages = VLLM
        await warmed(s)
        await s.run("And now?")
        assert len(s.events(ContextCompacted)) == 1


@pytest.mark.proves("A31")
async def test_a_provider_of_ones_own_is_asked_with_the_same_proof(tmp_path: Path) -> None:
    count = tmp_path / "count"
    mine: dict[str, Any] = {
        "base_url": "{server}/v1",
        "auth": "command",
        "command": f"echo once >> {count}; echo token-1",
    }
    providers = {"mine": mine}
    settings: dict[str, Any] = {"model": "mine/scripted", "base_url": "", "providers": providers}
    async with stage(tmp_path, TURNS, **settings) as s:
        s.server.pages = VLLM
        await warmed(s)
        assert await summaries(s) == 1
        assert {one.headers.get("authorization") for one in s.server.exchanges} == {
            "Bearer token-1"
        }
    assert await anyio.Path(count).read_text() == "once\n"


@pytest.mark.deep
@pytest.mark.proves("A31")
async def test_nobody_is_asked_in_vain(tmp_path: Path) -> None:
    asked: dict[str, list[str]] = {}
    cases: dict[str, dict[str, Any]] = {
        "told": {"format": "vllm", "context": {"window": 90_000}},
        "told of the model": {"format": "vllm", "models": {"vllm/scripted": {"window": 90_000}}},
        "kept replies": {"format": "vllm", "cache_replies": True},
        "gateway": {"format": "openai-chat"},
        "no server": {"format": "vllm", "model": "echo"},
    }
    for name, settings in cases.items():
        async with stage(tmp_path, TURNS, **settings) as s:
            s.server.pages = VLLM
            await s.session.warm()
            asked[name] = lists(s.server)
    assert asked == {name: [] for name in cases}


PAGES: list[dict[str, Any]] = [
    {},
    {"data": "none"},
    {"data": [{"id": "scripted"}]},
    {"data": [{"id": "other"}]},
]


@pytest.mark.deep
@pytest.mark.proves("A31")
async def test_a_list_that_says_nothing_changes_nothing(tmp_path: Path) -> None:
    wrong: list[object] = []
    for number, page in enumerate(PAGES):
        folder = tmp_path / str(number)
        await anyio.Path(folder).mkdir()
        async with stage(folder, TURNS, format="vllm") as s:
            s.server.pages = {"/v1/models": page}
            await warmed(s)
            found = (lists(s.server), await summaries(s), s.events(Logged))
        if found != (["/v1/models"], 0, []):
            wrong.append((page, found))
    assert wrong == []


async def test_where_the_list_cannot_be_kept_it_counts_all_the_same(tmp_path: Path) -> None:
    async with stage(tmp_path, TURNS, format="vllm") as s:
        s.server.pages = VLLM
        await anyio.Path(tmp_path / "home" / "cache").write_text("a file where a folder should be")
        await warmed(s)
        assert await summaries(s) == 1


@pytest.mark.proves("A31")
@pytest.mark.deep
async def test_a_list_that_never_comes_keeps_nobody_from_leaving(tmp_path: Path) -> None:
    asked = anyio.Event()

    async def silent(stream: SocketStream) -> None:
        async with stream:
            if await stream.receive():
                asked.set()
                await anyio.sleep_forever()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    url = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, silent)
        words = [sys.executable, "-m", "ouroboros", "chat", "--model", "vllm/m", "--base-url", url]
        async with await anyio.open_process(words, cwd=tmp_path) as process:
            assert process.stdin is not None
            with anyio.fail_after(60):
                await asked.wait()
            await process.stdin.send(b"/quit\n")
            with anyio.fail_after(60):
                assert await process.wait() == 0
        tasks.cancel_scope.cancel()
