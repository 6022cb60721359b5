"""No dead knobs: each setting changes what a run does. A new setting needs an entry in EFFECTS."""

import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.config.layers import Loaded
from ouroboros.app.config.schema import format_key, leaves
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.providers.model_list import searched
from ouroboros.app.settings import Settings
from ouroboros.core.commands import Submit
from ouroboros.core.events import AgentMessage, ContextCompacted
from ouroboros.core.parts import Media, Text
from ouroboros.llm.turns import Fault, ScriptedUsage, Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests.cases import every
from tests.story.stage import Stage, call, stage
from tests.unit.app.auth_effects import AUTH_EFFECTS
from tests.unit.app.cage_effects import CAGE_EFFECTS
from tests.unit.app.checkpoint_effects import CHECKPOINT_EFFECTS
from tests.unit.app.context_effects import CONTEXT_EFFECTS
from tests.unit.app.hook_effects import HOOK_EFFECTS
from tests.unit.app.policy_effects import POLICY_EFFECTS
from tests.unit.app.prompt_effects import PROMPT_EFFECTS
from tests.unit.app.repo_effects import REPO_EFFECTS
from tests.unit.app.review_effects import REVIEW_EFFECTS
from tests.unit.app.rlm_effects import RLM_EFFECTS
from tests.unit.app.screen_effects import SCREEN_EFFECTS
from tests.unit.app.server_effects import SERVER_EFFECTS
from tests.unit.app.web_effects import WEB_EFFECTS

pytestmark = pytest.mark.real

DONE = Turn(text="done")
type Effect = Callable[[Path], Awaitable[None]]


def made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


@asynccontextmanager
async def ran(
    folder: Path, *turns: Turn, environment: dict[str, str] | None = None, **settings: Any
) -> AsyncGenerator[Stage]:
    async with stage(made(folder), [*turns, DONE], environment=environment, **settings) as s:
        await s.run("hello")
        yield s


async def model(folder: Path) -> None:
    async with ran(folder, model="openai-chat/other") as s:
        assert s.body()["model"] == "other"


async def mode(folder: Path) -> None:
    write = Turn(tool_calls=(call("write", path="a.txt", content="x"),))
    for name, written in (("plan", False), ("auto-edit", True)):
        async with ran(folder / name[:1], write, mode=name) as s:
            assert (s.cwd / "a.txt").exists() is written


async def effort(folder: Path) -> None:
    async with ran(folder, effort="low") as s:
        assert s.body()["reasoning_effort"] == "low"


async def fallback(folder: Path) -> None:
    out = Turn(fault=Fault(kind="quota"))
    async with ran(folder, out, fallback=["openai-chat/other"], check=False) as s:
        assert [s.body(number)["model"] for number in (0, 1)] == ["scripted", "other"]


async def service_tier(folder: Path) -> None:
    async with ran(folder, format="openai", service_tier="flex") as s:
        assert s.body()["service_tier"] == "flex"


async def cache_replies(folder: Path) -> None:
    async with ran(folder, cache_replies=True):
        assert [each async for each in anyio.Path(folder / "home/cache/replies").iterdir()]


async def system(folder: Path) -> None:
    async with ran(folder, system="Speak like a pirate.") as s:
        assert "Speak like a pirate." in str(s.body()["messages"][0])


async def base_url(folder: Path) -> None:
    async with ran(folder, base_url="http://127.0.0.1:1/v1", network={"request_retries": 0}) as s:
        assert s.server.exchanges == []


async def temperature(folder: Path) -> None:
    async with ran(folder, temperature=0.25) as s:
        assert s.body()["temperature"] == 0.25


async def max_output_tokens(folder: Path) -> None:
    async with ran(folder, max_output_tokens=77) as s:
        assert s.body()["max_completion_tokens"] == 77


