"""A stage for whole runs: a scripted model server on loopback, a folder, a home, and the engine.

Every story goes through it, so that the prefix law is checked for each of them.
"""

import os
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import anyio
import msgspec

from ouroboros.agent.context.cut import Flush
from ouroboros.agent.prompts import load
from ouroboros.app.config.layers import Loaded
from ouroboros.app.ouroboros import Ouroboros, Outcome, Session
from ouroboros.app.settings import Settings
from ouroboros.core.events import Envelope, Event, ToolResulted
from ouroboros.llm.turns import ScriptedCall, Turn
from ouroboros.testing.prefix import breaches
from ouroboros.testing.server import ScriptedServer, serving
from ouroboros.testing.wire import Exchange

PROMPTS = load()
FORMATS = ("openai-chat", "openai", "anthropic")


def call(name: str, /, **arguments: Any) -> ScriptedCall:
    return ScriptedCall(name=name, arguments=arguments)


class Stage:
    """One open session on a stage, and everything it showed."""

    def __init__(self, session: Session, server: ScriptedServer, cwd: Path) -> None:
        self.session, self.server, self.cwd = session, server, cwd
        self.shown: list[Envelope] = []
        self.before: list[Exchange] = []
        self._changed = anyio.Event()
        session.listen(self._show)

    def _show(self, envelope: Envelope) -> None:
        self.shown.append(envelope)
        self._changed.set()
        self._changed = anyio.Event()

    async def until(self, kind: type[Event], count: int = 1) -> None:
        """Waits until so many events of a kind were shown."""
        with anyio.fail_after(60):
            while len(self.events(kind)) < count:
                await self._changed.wait()

    async def run(self, text: str = "Do it.") -> Outcome:
        return await self.session.run(text)

    def afresh(self) -> None:
        """Forgets what was shown and asked: another story begins in this session."""
        self.shown.clear()
        self.before += self.server.exchanges
        self.server.exchanges.clear()

    @property
    def types(self) -> list[str]:
        """Types of the durable events, in order."""
        return [envelope.type for envelope in self.shown if envelope.data.durable]

    def events[E: Event](self, kind: type[E]) -> list[E]:
        return [envelope.data for envelope in self.shown if isinstance(envelope.data, kind)]

    @property
    def results(self) -> dict[str, ToolResulted]:
        return {result.call_id: result for result in self.events(ToolResulted)}

    def body(self, number: int = -1) -> dict[str, Any]:
        """A request as the server read it."""
        return cast("dict[str, Any]", msgspec.json.decode(self.server.exchanges[number].body))


@asynccontextmanager
async def stage(
    tmp_path: Path,
    turns: Sequence[Turn],
    *,
    format: str = "openai-chat",
    interactive: bool = False,
    resume: str = "",
    latest: bool = False,
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
    check: bool = True,
    opening: dict[str, Any] | None = None,
    chosen: Collection[str] | None = None,
    flush: Flush | None = None,
    hooks_of: Loaded | None = None,
    **settings: Any,
) -> AsyncGenerator[Stage]:
    """Opens a session against a scripted server; checks the prefix law when it is left.

    Only a story that changes the model may pass ``check=False``. A base URL of ``providers`` that
    is ``{server}`` stands for the server's. ``opening`` says more of how the session is opened, and
    ``chosen`` in what a session that goes on does as it is told now; ``flush`` keeps what a summary replaces;
    ``hooks_of`` are layers whose hooks run.
    """
    folder = cwd or tmp_path / "work"
    folder.mkdir(exist_ok=True)
    words: dict[str, Any] = {"mode": "full-auto", "model": f"{format}/scripted", **settings}
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "SHELL": "/bin/sh",
        **(environment or {}),
    }
    async with serving(turns) as server:
        for provider in words.get("providers", {}).values():
            provider["base_url"] = provider["base_url"].replace("{server}", server.url)
        wanted = msgspec.convert({"base_url": server.url, **words}, Settings)
        engine = Ouroboros(
            wanted, home=tmp_path / "home", environment=environment, flush=flush, hooks=hooks_of
        )
        async with engine.open(
            cwd=folder,
            interactive=interactive,
            resume=resume,
            latest=latest,
            chosen=("model", "mode", *settings) if chosen is None else chosen,
            **(opening or {}),
        ) as session:
            opened = Stage(session, server, folder)
            yield opened
        bodies = [
            exchange.body.encode()
            for exchange in (*opened.before, *server.exchanges)
            if exchange.method == "POST" and exchange.path not in server.pages
        ]
        summary, question = PROMPTS["summary"].text, PROMPTS["compact"].text[:80]
        assert not check or breaches(bodies, summary=summary, question=question) == []
