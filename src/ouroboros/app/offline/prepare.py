"""The request a task would begin with, made as a session makes it and caught before it is sent."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.context.briefing import brief
from ouroboros.agent.mind import ToolMind
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.app import secrecy
from ouroboros.app.config.layers import Loaded
from ouroboros.app.providers import models
from ouroboros.app.providers.listing import equipped
from ouroboros.app.providers.speakers import Speakers
from ouroboros.app.settings import Settings
from ouroboros.app.wiring import late_scripts, toolbox
from ouroboros.app.wiring.minds.prompts import prompts_of, system_prompt
from ouroboros.app.wiring.session import surroundings
from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import Failure, KeyMissing, Misuse, ModelFailed
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State
from ouroboros.llm.auth import HIDDEN, proofs
from ouroboros.llm.cassettes.tap import Setup
from ouroboros.llm.transport import HttpRequest, HttpResponse, Transport
from ouroboros.safety.leaks import Leaks
from ouroboros.safety.secrets.key_shapes import without_keys
from ouroboros.tools.registry import Registry


class Exchange(Struct, frozen=True, kw_only=True):
    """A request as it would go out, with the key left out."""

    method: str
    url: str
    headers: dict[str, str]
    body: msgspec.Raw


class Prepared(Struct, frozen=True, kw_only=True):
    """A request, and the provider whose key is not set; empty when it is."""

    exchange: Exchange
    lacks: str = ""

    @property
    def text(self) -> str:
        """As HTTP is usually written down."""
        exchange = self.exchange
        headers = "".join(f"{name}: {value}\n" for name, value in exchange.headers.items())
        body = msgspec.json.format(bytes(exchange.body), indent=2).decode()
        return f"{exchange.method} {exchange.url}\n{headers}\n{body}"


class _Caught:
    """A tap and a transport that keep the first request and let nothing out."""

    is_offline = True

    def __init__(self) -> None:
        self.request: HttpRequest | None = None

    def transport(self, network: Callable[[], Transport]) -> Transport:
        """Itself."""
        return self

    def chosen(self, setup: Setup) -> None:
        """Nothing to keep."""

    @asynccontextmanager
    async def send(self, request: HttpRequest) -> AsyncGenerator[HttpResponse]:
        """Keeps the request; never answers."""
        self.request = request
        raise ModelFailed(Failure(kind="cancelled", message="Nothing is sent."))
        yield

    async def warm(self, url: str) -> None:
        """Nothing to connect to."""

    async def close(self) -> None:
        """Nothing to close."""


async def prepared(
    loaded: Loaded, environment: Mapping[str, str], cwd: Path, task: str, *, attended: bool
) -> Prepared:
    """The first request of a session with these settings; ``attended`` by somebody who can be asked.

    Raises:
        Misuse: The model cannot be chosen, or sends no request over HTTP.
    """
    variables = await to_thread.run_sync(equipped, loaded, environment)
    variables = {**variables, "OUROBOROS_HOME": str(loaded.home)}
    caught = _Caught()
    speakers = await to_thread.run_sync(Speakers, loaded.settings, variables, SystemClock(), caught)
    try:
        leader = await speakers.leader()
        await _ask(loaded, variables, cwd, task, leader, attended=attended)
    finally:
        await speakers.close()
    if caught.request is None:
        raise Misuse(
            f"{leader.name} sends no request over HTTP", hint="choose another one with --model"
        )
    is_keyless = await to_thread.run_sync(_lacks_key, loaded, variables)
    choice = speakers.first.choice
    exchange = _shown(caught.request, secrecy.secrets(variables))
    if choice.entry.auth == "aws" and choice.credential is None:
        signed = {**exchange.headers, "authorization": f"AWS4-HMAC-SHA256 {HIDDEN}"}
        exchange = replace(exchange, headers=signed)
    return Prepared(exchange=exchange, lacks=choice.entry.name if is_keyless else "")


async def _ask(
    loaded: Loaded,
    variables: dict[str, str],
    cwd: Path,
    task: str,
    leader: Speaker,
    *,
    attended: bool,
) -> None:
    """Asks as the first turn of a session would."""
    settings, clock = loaded.settings, SystemClock()
    state = State(session="prepared", mode=settings.mode, cwd=str(cwd), model=leader.name)
    prompts = await to_thread.run_sync(prompts_of, settings, cwd)
    around = await surroundings.reader(
        cwd=cwd,
        home=loaded.home,
        environment=variables,
        clock=clock,
        instruction_bytes=settings.context.instruction_bytes,
        warn=lambda text: None,
        sandbox=settings.sandbox,
        attended=attended or settings.guardian.enabled,
    )()
    briefing = brief(around, state, prompts, settings.context.off)
    if briefing:
        told = (Text(text=briefing.text),)
        state.history.append(Message(id="context", role="user", kind="context", parts=told))
    state.history.append(Message(id="task", role="user", parts=(Text(text=task),)))
    registry = await to_thread.run_sync(partial(_registry, settings, loaded.home, cwd))
    mind = ToolMind(
        lineup=Lineup(leader, clock=clock, connect=_nobody),
        prompts=prompts,
        system=system_prompt(settings, prompts),
        tools=registry.specs,
        ids=TimeOrderedIds(clock, bytes),
        context=lambda state: None,
    )
    try:
        async with mind.think(state) as events:
            async for _ in events:
                pass
    except ModelFailed as failed:
        if failed.failure.kind != "cancelled":
            raise


def _registry(settings: Settings, home: Path, cwd: Path) -> Registry:
    shelf = toolbox.shelf_of(settings, home=home, cwd=cwd)
    return toolbox.registry(settings, late=late_scripts.wanted(settings), shelf=shelf)


async def _nobody(name: str) -> Speaker:
    raise Misuse(f"{name} is not asked here")


def _lacks_key(loaded: Loaded, variables: Mapping[str, str]) -> bool:
    try:
        models.choose(loaded.settings, variables)
    except KeyMissing:
        return True
    return False


def _shown(request: HttpRequest, leaks: Leaks) -> Exchange:
    for secret in proofs(request.headers):
        leaks.learn("key", secret)
    body = without_keys(leaks.redacted(request.body.decode("utf-8", "replace")))
    return Exchange(
        method=request.method,
        url=leaks.redacted(request.url),
        headers={name: leaks.redacted(value) for name, value in request.headers.items()},
        body=msgspec.Raw(body.encode()),
    )
