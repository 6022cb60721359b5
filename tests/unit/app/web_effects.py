"""What the settings of the web change in a run."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio

from ouroboros.core.events import PermissionRequested, TaskCompleted, ToolResulted
from ouroboros.core.parts import Text
from ouroboros.llm.turns import Turn
from ouroboros.safety.sandbox.features import features
from tests.passing import until
from tests.story.stage import call, stage
from tests.unit.safety.network.parts import page, serving

HAS_OWN_NETWORK = features().namespaces or features().launcher is not None
"""Without namespaces a caged command that is to go through the proxy has no network at all."""

type Effect = Callable[[Path], Awaitable[None]]


def made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


async def _called(folder: Path, name: str, words: dict[str, Any], **settings: Any) -> ToolResulted:
    turns = [Turn(tool_calls=(call(name, **words),)), Turn(text="done")]
    async with stage(made(folder), turns, **settings) as s:
        await s.run()
        return s.events(ToolResulted)[-1]


async def _fetched(folder: Path, **web: Any) -> ToolResulted:
    with serving(lambda said: page(b"hello", "content-type: text/plain")) as port:
        return await _called(folder, "fetch", {"url": f"http://127.0.0.1:{port}/"}, web=web)


def text_of(result: ToolResulted) -> str:
    return "".join(part.text for part in result.parts if isinstance(part, Text))


async def allow(folder: Path) -> None:
    assert (await _fetched(folder / "a")).status == "denied"
    assert text_of(await _fetched(folder / "b", allow=["127.0.0.1"])).endswith("hello")


async def deny(folder: Path) -> None:
    result = await _fetched(folder, allow=["127.0.0.1"], deny=["127.0.0.1"])
    assert "list of denied hosts" in text_of(result)


async def only_allowed(folder: Path) -> None:
    words = {"url": "https://example.org/"}
    web = {"allow": ["example.com"], "only_allowed": True}
    assert "not on the list" in text_of(await _called(folder, "fetch", words, web=web))


async def only_reading(folder: Path) -> None:
    for name, wanted in (("a", False), ("b", True)):
        with serving(lambda said: page(b"hello")) as port:
            command = f"NO_PROXY= no_proxy= curl -s -d x http://127.0.0.1:{port}/"
            result = await _called(
                folder / name,
                "shell",
                {"command": command},
                sandbox={"network": "proxy"},
                web={"allow": ["127.0.0.1"], "only_reading": wanted},
            )
        is_there = "hello" in text_of(result)
        assert is_there is (not wanted and HAS_OWN_NETWORK)


async def first_contact(folder: Path) -> None:
    command = "curl -sS http://api.example/; echo over"
    for name in ("ask", "defer"):
        turns = [Turn(tool_calls=(call("shell", command=command),)), Turn(text="done")]
        settings: dict[str, Any] = {
            "sandbox": {"network": "proxy"},
            "web": {"first_contact": name},
            "permissions": {"allow": ["shell"]},
        }
        there = made(folder / name)
        async with stage(there, turns, mode="auto-edit", interactive=True, **settings) as s:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(s.run)
                await until(lambda s=s: s.events(TaskCompleted) or s.events(PermissionRequested))
                if name == "defer" or not HAS_OWN_NETWORK:
                    await s.until(TaskCompleted)
                tasks.cancel_scope.cancel()
            said = [text_of(event) for event in s.events(ToolResulted)]
        if HAS_OWN_NETWORK:
            assert any("waits for approval" in each and "over" in each for each in said) is (
                name == "defer"
            )


async def network(folder: Path) -> None:
    with serving(lambda said: page(b"hello")) as port:
        for name, wanted in (("a", "off"), ("b", "proxy")):
            command = f"NO_PROXY= no_proxy= curl -s http://127.0.0.1:{port}/"
            result = await _called(
                folder / name,
                "shell",
                {"command": command},
                sandbox={"network": wanted},
                web={"allow": ["127.0.0.1"]},
            )
            is_there = "hello" in text_of(result)
            assert is_there is (wanted == "proxy" and HAS_OWN_NETWORK)


async def web_search(folder: Path) -> None:
    for name, wish, count in (("a", "off", 0), ("b", "live", 1)):
        turns = [Turn(text="done")]
        tools = {"web_search": wish}
        async with stage(made(folder / name), turns, format="openai", tools=tools) as s:
            await s.run()
            found = [tool for tool in s.body()["tools"] if tool["type"] == "web_search"]
            assert len(found) == count


WEB_EFFECTS: dict[str, Effect] = {
    "web.allow": allow,
    "web.deny": deny,
    "web.first_contact": first_contact,
    "web.only_allowed": only_allowed,
    "web.only_reading": only_reading,
    "sandbox.network": network,
    "tools.web_search": web_search,
}