BUSY = Turn(
    tool_calls=(call("shell", command="sleep 0.05"),),
    usage=ScriptedUsage(input_uncached=90, output_text=10),
)
PRICES = {"openai-chat/scripted": {"input": 2e6, "cached": 1e6, "cache_write": 4e6, "output": 3e6}}


def limit(name: str, value: float) -> Effect:
    async def effect(folder: Path) -> None:
        async with stage(made(folder), [BUSY] * 9, limits={name: value}, models=PRICES) as s:
            assert (await s.run("hello")).reason == f"limit_reached:{name}"

    return effect


async def actions_per_hour(folder: Path) -> None:
    turns = [Turn(tool_calls=(call("shell", command=f"touch {name}"),)) for name in "ab"]
    for most, is_made in ((2, True), (1, False)):
        async with ran(folder / str(most), *turns, limits={"actions_per_hour": most}) as s:
            assert await anyio.Path(s.cwd / "b").exists() is is_made


BIG = Turn(tool_calls=(call("shell", command="true"),), usage=ScriptedUsage(input_uncached=8_000))
SUMMARY = Turn(text="summary")


def compacts(**settings: Any) -> Effect:
    """The history is summarised with these settings, and is not without them."""

    async def effect(folder: Path) -> None:
        for chosen, times in (({}, 0), (settings, 1)):
            async with ran(folder / str(times), BIG, SUMMARY, **chosen) as s:
                assert len(s.events(ContextCompacted)) == times

    return effect


async def keep_user_tokens(folder: Path) -> None:
    for number, is_kept in ((0, False), (1000, True)):
        context = {"window": 10_000, "keep_user_tokens": number}
        async with ran(folder / str(number), BIG, SUMMARY, context=context) as s:
            texts = [message["content"] for message in s.body()["messages"]]
            assert ("hello" in texts) is is_kept


async def keep_messages(folder: Path) -> None:
    for number, is_kept in ((0, False), (2, True)):
        context = {"window": 10_000, "keep_messages": number}
        async with ran(folder / str(number), BIG, SUMMARY, context=context) as s:
            assert any("tool_calls" in message for message in s.body()["messages"]) is is_kept


async def image_tokens(folder: Path) -> None:
    for tokens, kept in ((40_000, ["one", "two"]), (2_000, ["two"])):
        context = {"image_tokens": tokens}
        async with stage(made(folder / str(tokens)), [DONE] * 2, context=context, check=False) as s:
            for name in ("one", "two"):
                shot = Media(media_type="image/png", data=f"shot-{name}")
                await s.session.send(Submit(text="look", media=(shot,)))
            sent = str(s.body())
            assert [name for name in ("one", "two") if f"shot-{name}" in sent] == kept


async def instruction_bytes(folder: Path) -> None:
    for number, is_there in ((1000, True), (20, False)):
        place = folder / str(number)
        (place / "work").mkdir(parents=True)
        (place / "work" / "AGENTS.md").write_text("a" * 100 + " THE-END", encoding="utf-8")
        async with ran(place, context={"instruction_bytes": number}) as s:
            assert ("THE-END" in str(s.body())) is is_there


async def off(folder: Path) -> None:
    async with ran(folder / "on") as with_core, ran(folder / "off", context={"off": ["core"]}) as s:
        assert with_core.body()["messages"][0]["role"] in {"system", "developer"}
        assert s.body()["messages"][0]["role"] == "user"


async def shell_text(folder: Path, command: str, seconds: float | None = None, **tools: Any) -> str:
    words = {"command": command} if seconds is None else {"command": command, "timeout": seconds}
    async with ran(folder, Turn(tool_calls=(call("shell", **words),)), tools=tools) as s:
        (result,) = s.results.values()
        return "".join(part.text for part in result.parts if isinstance(part, Text))


async def output_bytes(folder: Path) -> None:
    command = "head -c 5000 /dev/zero | tr '\\0' x"
    assert "x" * 5000 in await shell_text(folder / "default", command)
    assert len(await shell_text(folder / "less", command, output_bytes=500)) <= 500


