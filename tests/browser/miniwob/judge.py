"""Who resets an episode and says how it ended, over a connection that no policy can reach."""

import itertools
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import msgspec
from msgspec import Raw, Struct

from ouroboros.browser.channel.socket import socket
from ouroboros.browser.connection import Connection, connected
from tests.browser.chromium import Chromium

SCRIPT = (Path(__file__).parent / "judge.js").read_text()
EPISODE_MILLISECONDS = 1_000_000
READY_SECONDS = 60.0
FORBIDDEN = re.compile(r"\bcore\b|WOB_")
_PLACE = re.compile(r"(?:\(|\bat )((?:\w+:|<|\w[\w-]*\.js)[^\s()]*?):(\d+):\d+\)?$")


class Verdict(Struct, frozen=True, kw_only=True):
    """How an episode stands; ``stacks`` are those of the calls that ended it."""

    ready: bool
    done: bool
    raw: float
    reason: str = ""
    stacks: tuple[str, ...] = ()


class _Attached(Struct, frozen=True, rename="camel"):
    session_id: str


class _Object(Struct, frozen=True, rename="camel"):
    object_id: str = ""
    value: Raw = Raw(b"null")


class _Evaluated(Struct, frozen=True, rename="camel"):
    result: _Object
    exception_details: dict[str, Any] | None = None


class Judge:
    """A session in the page's own world, held by a handle that the page cannot name."""

    def __init__(self, connection: Connection, session: str, judge: str) -> None:
        self._connection, self._session, self._judge = connection, session, judge

    async def reset(self, seed: int) -> str:
        """Begins the episode of this seed and gives its goal."""
        await self._ask("reset", seed, EPISODE_MILLISECONDS)
        with anyio.fail_after(READY_SECONDS):
            for pause in itertools.repeat(0.02):
                if (await self.verdict()).ready:
                    break
                await anyio.sleep(pause)
        return msgspec.json.decode(await self._ask("goal"), type=str)

    async def verdict(self) -> Verdict:
        """How it stands now."""
        return msgspec.json.decode(await self._ask("verdict"), type=Verdict)

    async def _ask(self, method: str, *words: object) -> bytes:
        found = await self._connection.ask(
            _Evaluated,
            "Runtime.callFunctionOn",
            {
                "objectId": self._judge,
                "functionDeclaration": "function(name, ...words) { return this[name](...words) }",
                "arguments": [{"value": word} for word in (method, *words)],
                "returnByValue": True,
            },
            session=self._session,
        )
        assert found.exception_details is None, found.exception_details
        return bytes(found.result.value)


@asynccontextmanager
async def judging(chromium: Chromium, target: str) -> AsyncGenerator[Judge]:
    """Takes its seat beside a page that shows a task."""
    async with socket(chromium.url) as channel, connected(channel) as connection:
        attached = await connection.ask(
            _Attached, "Target.attachToTarget", {"targetId": target, "flatten": True}
        )
        seated = await connection.ask(
            _Evaluated, "Runtime.evaluate", {"expression": SCRIPT}, session=attached.session_id
        )
        assert seated.exception_details is None, seated.exception_details
        yield Judge(connection, attached.session_id, seated.result.object_id)


def is_honest(stacks: tuple[str, ...], origin: str, pages: Path) -> bool:
    """Whether the page's own code ended the episode, by an event that a real hand has made."""
    return all(_from_page(stack, origin, pages) for stack in stacks)


def _from_page(stack: str, origin: str, pages: Path) -> bool:
    head, *lines = stack.splitlines()
    found = [at for line in lines if (at := _PLACE.search(line.strip())) is not None]
    others = [at for at in found if at[1] != "ouro-judge.js"]
    if "made-up" in head or not others:
        return False
    if not all(at[1].startswith(origin + "/") for at in others):
        return False
    # Code that was put into the page has its address as well, but no such line in its file.
    caller = others[0]
    text = (pages / urlsplit(caller[1]).path.lstrip("/")).read_text(encoding="utf-8")
    lines = text.splitlines()
    number = int(caller[2])
    return number <= len(lines) and "endEpisode" in lines[number - 1]


def cheats(words: list[str]) -> list[str]:
    """What was sent by code that names the judge's own parts."""
    return [word for word in words if FORBIDDEN.search(word)]


def decoded(value: bytes) -> Any:
    """A JSON value."""
    return msgspec.json.decode(value)
