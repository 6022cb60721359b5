"""The bridge to every other vendor: the real LiteLLM package against servers on loopback."""

import gc
import json
import subprocess
import sys
import warnings
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.cassettes import Play, Record
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.providers import models
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import FailureKind, ModelFailed, ModelUnknown
from ouroboros.core.parts import Message, Reasoning, Text, ToolCall, ToolResult, ToolSpec
from ouroboros.llm.client import Client
from ouroboros.llm.providers import find
from ouroboros.llm.request import Request
from ouroboros.llm.stream import BlockGrew, CallReady, Finished, StreamEvent
from ouroboros.llm.turns import Fault, ScriptedCall, ScriptedUsage, Turn
from ouroboros.testing.raw import Speech, Step, head, raw_serving
from ouroboros.testing.server import ScriptedServer, serving
from tests.cases import every
from tests.unit.llm.fault_ground import nobody
from tests.unit.llm.vendor_server import Answer, bare

imports_it = pytest.mark.deep
"""The package takes seconds to import, so most of these run with the deep tests."""

pytestmark = [
    pytest.mark.filterwarnings("ignore:Item .* is using the `ReadOnly` qualifier"),
    pytest.mark.real,
]

READ = ToolSpec(name="read", description="Reads.", schema='{"type":"object","properties":{}}')
TURN = Turn(
    reasoning="Hm.",
    text="Hello there",
    chunk=3,
    tool_calls=(ScriptedCall(name="read", arguments={"path": "a"}),),
    usage=ScriptedUsage(input_uncached=11, output_text=5),
)


@pytest.fixture(autouse=True)
def what_the_package_never_awaited() -> Iterator[None]:
    """Is let go of with the test that began it, not in one of another file."""
    yield
    with warnings.catch_warnings(action="ignore"):
        gc.collect()


def asking(*earlier: Message) -> Request:
    words = Message(id="u", role="user", parts=(Text(text="hi"),))
    return Request(model="", messages=(words, *earlier), tools=(READ,), max_output_tokens=50)


@asynccontextmanager
async def bridged(url: str, vendor: str = "openai", **network: float) -> AsyncGenerator[Client]:
    settings = msgspec.convert(
        {
            "model": f"litellm/{vendor}/some-model",
            "base_url": url,
            "providers": {"litellm": {"key_env": "BRIDGE_KEY"}},
            "network": {"request_retries": 0, "stream_retries": 0, **network},
        },
        Settings,
    )
    environment = {"BRIDGE_KEY": "sk-bridge"}
    choice = models.choose(settings, environment).choice
    client = await models.connect(choice, settings.network, environment, SystemClock())
    try:
        yield client
    finally:
        await client.close()


async def said(client: Client, request: Request) -> list[StreamEvent]:
    asked = msgspec.structs.replace(request, model="openai/some-model")
    async with client.stream(asked) as events:
        return [event async for event in events]


@pytest.mark.proves("H04")
@imports_it
async def test_a_reply_comes_through_the_bridge_as_from_any_vendor() -> None:
    async with serving([TURN], repeat=True) as server, bridged(server.url) as client:
        events = await said(client, asking())
        exchange = server.exchanges[0]
    last = events[-1]
    assert isinstance(last, Finished)
    thoughts = "".join(part.text for part in last.parts if isinstance(part, Reasoning))
    words = "".join(part.text for part in last.parts if isinstance(part, Text))
    calls = [part for part in last.parts if isinstance(part, ToolCall)]
    assert (thoughts, words) == ("Hm.", "Hello there")
    assert [(call.name, json.loads(call.arguments)) for call in calls] == [("read", {"path": "a"})]
    assert [event.call for event in events if isinstance(event, CallReady)] == calls
    assert sum(isinstance(event, BlockGrew) and event.kind == "text" for event in events) > 1
    assert last.stop_reason == "tool_calls"
    assert last.usage is not None
    assert (last.usage.input_total, last.usage.output_total) == (11, 5)
    assert exchange.headers["authorization"] == "Bearer sk-bridge"
    assert exchange.json["model"] == "some-model"
    assert client.origin.provider == "litellm"