async def shell_timeout(folder: Path) -> None:
    text = await shell_text(folder, "sleep 5; echo waited", shell_timeout=0.1)
    assert "waited" not in text


async def shell_timeout_cap(folder: Path) -> None:
    text = await shell_text(folder, "sleep 5; echo waited", 400, shell_timeout_cap=0.1)
    assert "waited" not in text


async def login_shell(folder: Path) -> None:
    greet = Turn(tool_calls=(call("exec_command", cmd="greet 2>&- || echo none"),))
    for word, tools in (("hello", {}), ("none", {"login_shell": False})):
        place = made(folder / word)
        (place / ".bashrc").write_text("greet() { echo hello; }", encoding="utf-8")
        async with ran(place, greet, tools=tools) as s:
            (result,) = s.results.values()
            assert f"Output:\\n{word}\\n" in str(result.parts[0])


async def write_max(folder: Path) -> None:
    text = "x" * 100
    patch = f"*** Begin Patch\n*** Add File: b.txt\n+{text}\n*** End Patch"
    both = (call("write", path="a.txt", content=text), call("apply_patch", input=patch))
    for most, is_made in ((50, False), (500, True)):
        place = made(folder / str(most))
        async with ran(place, Turn(tool_calls=both), tools={"write_max": most}) as s:
            for name in ("a.txt", "b.txt"):
                assert (s.cwd / name).exists() is is_made


async def disabled(folder: Path) -> None:
    async with ran(folder, tools={"disabled": ["shell"]}) as s:
        names = {tool["function"]["name"].lower() for tool in s.body()["tools"]}
        assert "read" in names
        assert not {"shell", "bash"} & names


def permission(tier: str, mode: str, *, made: bool) -> Effect:
    """A rule of this tier turns round what the mode alone would do to a command."""

    async def effect(folder: Path) -> None:
        touch = Turn(tool_calls=(call("shell", command="touch made"),))
        rules = {tier: ["Bash(touch:*)"]}
        async with ran(folder / "rule", touch, mode=mode, permissions=rules) as s:
            assert (s.cwd / "made").exists() is made
        async with ran(folder / "none", touch, mode=mode) as s:
            assert (s.cwd / "made").exists() is not made

    return effect


def retries(name: str, fault: Fault) -> Effect:
    async def effect(folder: Path) -> None:
        for number, requests in ((0, 1), (1, 2)):
            network = {"request_retries": 0, "stream_retries": 0, name: number}
            async with ran(folder / str(number), Turn(fault=fault), network=network) as s:
                assert len(s.server.exchanges) == requests

    return effect


async def connect_timeout(folder: Path) -> None:
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for waiting in (first, second):
            waiting.settimeout(0)
            waiting.connect_ex(listener.getsockname())
        network = {"request_retries": 0, "stream_retries": 0, "connect_timeout": 0.1}
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        async with stage(made(folder), [DONE], base_url=url, network=network) as s:
            assert (await s.run("hello")).reason == "failed"


async def idle_timeout(folder: Path) -> None:
    network = {"request_retries": 0, "stream_retries": 0, "idle_timeout": 0.1}
    async with stage(folder, [Turn(fault=Fault(kind="silent"))], network=network) as s:
        assert (await s.run("hello")).reason == "failed"


async def asked(folder: Path, environment: dict[str, str], **provider: object) -> ScriptedServer:
    """What a server got that is known only as a provider of the person's own."""
    async with serving([DONE]) as server:
        mine = {"base_url": server.url, **provider}
        settings = msgspec.convert({"model": "mine/small", "providers": {"mine": mine}}, Settings)
        engine = Ouroboros(settings, home=made(folder) / "home", environment=environment)
        async with engine.open(cwd=folder) as session:
            assert (await session.run("hello")).final == "done"
        return server


