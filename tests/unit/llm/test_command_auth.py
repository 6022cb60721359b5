"""Tokens printed by a command: real processes, a real vendor that refuses what is not its own."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest

from ouroboros.core.errors import ModelFailed
from ouroboros.llm.auth.command import CommandToken
from ouroboros.llm.auth.plan import CommandPlan
from ouroboros.llm.catalog.discovery import Source, discover
from ouroboros.llm.opening import Connection, open_client
from ouroboros.llm.providers import Entry, find
from ouroboros.llm.transport import HttpRequest
from ouroboros.llm.transport.http1 import Http1
from ouroboros.testing.clock import ManualClock
from tests.cases import every
from tests.unit.llm.asking import client, said
from tests.unit.llm.auth_server import AuthServer, authorizing

pytestmark = pytest.mark.real

COUNTED = 'echo run >> "$HOME/runs"; n=$(wc -l < "$HOME/runs"); printf "granted-%d\\n" $n'


@pytest.fixture
async def server() -> AsyncGenerator[AuthServer]:
    async with authorizing() as running:
        running.live = {"granted-1", "granted-2", "granted-3"}
        yield running


def environment(home: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), **more}


def runs(home: Path) -> int:
    path = home / "runs"
    return len(path.read_text().splitlines()) if path.exists() else 0


def sent(server: AuthServer, header: str = "authorization") -> list[str]:
    return [exchange.headers.get(header, "") for exchange in server.exchanges]


def token_of(home: Path, command: str | tuple[str, ...], **more: str) -> CommandToken:
    plan = CommandPlan(command=command, timeout_seconds=60)
    return CommandToken(plan, "bearer", environment=environment(home, **more), clock=ManualClock())


async def failure(home: Path, command: str | tuple[str, ...], **more: str) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        await token_of(home, command, **more).authorize(HttpRequest(url="http://127.0.0.1/"))
    assert (caught.value.failure.kind, caught.value.failure.retryable) == ("auth", False)
    return caught.value


async def printed(home: Path, command: str | tuple[str, ...], **more: str) -> str:
    request = HttpRequest(url="http://127.0.0.1/", headers={"accept": "*/*"})
    proven = await token_of(home, command, **more).authorize(request)
    assert proven.headers["accept"] == "*/*"
    return proven.headers["authorization"]


@pytest.mark.proves("H16")
async def test_the_token_is_kept_for_its_time(server: AuthServer, tmp_path: Path) -> None:
    clock = ManualClock()
    plan = CommandPlan(command=COUNTED, ttl_seconds=300)
    async with client(
        server.url, plan, tmp_path, clock=clock, environment=environment(tmp_path)
    ) as asked:
        for seconds in (0, 299, 1, 299):
            clock.advance(seconds)
            assert await said(asked) == "ready"
    tokens = [f"Bearer granted-{number}" for number in (1, 1, 2, 2)]
    assert sent(server) == tokens


@pytest.mark.proves("H16")
async def test_many_requests_share_one_run(server: AuthServer, tmp_path: Path) -> None:
    plan = CommandPlan(command=f"sleep 0.05; {COUNTED}")
    async with (
        client(server.url, plan, tmp_path, environment=environment(tmp_path)) as asked,
        anyio.create_task_group() as tasks,
    ):
        for _ in range(8):
            tasks.start_soon(said, asked)
    assert (runs(tmp_path), set(sent(server))) == (1, {"Bearer granted-1"})


@pytest.mark.proves("H16")
async def test_a_failed_run_is_shared_too(tmp_path: Path) -> None:
    token = token_of(tmp_path, f"sleep 0.05; {COUNTED}; exit 3")
    seen: list[str] = []

    async def ask() -> None:
        with pytest.raises(ModelFailed) as caught:
            await token.authorize(HttpRequest(url="http://127.0.0.1/"))
        seen.append(caught.value.message)

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(ask)
    assert (runs(tmp_path), len(seen)) == (1, 4)
    await ask()
    assert runs(tmp_path) == 2


@pytest.mark.proves("H16")
async def test_a_refused_token_is_fetched_again_once(server: AuthServer, tmp_path: Path) -> None:
    server.live = {"granted-2"}
    plan = CommandPlan(command=COUNTED)
    async with client(server.url, plan, tmp_path, environment=environment(tmp_path)) as asked:
        assert await said(asked) == "ready"
        assert sent(server) == ["Bearer granted-1", "Bearer granted-2"]
        server.live = set()
        with pytest.raises(ModelFailed) as caught:
            await said(asked)
    assert sent(server)[2:] == ["Bearer granted-2", "Bearer granted-3"]
    assert "granted-3" not in str(caught.value)
    assert "command" in caught.value.hint


async def test_refusals_at_once_run_the_command_once(server: AuthServer, tmp_path: Path) -> None:
    server.live = {"granted-2"}
    plan = CommandPlan(command=f"sleep 0.05; {COUNTED}")
    async with (
        client(server.url, plan, tmp_path, environment=environment(tmp_path)) as asked,
        anyio.create_task_group() as tasks,
    ):
        for _ in range(6):
            tasks.start_soon(said, asked)
    assert runs(tmp_path) == 2


@pytest.mark.proves("H16")
async def test_a_list_of_models_is_asked_for_with_a_new_token_once(
    server: AuthServer, tmp_path: Path
) -> None:
    server.live = {"granted-2"}
    token, transport = token_of(tmp_path, COUNTED), Http1()
    source = Source(protocol="openai-chat", base_url=f"{server.url}/v1", path="/models")
    try:
        assert list(await discover(source, token, transport, ManualClock())) == ["m"]
        server.live = set()
        with pytest.raises(ModelFailed) as caught:
            await discover(source, token, transport, ManualClock())
    finally:
        await transport.close()
    assert caught.value.failure.kind == "auth"
    assert sent(server) == [f"Bearer granted-{number}" for number in (1, 2, 2, 3)]


@pytest.mark.proves("H16")
async def test_a_late_refusal_of_an_old_token_runs_nothing(tmp_path: Path) -> None:
    token = token_of(tmp_path, COUNTED)
    early = await token.authorize(HttpRequest(url="http://127.0.0.1/"))
    late = await token.authorize(HttpRequest(url="http://127.0.0.1/"))
    assert await token.renew(early)
    assert await token.renew(late)
    assert runs(tmp_path) == 2


@pytest.mark.proves("H16")
async def test_the_same_token_again_is_not_sent_again(server: AuthServer, tmp_path: Path) -> None:
    server.live = set()
    plan = CommandPlan(command=("echo", "always-the-same"))
    async with client(server.url, plan, tmp_path, environment=environment(tmp_path)) as asked:
        with pytest.raises(ModelFailed):
            await said(asked)
    assert sent(server) == ["Bearer always-the-same"]


async def test_the_header_is_the_one_of_the_vendor(server: AuthServer, tmp_path: Path) -> None:
    plan = CommandPlan(command=("echo", "granted-1"))
    async with client(
        server.url, plan, tmp_path, style="x-api-key", environment=environment(tmp_path)
    ) as asked:
        with pytest.raises(ModelFailed):
            await said(asked)
    assert (sent(server, "x-api-key"), sent(server)) == (["granted-1"], [""])


@pytest.mark.proves("A31")
async def test_the_command_runs_ahead_of_the_first_request(
    server: AuthServer, tmp_path: Path
) -> None:
    plan = CommandPlan(command=COUNTED)
    async with client(server.url, plan, tmp_path, environment=environment(tmp_path)) as asked:
        await asked.warm()
        assert runs(tmp_path) == 1
        await said(asked)
    assert runs(tmp_path) == 1


@every(
    ("command", "token"),
    [
        (("printf", "one\\ntwo\\n"), "one"),
        (("printf", "\\n  one  \\r\\n"), "one"),
        ("echo one | tr o u", "une"),
        (("sh", "-c", "yes one | head -n 100000"), "one"),
        ("echo one; echo noise >&2", "one"),
    ],
)
async def test_the_first_line_is_the_token(
    tmp_path: Path, command: str | tuple[str, ...], token: str
) -> None:
    assert await printed(tmp_path, command) == f"Bearer {token}"


async def test_the_command_sees_the_environment_from_the_home_folder(tmp_path: Path) -> None:
    said = await printed(tmp_path, 'echo "$VAULT_TOKEN:$(pwd)"', VAULT_TOKEN="v-123456789")
    assert said == f"Bearer v-123456789:{tmp_path}"


@every(
    ("command", "said"),
    [
        (("/nowhere/at-all",), "cannot be started: No such file"),
        (("/",), "cannot be started: Permission denied"),
        (("echo", "a\0b"), "NUL"),
        ("exit 3", "ended with 3."),
        ("echo out of order >&2; exit 3", "ended with 3: out of order"),
        ("true", "printed nothing"),
        ("echo '  '", "printed nothing"),
        ("echo two words", "no token"),
        ("printf 'a\\033[0mb'", "no token"),
        ("printf 'caf\\303\\251'", "no token"),
        ("kill -9 $$", "ended with 137"),
    ],
)
async def test_what_goes_wrong_is_said(
    tmp_path: Path, command: str | tuple[str, ...], said: str
) -> None:
    assert said in (await failure(tmp_path, command)).message


@pytest.mark.deep
@pytest.mark.proves("H16")
async def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    plan = CommandPlan(command='echo $$ > "$HOME/pid"; sleep 600', timeout_seconds=0.3)
    token = CommandToken(plan, "bearer", environment=environment(tmp_path), clock=ManualClock())
    with pytest.raises(ModelFailed, match=r"did not end within 0\.3 seconds"):
        await token.authorize(HttpRequest(url="http://127.0.0.1/"))
    assert not is_alive(tmp_path)


@pytest.mark.deep
async def test_a_cancel_ends_the_command(tmp_path: Path) -> None:
    token = token_of(tmp_path, 'echo $$ > "$HOME/pid"; sleep 600')
    with anyio.move_on_after(0.3):
        await token.authorize(HttpRequest(url="http://127.0.0.1/"))
    assert not is_alive(tmp_path)


def is_alive(home: Path) -> bool:
    """Whether the command runs; it may have been ended before it said its number."""
    path = home / "pid"
    pid = path.read_text().strip() if path.exists() else ""
    return bool(pid) and Path(f"/proc/{pid}").exists()


LONG = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"


@pytest.mark.proves("H16")
@every(
    "command",
    [
        f"echo printed-secret; echo no printed-secret >&2; exit 1 # {LONG}",
        'echo "no $MY_TOKEN" >&2; exit 1',
        f"echo no {LONG} >&2; exit 1",
        ("sh", "-c", f"echo 'no token={LONG}&x' >&2; exit 1"),
        f"printf 'no \\033]0;{LONG}\\007' >&2; exit 1",
    ],
)
async def test_no_secret_is_in_what_is_said(tmp_path: Path, command: str | tuple[str, ...]) -> None:
    error = await failure(tmp_path, command, MY_TOKEN="my-own-secret")
    said = f"{error.message} {error.hint} {error.failure!r}"
    for secret in ("printed-secret", "my-own-secret", LONG, LONG.partition(".")[2]):
        assert secret not in said
    assert "ended with 1: no" in said
    assert "\033" not in said


async def test_texts_show_no_token_that_was_ever_used(tmp_path: Path) -> None:
    token = token_of(tmp_path, COUNTED)
    first = await token.authorize(HttpRequest(url="http://127.0.0.1/"))
    assert await token.renew(first)
    assert token.redact("granted-1 granted-2") == "[key] [key]"
    assert "token" not in repr(token.source)


@pytest.mark.proves("H16")
async def test_a_vendor_s_own_command_is_used_where_no_key_is(
    server: AuthServer, tmp_path: Path
) -> None:
    tool = tmp_path / "gcloud"
    tool.write_text('#!/bin/sh\n[ "$*" = "auth print-access-token" ] && echo granted-1\n')
    tool.chmod(0o700)
    variables = environment(tmp_path) | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    entry = Entry(
        name="cloud",
        protocol="openai-chat",
        base_url=f"{server.url}/v1",
        keys=("CLOUD_TOKEN",),
        key_command=("gcloud", "auth", "print-access-token"),
    )
    for given, token in (({}, "granted-1"), ({"CLOUD_TOKEN": "granted-2"}, "granted-2")):
        known = {**variables, **given}
        choice = find("cloud/m", environment=known, entries=(entry,))
        connection = Connection(environment=known)
        asked = await open_client(
            choice, clock=ManualClock(), random=lambda: 0.5, connection=connection
        )
        assert await said(asked) == "ready"
        await asked.close()
        assert sent(server)[-1] == f"Bearer {token}"
