"""What the settings of logins, commands and certificates change."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.config.layers import Loaded
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.providers import logins
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import Misuse
from tests.unit.llm.auth_server import (
    CLIENT,
    REPLY,
    AuthServer,
    authorizing,
    browse,
    query,
    spare_port,
)
from tests.unit.llm.tls_parts import Papers, secure

type Effect = Callable[[Path], Awaitable[None]]

STREAM = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(REPLY), REPLY)
)


async def reason(folder: Path, settings: dict[str, Any], times: int = 1) -> str:
    """How runs with these settings end; all of them in one session."""
    await anyio.Path(folder).mkdir(exist_ok=True, parents=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    chosen = msgspec.convert({"model": "mine/m", **settings}, Settings)
    engine = Ouroboros(chosen, home=folder / "home", environment=environment)
    async with engine.open(cwd=folder) as session:
        ends = [(await session.run("hello")).reason for _ in range(times)]
    return ends[-1]


async def over_tls(folder: Path, **network: str) -> str:
    """How a run ends with a server that has a CA of its own and asks for certificates."""
    papers = await to_thread.run_sync(Papers(folder).make)
    named = {name: f"~/../{file}" for name, file in network.items()}
    with secure(papers, asks=True, reply=STREAM) as url:
        words = {"request_retries": 0, "stream_retries": 0, **named}
        return await reason(
            folder / "run", {"providers": {"mine": {"base_url": url}}, "network": words}
        )


CERT = {"client_cert": "client.pem", "client_key": "client.key"}


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


async def ca_file(folder: Path) -> None:
    assert await over_tls(made(folder / "1"), ca_file="ca.pem", **CERT) == "completed"
    assert await over_tls(made(folder / "2"), **CERT) == "failed"


async def client_cert(folder: Path) -> None:
    assert await over_tls(made(folder / "1"), ca_file="ca.pem", client_cert="both.pem") == (
        "completed"
    )
    assert await over_tls(made(folder / "2"), ca_file="ca.pem") == "failed"


async def client_key(folder: Path) -> None:
    assert await over_tls(made(folder / "1"), ca_file="ca.pem", **CERT) == "completed"
    with pytest.raises(Misuse, match="client certificate"):
        await over_tls(made(folder / "2"), ca_file="ca.pem", client_cert="client.pem")


def commanded(command: str, runs: int, **provider: Any) -> Effect:
    """Two runs of a session, and how often the command ran for them."""

    async def effect(folder: Path) -> None:
        async with authorizing() as server:
            server.live = {"token"}
            mine = {"base_url": f"{server.url}/v1", "auth": "command", "command": command}
            ended = await reason(folder, {"providers": {"mine": mine | provider}}, times=2)
        assert ended == "completed"
        assert (await anyio.Path(folder / "runs").read_text()).count("run") == runs

    return effect


COUNTED = "echo run >> runs; echo token"


async def command_timeout(folder: Path) -> None:
    mine = {"base_url": "http://127.0.0.1:1/v1", "auth": "command", "command": ["sleep", "600"]}
    settings = {"providers": {"mine": mine | {"command_timeout": 0.1}}}
    assert await reason(folder, settings) == "failed"


async def logged_in(
    folder: Path,
    server: AuthServer,
    *,
    store: str = "auto",
    kept: list[bytes] | None = None,
    **oauth: Any,
) -> list[str]:
    """Logs in and out again with these settings; the addresses the browser was shown.

    ``kept`` gets what lay on the disk meanwhile.
    """
    mine = {
        "base_url": f"{server.url}/v1",
        "key_env": "MY_KEY",
        "auth": "" if "key_url" in oauth else "oauth",
        "oauth": {"client_id": CLIENT, **oauth},
    }
    loaded = Loaded(
        settings=msgspec.convert(
            {"providers": {"mine": mine}, "secrets": {"store": store}}, Settings
        ),
        origins={},
        warnings=(),
        home=folder / "home",
        layers=(),
        project=folder,
        dotenv={},
    )
    shown: list[str] = []
    account = logins.account(loaded, "mine")
    async with anyio.create_task_group() as tasks:

        async def show(address: str) -> None:
            shown.append(address)
            tasks.start_soon(browse, address)

        await logins.log_in(loaded, {}, account, logins.Asking(show=show), SystemClock())
    if kept is not None:
        kept.append(await anyio.Path(folder / "home" / "auth" / "mine.json").read_bytes())
    await logins.log_out(loaded, {}, "mine")
    return shown


def oauth(check: Callable[[AuthServer, dict[str, str]], bool], *names: str, **more: Any) -> Effect:
    """A login with the addresses of these ``names`` and ``more``, and what must be true of it."""

    async def effect(folder: Path) -> None:
        async with authorizing() as server:
            ways = {
                "issuer": server.url,
                "authorize_url": f"{server.url}/authorize",
                "token_url": f"{server.url}/token",
                "key_url": f"{server.url}/keys",
                "revoke_url": f"{server.url}/revoke",
            }
            words: dict[str, Any] = {name: ways[name] for name in names} | more
            (address,) = await logged_in(folder, server, **words)
            assert check(server, query(address))

    return effect


PLAIN = ("authorize_url", "token_url")


async def secrets_store(folder: Path) -> None:
    kept: list[bytes] = []
    async with authorizing() as server:
        for store in ("sealed", "plain"):
            await logged_in(
                folder / store,
                server,
                store=store,
                kept=kept,
                authorize_url=f"{server.url}/authorize",
                token_url=f"{server.url}/token",
            )
    assert [content.startswith(b"{") for content in kept] == [False, True]


def paths(server: AuthServer) -> list[str]:
    return [urlsplit(exchange.path).path for exchange in server.exchanges]


async def redirect_port(folder: Path) -> None:
    port = spare_port()
    place = f"http://127.0.0.1:{port}/callback"
    effect = oauth(lambda _, asked: asked["redirect_uri"] == place, *PLAIN, redirect_port=port)
    await effect(folder)


AUTH_EFFECTS: dict[str, Effect] = {
    "secrets.store": secrets_store,
    "network.ca_file": ca_file,
    "network.client_cert": client_cert,
    "network.client_key": client_key,
    "providers.NAME.command": commanded(COUNTED, 1),
    "providers.NAME.command_ttl": commanded(COUNTED, 2, command_ttl=1e-6),
    "providers.NAME.command_timeout": command_timeout,
    "providers.NAME.oauth.client_id": oauth(
        lambda _, asked: asked["client_id"] == CLIENT, *PLAIN, client_id=CLIENT
    ),
    "providers.NAME.oauth.issuer": oauth(
        lambda server, _: paths(server)[0].startswith("/.well-known/"), "issuer"
    ),
    "providers.NAME.oauth.authorize_url": oauth(
        lambda server, _: "/authorize" in paths(server), *PLAIN
    ),
    "providers.NAME.oauth.token_url": oauth(lambda server, _: "/token" in paths(server), *PLAIN),
    "providers.NAME.oauth.key_url": oauth(
        lambda server, _: "/keys" in paths(server), "authorize_url", "key_url"
    ),
    "providers.NAME.oauth.revoke_url": oauth(
        lambda server, _: len(server.revoked) == 1, *PLAIN, "revoke_url"
    ),
    "providers.NAME.oauth.scopes": oauth(
        lambda _, asked: asked["scope"] == "a b", *PLAIN, scopes=["a", "b"]
    ),
    "providers.NAME.oauth.resource": oauth(
        lambda _, asked: asked["resource"] == "https://r/", *PLAIN, resource="https://r/"
    ),
    "providers.NAME.oauth.redirect_port": redirect_port,
}