async def provider_base_url(folder: Path) -> None:
    assert len((await asked(folder, {})).exchanges) == 1


async def provider_protocol(folder: Path) -> None:
    server = await asked(folder, {}, protocol="anthropic-messages")
    assert server.exchanges[0].path.endswith("/messages")


async def provider_key_env(folder: Path) -> None:
    server = await asked(folder, {"MY_KEY": "sk-mine"}, key_env="MY_KEY")
    assert server.exchanges[0].headers["authorization"] == "Bearer sk-mine"


async def provider_auth(folder: Path) -> None:
    server = await asked(folder, {"MY_KEY": "sk-mine"}, key_env="MY_KEY", auth="none")
    assert "authorization" not in server.exchanges[0].headers


async def provider_headers(folder: Path) -> None:
    server = await asked(folder, {}, headers={"x-team": "blue"})
    assert server.exchanges[0].headers["x-team"] == "blue"


async def provider_variables(folder: Path) -> None:
    async with serving([DONE]) as server:
        mine = {"base_url": f"{server.url}/{{tenant}}/v1", "variables": {"tenant": "t-1"}}
        words = {"model": "mine/small", "providers": {"mine": mine}}
        settings = msgspec.convert(words, Settings)
        engine = Ouroboros(settings, home=made(folder) / "home", environment={})
        async with engine.open(cwd=folder) as session:
            await session.run("hello")
        assert server.exchanges[0].path.endswith("/t-1/v1/chat/completions")


async def provider_models(folder: Path) -> None:
    words = {"providers": {"mine": {"base_url": "http://127.0.0.1:1/v1", "models": ["hidden"]}}}
    loaded = Loaded(
        settings=msgspec.convert(words, Settings),
        origins={},
        warnings=(),
        home=made(folder) / "home",
        layers=(),
        project=folder,
        dotenv={},
    )
    unset: dict[str, str] = {}
    found = await to_thread.run_sync(searched, loaded, unset, ["hidden"])
    assert [each.name for each in found] == ["mine/hidden"]


async def model_tools(folder: Path) -> None:
    async with ran(folder, models={"openai-chat/scripted": {"tools": False}}) as s:
        assert "tools" not in s.body()


async def model_max_output(folder: Path) -> None:
    async with ran(folder, models={"openai-chat/scripted": {"max_output": 88}}) as s:
        assert s.body()["max_completion_tokens"] == 88


def price(name: str, cost: float) -> Effect:
    async def effect(folder: Path) -> None:
        usage = ScriptedUsage(
            **{
                "input": {"input_uncached": 7},
                "cached": {"cache_read": 7},
                "cache_write": {"cache_write": 7},
            }.get(name, {"output_text": 7})
        )
        turn = Turn(tool_calls=(call("shell", command="true"),), usage=usage)
        async with ran(folder, turn, models=PRICES) as s:
            costs = [event.cost for event in s.events(AgentMessage) if event.usage]
            assert costs[0] == cost

    return effect


