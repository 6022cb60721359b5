"""A real server on loopback with a scripted model behind it, and a program that asks its panels."""

import itertools
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode

import anyio
import httpx2
import msgspec

from ouroboros.app.hub import Outfit
from ouroboros.faces.web.door import Doorplate, served
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer, serving


class Panels:
    """What a program that has the token sees."""

    def __init__(self, plate: Doorplate, client: httpx2.AsyncClient, cwd: Path, home: Path) -> None:
        self.plate, self.client, self.cwd, self.home = plate, client, cwd, home

    async def ask(
        self, method: str, path: str, body: object = None, /, **query: Any
    ) -> httpx2.Response:
        """A request below ``/api/v1``; a list in ``query`` is given several times."""
        words = f"?{urlencode(query, doseq=True)}" if query else ""
        sent = None if body is None else msgspec.json.encode(body)
        headers = {"content-type": "application/json"} if body is not None else {}
        return await self.client.request(
            method, f"/api/v1{path}{words}", content=sent, headers=headers
        )

    async def get(self, path: str, /, **query: Any) -> Any:
        answer = await self.ask("GET", path, **query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def put(self, path: str, body: object, /, **query: Any) -> Any:
        answer = await self.ask("PUT", path, body, **query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def refused(
        self, status: int, method: str, path: str, body: object = None, /, **query: Any
    ) -> str:
        """The words of a refusal."""
        answer = await self.ask(method, path, body, **query)
        assert answer.status_code == status, answer.text
        said = cast("dict[str, str]", answer.json())
        return f"{said['error']} | {said['hint']}"

    async def open(self, **wish: Any) -> str:
        answer = await self.ask("POST", "/sessions", wish)
        assert answer.status_code == 201, answer.text
        return cast("str", answer.json()["session"])

    async def send(self, session: str, **command: Any) -> httpx2.Response:
        return await self.ask("POST", f"/sessions/{session}/commands", command)

    async def run(self, session: str, text: str = "Do it.") -> None:
        """Says something and waits for the end of the run."""
        answer = await self.send(session, type="submit", text=text)
        assert answer.status_code == 202, answer.text
        with anyio.fail_after(60):
            for pause in itertools.repeat(0.02):
                if not (await self.get(f"/sessions/{session}"))["running"]:
                    return
                await anyio.sleep(pause)


@asynccontextmanager
async def panels(
    tmp_path: Path,
    turns: Sequence[Turn] = (),
    *,
    environment: dict[str, str] | None = None,
    **flags: Any,
) -> AsyncGenerator[Panels]:
    """Serves over a folder ``work``; ``flags`` are settings by dotted key, ``__`` for the dot."""
    cwd, home = tmp_path / "work", tmp_path / "home"
    cwd.mkdir(exist_ok=True)
    home.mkdir(mode=0o700, exist_ok=True)
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "OUROBOROS_HOME": str(home),
        "SHELL": "/bin/sh",
        **(environment or {}),
    }
    async with serving(list(turns)) as server:
        outfit = Outfit(environment=variables, cwd=cwd, flags=_flags(server, flags))
        async with served(outfit) as plate:
            headers = {"authorization": f"Bearer {plate.token}"}
            async with httpx2.AsyncClient(
                base_url=plate.address, headers=headers, timeout=60, trust_env=False
            ) as client:
                yield Panels(plate, client, cwd, home)


def _flags(server: ScriptedServer, flags: dict[str, Any]) -> dict[str, object]:
    given = {name.replace("__", "."): value for name, value in flags.items()}
    return {"model": "openai-chat/scripted", "base_url": server.url, "mode": "full-auto", **given}