@imports_it
async def test_the_history_goes_through_the_bridge() -> None:
    async with serving([Turn(text="done")], repeat=True) as server, bridged(server.url) as client:
        call = ToolCall(id="c1", name="read", arguments='{"path":"a"}')
        answer = Message(id="a", role="assistant", parts=(call,), origin=client.origin)
        parts = (ToolResult(call_id="c1", name="read", parts=(Text(text="alpha"),)),)
        events = await said(client, asking(answer, Message(id="r", role="user", parts=parts)))
        sent = msgspec.convert(server.exchanges[0].json["messages"], list[dict[str, object]])
    assert isinstance(events[-1], Finished)
    assert [each["role"] for each in sent] == ["user", "assistant", "tool"]
    assert sent[2]["content"] == "alpha"


@pytest.mark.proves("H04")
@imports_it
@every(
    ("fault", "kind"),
    [
        (Fault(kind="auth"), "auth"),
        (Fault(kind="rate_limit"), "rate_limit"),
        (Fault(kind="server"), "server"),
        (Fault(kind="model_not_found"), "model_not_found"),
        (Fault(kind="context_overflow"), "context_overflow"),
    ],
)
async def test_a_refusal_is_typed_and_tried_once(fault: Fault, kind: FailureKind) -> None:
    async with serving([Turn(fault=fault)], repeat=True) as server, bridged(server.url) as client:
        with pytest.raises(ModelFailed) as caught:
            await said(client, asking())
        assert len(server.exchanges) == 1
    assert caught.value.failure.kind == kind
    assert "sk-bridge" not in caught.value.failure.message


@imports_it
async def test_a_server_that_is_not_there_is_a_failure_of_transport() -> None:
    with nobody() as url:
        async with bridged(url) as client:
            with pytest.raises(ModelFailed) as caught:
                await said(client, asking())
    assert caught.value.failure.kind in {"transport", "server"}
    assert caught.value.failure.retryable


@imports_it
async def test_silence_ends_by_the_idle_timeout() -> None:
    silent = Turn(fault=Fault(kind="silent"))
    async with serving([silent]) as server, bridged(server.url, idle_timeout=0.3) as client:
        with pytest.raises(ModelFailed) as caught:
            await said(client, asking())
    assert caught.value.failure.kind == "timeout"


@imports_it
async def test_a_stream_that_breaks_off_is_no_whole_reply() -> None:
    cut = Turn(text="Hello there", chunk=3, fault=Fault(kind="cut", after=6))
    async with serving([cut]) as server, bridged(server.url) as client:
        with pytest.raises(ModelFailed) as caught:
            await said(client, asking())
    assert caught.value.failure.kind in {"transport", "server"}


async def closed_after_cancel(server: ScriptedServer, client: Client) -> None:
    with anyio.move_on_after(60) as scope:
        asked = msgspec.structs.replace(asking(), model="openai/some-model")
        async with client.stream(asked) as events:
            async for event in events:
                if isinstance(event, BlockGrew):
                    scope.cancel()
    with anyio.fail_after(60):
        await server.all_closed()


@pytest.mark.proves("H04")
@imports_it
async def test_cancelling_closes_the_connection() -> None:
    slow = Turn(text="word " * 4000, chunk=1, pace_seconds=0.02)
    async with serving([slow]) as server, bridged(server.url) as client:
        await closed_after_cancel(server, client)


@pytest.mark.proves("H04")
@imports_it
async def test_a_vendor_that_only_litellm_knows_is_reached() -> None:
    """DeepInfra is in no table of ours; LiteLLM finds its format and its parameters."""
    head = (
        '{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,'
    )
    first = head + '"delta":{"role":"assistant","content":"Hi"}}]}'
    last = head + '"delta":{},"finish_reason":"stop"}]}'
    text = f"data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n"
    answer = Answer("text/event-stream", text.encode())
    answers = {"/chat/completions": answer}
    async with bare(answers) as server, bridged(server.url, "deepinfra") as client:
        asked = msgspec.structs.replace(asking(), model="deepinfra/some-model")
        async with client.stream(asked) as events:
            end = [event async for event in events][-1]
    assert isinstance(end, Finished)
    assert [part.text for part in end.parts if isinstance(part, Text)] == ["Hi"]
    assert server.asked[0].json["model"] == "some-model"