EFFECTS: dict[str, Effect] = {
    **AUTH_EFFECTS,
    **HOOK_EFFECTS,
    **POLICY_EFFECTS,
    **PROMPT_EFFECTS,
    **REPO_EFFECTS,
    **REVIEW_EFFECTS,
    **RLM_EFFECTS,
    **SCREEN_EFFECTS,
    **CAGE_EFFECTS,
    **CHECKPOINT_EFFECTS,
    **CONTEXT_EFFECTS,
    **WEB_EFFECTS,
    **SERVER_EFFECTS,
    "model": model,
    "fallback": fallback,
    "mode": mode,
    "effort": effort,
    "service_tier": service_tier,
    "cache_replies": cache_replies,
    "system": system,
    "base_url": base_url,
    "temperature": temperature,
    "max_output_tokens": max_output_tokens,
    "limits.max_turns": limit("max_turns", 2),
    "limits.max_tokens": limit("max_tokens", 150),
    "limits.max_cost": limit("max_cost", 200.0),
    "limits.actions_per_hour": actions_per_hour,
    "limits.daily_cost": limit("daily_cost", 200.0),
    "limits.monthly_cost": limit("monthly_cost", 200.0),
    "limits.max_time": limit("max_time", 0.06),
    "context.threshold": compacts(context={"threshold": 0.05}),
    "context.fixed_limit": compacts(context={"fixed_limit": 5_000}),
    "context.window": compacts(context={"window": 10_000}),
    "context.keep_user_tokens": keep_user_tokens,
    "context.keep_messages": keep_messages,
    "context.image_tokens": image_tokens,
    "context.instruction_bytes": instruction_bytes,
    "context.off": off,
    "tools.output_bytes": output_bytes,
    "tools.login_shell": login_shell,
    "tools.shell_timeout": shell_timeout,
    "tools.shell_timeout_cap": shell_timeout_cap,
    "tools.write_max": write_max,
    "tools.disabled": disabled,
    "permissions.allow": permission("allow", "ask", made=True),
    "permissions.ask": permission("ask", "full-auto", made=False),
    "permissions.deny": permission("deny", "full-auto", made=False),
    "network.request_retries": retries("request_retries", Fault(kind="server")),
    "network.stream_retries": retries("stream_retries", Fault(kind="cut", after=0)),
    "network.connect_timeout": connect_timeout,
    "network.idle_timeout": idle_timeout,
    "providers.NAME.base_url": provider_base_url,
    "providers.NAME.protocol": provider_protocol,
    "providers.NAME.key_env": provider_key_env,
    "providers.NAME.auth": provider_auth,
    "providers.NAME.headers": provider_headers,
    "providers.NAME.models": provider_models,
    "providers.NAME.variables": provider_variables,
    "models.NAME.window": compacts(models={"openai-chat/scripted": {"window": 10_000}}),
    "models.NAME.input": price("input", 14.0),
    "models.NAME.cached": price("cached", 7.0),
    "models.NAME.cache_write": price("cache_write", 28.0),
    "models.NAME.output": price("output", 21.0),
    "models.NAME.max_output": model_max_output,
    "models.NAME.tools": model_tools,
}


ELSEWHERE = ("providers.NAME.dialect.", "browser.")
"""Looked at in test_dialect_settings.py, and in tests/browser/test_settings_take_effect.py."""

KEYS = [key for leaf in leaves() if not (key := format_key(leaf.path)).startswith(ELSEWHERE)]


ROOMS = {
    name: [key for key in KEYS if key.startswith(prefixes)]
    for name, prefixes in {
        "the screen": ("tui.",),
        "the cage": ("sandbox.", "guardian.", "safety."),
        "the mind that writes code": ("rlm.", "tools.scripts"),
        "repositories and rooms": ("repos.", "server.", "sessions.mirror"),
        "what is kept": ("sessions.", "checkpoints."),
        "the way out": ("network.", "web."),
        "the bounds of a run": ("limits.", "context.", "permissions."),
    }.items()
}
"""Those whose effects take long; each room has tests of its own besides."""


@pytest.mark.proves("browser-settings", "W05", "divergences-silence-of-a-stream")
@every("key", [key for key in KEYS if all(key not in keys for keys in ROOMS.values())])
async def test_every_setting_changes_what_a_run_does(key: str, tmp_path: Path) -> None:
    await EFFECTS[key](tmp_path)


@pytest.mark.deep
@pytest.mark.proves("browser-settings", "W05", "divergences-silence-of-a-stream")
@pytest.mark.parametrize("room", ROOMS)
async def test_every_setting_of_a_room_changes_what_a_run_does(room: str, tmp_path: Path) -> None:
    @every("key", ROOMS[room])
    async def takes_effect(key: str, tmp_path: Path) -> None:
        await EFFECTS[key](tmp_path)

    await takes_effect(tmp_path=tmp_path)