@pytest.mark.proves("X04")
@imports_it
async def test_what_goes_over_the_bridge_can_be_recorded_and_played(tmp_path: Path) -> None:
    async def run(tap: Record | Play, url: str) -> str:
        words = {"model": "litellm/openai/some-model", "base_url": url, "mode": "plan"}
        environment = {"HOME": str(tmp_path), "OPENAI_API_KEY": "sk-bridge"}
        engine = Ouroboros(
            msgspec.convert(words, Settings),
            home=tmp_path / "home",
            environment=environment,
            tap=tap,
        )
        async with engine.open(cwd=tmp_path) as session:
            return (await session.run("hi")).final

    file, unset = tmp_path / "tape.json", dict[str, str]()
    async with serving([Turn(text="Hello there")]) as server:
        assert await run(await to_thread.run_sync(Record, file, unset), server.url) == "Hello there"
    played = await to_thread.run_sync(Play, file, unset)
    assert await run(played, "") == "Hello there"


@pytest.mark.deep
@pytest.mark.proves("H04")
def test_the_package_is_not_imported_before_it_is_needed() -> None:
    script = (
        "import sys, anyio\n"
        "from ouroboros.app.providers import models\n"
        "from ouroboros.app.settings import Settings\n"
        "from ouroboros.core.clock import SystemClock\n"
        "settings = Settings(model='litellm/deepinfra/m')\n"
        "choice = models.choose(settings, {}).choice\n"
        "async def main():\n"
        "    client = await models.connect(choice, settings.network, {}, SystemClock())\n"
        "    assert 'litellm' not in sys.modules\n"
        "    await client.close()\n"
        "anyio.run(main)\n"
        "assert 'litellm' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.proves("H04")
@imports_it
def test_importing_it_fetches_nothing_and_prints_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=http://stranger.example\n")
    script = (
        "import os, sys, anyio\n"
        "def hook(event, found):\n"
        "    if event in {'socket.connect', 'socket.getaddrinfo'}:\n"
        "        raise SystemExit(f'reached out: {event} {found}')\n"
        "sys.addaudithook(hook)\n"
        "from ouroboros.app.providers import models\n"
        "from ouroboros.app.settings import Settings\n"
        "from ouroboros.core.clock import SystemClock\n"
        "settings = Settings(model='litellm/deepinfra/m')\n"
        "async def main():\n"
        "    choice = models.choose(settings, {}).choice\n"
        "    client = await models.connect(choice, settings.network, {}, SystemClock())\n"
        "    await client.warm()\n"
        "    assert 'litellm' in sys.modules\n"
        "    assert 'OPENAI_BASE_URL' not in os.environ\n"
        "    await client.close()\n"
        "anyio.run(main)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (done.stdout, done.stderr) == ("", "")


@imports_it
@every("vendor", ["openai", "anthropic", "gemini"])
async def test_no_redirect_takes_the_key_to_another_server(vendor: str) -> None:
    async with serving([Turn(text="Thanks for the key")], repeat=True) as thief:

        def led_away(speech: Speech) -> Sequence[Step]:
            del speech
            lines = {"location": f"{thief.url}/v1/messages", "content-length": "0"}
            return [head(lines, "HTTP/1.1 307 Temporary Redirect")]

        async with raw_serving([led_away], TURN) as server, bridged(server.url, vendor) as client:
            with pytest.raises(ModelFailed) as failed:
                await said(client, asking())
            assert len(server.exchanges) == 1, failed.value
    assert thief.exchanges == []


@pytest.mark.deep
@pytest.mark.proves("H04")
def test_without_the_package_the_way_to_get_it_is_named() -> None:
    script = (
        "import sys, anyio\n"
        "sys.modules['litellm'] = None\n"
        "from ouroboros.app.providers import models\n"
        "from ouroboros.app.settings import Settings\n"
        "from ouroboros.core.clock import SystemClock\n"
        "from ouroboros.core.errors import Misuse\n"
        "settings = Settings(model='litellm/deepinfra/m')\n"
        "choice = models.choose(settings, {}).choice\n"
        "try:\n"
        "    anyio.run(models.connect, choice, settings.network, {}, SystemClock())\n"
        "except Misuse as error:\n"
        "    print(error.message, error.hint)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "needs the package litellm" in done.stdout
    assert "pip install 'ouroboros[litellm]'" in done.stdout


@pytest.mark.proves("H04")
def test_a_model_behind_the_bridge_keeps_its_vendor() -> None:
    choice = find("litellm/deepinfra/a/b", environment={})
    assert (choice.model, choice.name) == ("deepinfra/a/b", "litellm/deepinfra/a/b")
    with pytest.raises(ModelUnknown):
        find("litellm/", environment={})
